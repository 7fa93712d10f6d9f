# SPDX-License-Identifier: Apache-2.0
"""`action.yml` and `.pre-commit-hooks.yaml`, each tried in a scratch repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
import yaml

from tests.porter.gate.downstream import PRIVATE_IMPORT, edit, git, make

PROGRAMS = str(Path(sys.executable).parent)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("downstream"))


@pytest.fixture
def downstream(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "repository"))


def run_action(action: Path, folder: Path, given: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    """What a runner does with a composite action, as far as this one needs it: inputs, conditions, bash steps."""
    described = yaml.safe_load(action.read_text())
    inputs = {name: str(value.get("default", "")) for name, value in described["inputs"].items()}
    assert set(given) <= set(inputs)
    inputs |= given

    def value(text: str) -> str:
        known = {
            **{f"inputs.{name}": value for name, value in inputs.items()},
            "github.action_path": str(action.parent),
        }
        return re.sub(r"\$\{\{ (\S+) \}\}", lambda match: known[match[1]], text)

    assert described["runs"]["using"] == "composite"
    for step in described["runs"]["steps"]:
        assert step["shell"] == "bash" and "${{" not in step["run"]
        if "if" in step:
            name, wanted = re.fullmatch(r"\$\{\{ inputs\.(\S+) == '(\w+)' \}\}", step["if"]).groups()  # type: ignore[union-attr]
            if inputs[name] != wanted:
                continue
        variables = {name: value(text) for name, text in step["env"].items()}
        environment = {
            **os.environ,
            **variables,
            "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
            "GITHUB_ACTIONS": "true",
            "GITHUB_STEP_SUMMARY": str(folder / "summary.md"),
        }
        command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]]
        result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        if result.returncode:
            return result
    return result


def test_the_action_passes_and_fails_with_the_gate(downstream: Path, repository: Path) -> None:
    action = repository / "action.yml"
    result = run_action(action, downstream, {"install": "false"})
    assert result.returncode == 0, result.stdout + result.stderr
    assert result.stdout.splitlines()[-1].startswith("porter ci passed: ")
    assert (downstream / "porter.sarif").exists() and (downstream / "porter-junit.xml").exists()
    path, line = edit(downstream, *PRIVATE_IMPORT)
    given = {"install": "false", "arguments": "--no-drift --jobs 1", "changed-since": "HEAD"}
    result = run_action(action, downstream, given)
    assert result.returncode == 1
    assert f"::error file={path},line={line},title=CKG011 private-name::" in result.stdout
    assert "CKG011" in (downstream / "summary.md").read_text()


def test_the_action_quotes_what_it_is_given(downstream: Path, repository: Path) -> None:
    result = run_action(repository / "action.yml", downstream, {"install": "false", "config": "no; touch owned"})
    assert result.returncode == 2 and "CKG110" in result.stderr
    assert not (downstream / "owned").exists()


def test_the_hook_stops_a_commit(downstream: Path, repository: Path, tmp_path: Path) -> None:
    hooks = tmp_path / "porter-hooks"
    hooks.mkdir()
    shutil.copy(repository / ".pre-commit-hooks.yaml", hooks)
    git(hooks, "init", "-q")
    git(hooks, "add", "-A")
    git(hooks, "commit", "-qm", "hooks")
    edit(downstream, *PRIVATE_IMPORT)
    git(downstream, "add", "-A")
    environment = {
        **os.environ,
        "PATH": f"{PROGRAMS}{os.pathsep}{os.environ['PATH']}",
        "PRE_COMMIT_HOME": str(tmp_path / "home"),
    }
    command = [sys.executable, "-m", "pre_commit", "try-repo", str(hooks), "porter-ci"]
    result = subprocess.run(command, cwd=downstream, env=environment, capture_output=True, text=True)
    assert result.returncode == 1, result.stdout + result.stderr
    assert "CKG011" in result.stdout and "Failed" in result.stdout
    git(downstream, "reset", "-q", "--hard")
    (downstream / "notes.csv").write_text("nothing\n")
    git(downstream, "add", "-A")
    result = subprocess.run(command, cwd=downstream, env=environment, capture_output=True, text=True)
    assert result.returncode == 0 and "Passed" in result.stdout, result.stdout + result.stderr
