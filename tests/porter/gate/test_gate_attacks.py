# SPDX-License-Identifier: Apache-2.0
"""Ways to get a wrong kernel through the gate, or to make it stumble, that were found by trying."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from click.testing import Result

from porter.toolchain import KernelSource
from tests.porter.command import porter
from tests.porter.gate.downstream import CONFIG, HEADER, PRIVATE_IMPORT, ROW, WITHOUT_PROOF, edit, git, kernel_of, make
from tests.porter.gate.test_gate import HAND, findings, gate


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = make(tmp_path_factory.mktemp("downstream"))
    assert gate(folder).exit_code == 0  # what is remembered must not help a wrong kernel
    return folder


@pytest.fixture
def downstream(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "repository"))


def rules(folder: Path, repository: Path, *options: str) -> set[str]:
    return {finding["rule"] for finding in findings(gate(folder, *options, "--format", "json"), repository)}


def places(folder: Path, repository: Path, *options: str) -> set[tuple[str, str, int]]:
    found = findings(gate(folder, *options, "--format", "json"), repository)
    return {(finding["rule"], finding["path"], finding["line"]) for finding in found}


def hand_written(folder: Path, text: str = HAND, siblings: dict[str, str] | None = None) -> None:
    """Move the kernel to hand/mine.py, add text and modules, and configure it alone."""
    kernel = kernel_of(folder)
    hand = folder / "hand"
    shutil.copytree(kernel.parent, hand, ignore=shutil.ignore_patterns("flydsl_*", "manifest.json", "dispatch*"))
    (hand / "mine.py").write_text(kernel.read_text() + text)
    for name, content in (siblings or {}).items():
        (hand / name).write_text(content)
    config = '[tool.porter]\nout = "none"\ndata = ["general"]\n[tool.porter.kernels."hand/mine.py"]\n'
    (folder / "pyproject.toml").write_text(config)


@pytest.mark.parametrize(("old", "new"), [("_bf16", "_fp16"), ("_1x128x128_", "_128x128x128_")])
def test_the_same_text_under_another_name_is_another_kernel(
    old: str, new: str, downstream: Path, repository: Path
) -> None:
    path = kernel_of(downstream)
    path.rename(path.with_name(path.name.replace(old, new)))
    (downstream / "kernels" / "manifest.json").unlink()
    assert rules(downstream, repository, "--no-drift") & {"CKG040", "CKG041"}


def test_what_other_packages_hold_is_never_remembered() -> None:
    def closed(text: str, **siblings: str) -> bool:
        return KernelSource("k", text, siblings).self_contained

    own = {"_shim": "import flydsl.expr as fx\nfrom typing import Any\n"}
    assert closed("import functools\nimport torch\nfrom . import _shim\n", **own)
    assert not closed("from mypkg.helpers import combine\n", **own)
    assert not closed("import torch\n", _more="import mypkg\n")
    assert not closed("import importlib\n")
    assert not closed("x = __import__('mypkg')\n")
    assert not closed("import torch\n", _more="def (:\n")


def test_a_changed_baseline_is_judged_again(downstream: Path, repository: Path) -> None:
    (downstream / "pyproject.toml").write_text(CONFIG + 'baseline = "census.json"\n')
    assert gate(downstream, "--write-baseline").exit_code == 0
    assert rules(downstream, repository) == set()
    path = downstream / "census.json"
    data = json.loads(path.read_text())
    ((name, counts),) = data["kernels"].items()
    path.write_text(json.dumps({**data, "kernels": {name: {**counts, "barriers": 1}}}))
    assert rules(downstream, repository) == {"CKG035"}
    path.write_text(json.dumps({**data, "kernels": {}}))
    assert rules(downstream, repository) == {"CKG035"}
    for wrong in ("NaN", '"2"', "null", "[" * 5000):
        path.write_text(json.dumps(data).replace(f'"barriers": {counts["barriers"]}', f'"barriers": {wrong}'))
        result = gate(downstream)
        assert result.exit_code == 2 and "CKG113" in result.output


def test_other_data_is_another_proof_since_a_revision(downstream: Path, repository: Path) -> None:
    (downstream / "pyproject.toml").write_text(CONFIG.replace('"general", "cancel"', '"exact"'))
    assert rules(downstream, repository, "--changed-since", "HEAD") == {"CKG050"}


def test_a_linked_input_folder_is_read_again(downstream: Path, repository: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (downstream / "csv").mkdir()
    (downstream / "csv" / "link").symlink_to(tmp_path / "elsewhere")
    shutil.move(downstream / "tuned.csv", tmp_path / "elsewhere" / "tuned.csv")
    (downstream / "pyproject.toml").write_text(CONFIG.replace("tuned.csv", "csv"))
    assert rules(downstream, repository) == set()
    (tmp_path / "elsewhere" / "tuned.csv").write_text(HEADER + ROW.format(m=4096) + ROW.format(m=8192))
    assert rules(downstream, repository) == {"CKG001"}


def test_no_kernel_is_no_pass(downstream: Path, repository: Path) -> None:
    (downstream / "tuned.csv").write_text(HEADER)
    shutil.rmtree(downstream / "kernels")
    assert porter("convert", downstream / "tuned.csv", "--out", downstream / "kernels").exit_code == 0
    assert rules(downstream, repository) == {"CKG061"}
    assert gate(downstream, "--write-baseline").exit_code == 2


@pytest.mark.parametrize("text", ["{", "[]", '{"kernels": 3}', '{"kernels": [{"module": 1}]}', "[" * 100000, "\0"])
def test_a_damaged_manifest_is_a_finding(text: str, downstream: Path, repository: Path) -> None:
    (downstream / "kernels" / "manifest.json").write_text(text)
    assert "CKG016" in rules(downstream, repository, "--no-drift")
    assert {"CKG001", "CKG016"} <= rules(downstream, repository)


def test_helpers_and_stray_modules_are_linted(downstream: Path, repository: Path) -> None:
    (downstream / "kernels" / "other.py").write_text("from flydsl._mlir import ir\n")
    assert ("CKG011", "kernels/other.py", 1) in places(downstream, repository)
    hand_written(downstream, "\nfrom . import helper\n" + HAND, {"helper.py": "from flydsl._mlir import ir\n"})
    assert ("CKG011", "hand/helper.py", 1) in places(downstream, repository)


def test_generated_kernels_without_inputs_are_not_left_uncompared(downstream: Path, repository: Path) -> None:
    (downstream / "pyproject.toml").write_text(CONFIG.replace('inputs = ["tuned.csv"]\n', ""))
    (downstream / "kernels" / "manifest.json").unlink()
    assert rules(downstream, repository) == {"CKG060"}


def test_a_module_that_python_cannot_read(downstream: Path, repository: Path) -> None:
    path = kernel_of(downstream)
    path.write_bytes(path.read_bytes() + b"# \xff\n")
    assert rules(downstream, repository, "--no-drift") == {"CKG016"}
    path.write_text("")
    assert {"CKG001", "CKG020"} <= rules(downstream, repository)


@pytest.mark.parametrize(
    "text",
    [
        "tool = 5\n",
        "[[tool]]\nporter = 1\n",
        '[tool.porter]\ndata = ["luck"]\n',
        "[tool.porter]\ntime-limit = 1" + "0" * 400 + "\n",
        '[tool.porter]\nout = "\\u0000"\n',
        f'[tool.porter]\nout = "{"x" * 5000}"\n',
        "[tool.porter]\nx = " + "[" * 5000 + "\n",
    ],
    ids=lambda text: text[:40],
)
def test_a_strange_configuration_is_bad_input_not_a_bug(text: str, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    result = gate(tmp_path)
    assert result.exit_code == 2, result.output


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"m": [77]', '"m": 1.5'),
        ('"m": [77]', '"m": [10**12]'.replace("10**12", str(10**12))),
        ('"args": ["C"', '"args": [["C"]'),
        ('"n": 512', '"n": True'),
        ('"launcher": "make"', '"launcher": 5'),
        ('"mfma": "16x16x128"', '"mfma": "32x32x64", "k_slices": "assembler"'),
        ("PORTER = {", "PORTER = {1: 2, "),
        ("PORTER = {", "PORTER = {**print(), "),
    ],
)
def test_a_strange_declaration_is_a_finding(old: str, new: str, downstream: Path, repository: Path) -> None:
    hand_written(downstream, HAND.replace(old, new))
    assert rules(downstream, repository) == {"CKG016"}


def test_folders_and_links_where_modules_should_be(downstream: Path, repository: Path) -> None:
    (downstream / "kernels" / "_more.py").mkdir()
    (downstream / "kernels" / "_gone.py").symlink_to("nowhere")
    assert gate(downstream).exit_code in (0, 1)
    path = kernel_of(downstream)
    path.unlink()
    path.mkdir()
    assert "CKG016" in rules(downstream, repository)


def test_paths_are_those_of_the_repository(downstream: Path, repository: Path, tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    shutil.move(downstream, top / "sub")
    shutil.move(top / "sub" / ".git", top / ".git")
    folder = top / "sub"
    path, line = edit(folder, *PRIVATE_IMPORT)
    (folder / "pyproject.toml").write_text(CONFIG.replace('"kernels"', '"./kernels/"'))
    wanted = ("CKG011", f"sub/{path}", line)
    assert wanted in places(folder, repository, "--no-drift")


def test_lines_of_the_configuration_are_those_of_its_table(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[tool.ruff]\nselect = ["E"]\n\n[tool.porter]\nselect = 3\n')
    result = gate(tmp_path)
    assert result.exit_code == 2 and "pyproject.toml:5: select" in result.output


def test_a_row_is_shown_in_its_own_file(downstream: Path, repository: Path) -> None:
    for name, text in (("a", HEADER + ROW.format(m=8192)), ("b", HEADER + ROW.format(m=4096))):
        (downstream / name).mkdir()
        (downstream / name / "tuned.csv").write_text(text)
    (downstream / "pyproject.toml").write_text(CONFIG.replace('"tuned.csv"', '"a", "b/tuned.csv"'))
    assert ("CKG001", "a/tuned.csv", 2) in places(downstream, repository)


def test_a_different_header_does_not_draw_the_finding(downstream: Path, repository: Path) -> None:
    path = kernel_of(downstream)
    path.write_text(path.read_text().replace("@generated by porter", "@generated by Porter"))
    edited, line = edit(downstream, "[fx.math.fma(scale, p, acc) for", "[scale * p + acc for")
    assert ("CKG040", edited, line) in places(downstream, repository, "--no-drift")


def test_other_line_ends_are_drift_on_the_first_line(downstream: Path, repository: Path) -> None:
    path = kernel_of(downstream)
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    (downstream / "pyproject.toml").write_text(CONFIG + WITHOUT_PROOF)
    assert ("CKG001", f"kernels/{path.name}", 1) in places(downstream, repository)


def test_the_result_is_said_before_a_file_cannot_be_written(downstream: Path) -> None:
    result: Result = gate(downstream, "--sarif", str(downstream / "no" / "folder.sarif"))
    assert result.exit_code == 2 and "CKP060" in result.output and "porter ci passed" in result.output


def test_a_hook_s_environment_does_not_mislead(downstream: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    git_folder = downstream / "below"
    git_folder.mkdir()
    monkeypatch.chdir(git_folder)
    assert gate(downstream, "--changed-since", "HEAD").exit_code == 0


def test_a_remembered_verdict_of_another_form_is_not_believed(
    downstream: Path, session_cache: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache = tmp_path / "cache"
    cache.mkdir()
    for kept in ("kernels", "proofs"):
        (cache / kept).symlink_to(session_cache / kept)
    monkeypatch.setenv("PORTER_CACHE_DIR", str(cache))
    assert gate(downstream).exit_code == 0
    remembered = [path for path in (cache / "gate").rglob("*") if path.is_file()]
    assert remembered
    for path in remembered:
        path.write_text("true")
    assert gate(downstream).exit_code == 0
    git(downstream, "status")
