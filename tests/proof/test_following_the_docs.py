# SPDX-License-Identifier: Apache-2.0
"""A newcomer who follows the pages literally: every file, change and command of them, in a copy of the repository."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.proof

#: A fenced block: its language, the file that it is, and its text.
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: What a command of a page says of its exit code.
EXPECTED = re.compile(r"   # exit (\d)$")
LEFT_OUT = shutil.ignore_patterns(".git", ".venv", "build", "*.egg-info", "__pycache__", ".*_cache", ".hypothesis")


@pytest.fixture
def copy(repository: Path, tmp_path: Path) -> Path:
    """The repository, with a `.venv` as `make setup` leaves it, whose porter is the copy's own."""
    folder = tmp_path / "porter"
    shutil.copytree(repository, folder, ignore=LEFT_OUT)
    tools = folder / ".venv" / "bin"
    tools.mkdir(parents=True)
    for name, module in (("python", ""), ("porter", "-m porter"), ("ruff", "-m ruff"), ("black", "-m black")):
        script = tools / name
        script.write_text(f'#!/bin/sh\nexec {sys.executable} {module} "$@"\n')
        script.chmod(0o755)
    (folder / ".venv" / ".installed").touch()
    return folder


def run(script: str, folder: Path) -> tuple[int, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    path = f"{folder / '.venv' / 'bin'}{os.pathsep}{kept['PATH']}"
    environment = {**kept, "PATH": path, "PYTHONPATH": str(folder), "PORTER_REAL_DATA": str(folder / "absent")}
    done = subprocess.run(["bash", "-ec", script], cwd=folder, env=environment, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def commands(block: str) -> list[tuple[str, int]]:
    """The commands of a block and their exit codes; a here-document belongs to its command."""
    found: list[tuple[str, int]] = []
    rest = block.splitlines()
    while rest:
        lines = [rest.pop(0)]
        if "<<'END'" in lines[0]:
            while lines[-1] != "END":
                lines.append(rest.pop(0))
        expected = EXPECTED.search(lines[0])
        found.append(("\n".join(lines), int(expected.group(1)) if expected else 0))
    return found


@pytest.mark.parametrize("page", ["adding-a-rule.md", "adding-a-recipe.md", "adding-a-check.md"])
def test_the_page_works_as_it_stands(page: str, copy: Path) -> None:
    blocks = BLOCK.findall((copy / "docs" / page).read_text())
    assert {language for language, _, _ in blocks} >= {"sh", "diff"}
    for language, name, text in blocks:
        if language == "sh":
            for command, expected in commands(text):
                code, output = run(command, copy)
                assert code == expected, f"{page}: {command}\nexit {code}\n{output[-3000:]}"
        elif language == "diff":
            (copy / "change.diff").write_text(text)
            code, output = run("git apply change.diff && rm change.diff", copy)
            assert code == 0, f"{page}: {text}\n{output}"
        else:
            target = copy / name
            assert name and not target.exists(), f"{page}: a block that is neither a command, a change nor a new file"
            target.write_text(text)
