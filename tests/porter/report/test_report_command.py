# SPDX-License-Identifier: Apache-2.0
"""`porter report` as people use it."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.report import hot_loop
from tests.porter.command import porter, valid


def test_it_writes_one_file_and_says_what_is_in_it(wrong: Path, tmp_path: Path, repository: Path) -> None:
    out = tmp_path / "report.html"
    options = ("report", "--manifest", wrong, "--results", wrong.parent / "verify.json", "--out", out)
    data = valid(porter(*options, "--format", "json"), "report", repository)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]
    assert data["bytes"] == out.stat().st_size
    kernels = {kernel["name"].partition("_xcd")[2][0]: kernel for kernel in data["kernels"]}
    assert {number: kernel["verdict"] for number, kernel in kernels.items()} == {"0": "proved", "8": "failed"}
    assert all(kernel["compiled"] for kernel in data["kernels"])
    shown = porter(*options)
    # Whether the proof holds is the exit code of `porter verify`.
    assert shown.exit_code == 0 and "1 of 2 kernels proved" in shown.stdout and "1 FAILED" in shown.stdout
    assert [kernel["classes"]["recipe"]["proved"] for kernel in data["kernels"]] in ([0, 1], [1, 0])
    assert "recipe" in shown.stdout and "0 of 1" in shown.stdout


def test_without_flydsl_it_needs_a_word(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_loop, "flydsl_version", lambda: "")
    out = tmp_path / "report.html"
    refused = porter("report", "--manifest", whole, "--out", out)
    assert refused.exit_code == 3 and "[CKT001]" in refused.stderr and not out.exists()
    assert porter("report", "--manifest", whole, "--out", out, "--no-compile").exit_code == 0
    assert "nothing was proved in this report" in out.read_text()


def test_a_kernel_that_does_not_compile_is_a_finding_on_the_page(copied: Path, tmp_path: Path) -> None:
    (module,) = copied.parent.glob("*_xcd8_*.py")
    module.write_text(module.read_text() + "\n\ndef build(N, K):\n    raise ValueError('no <luck>')\n")
    result = porter("report", "--manifest", copied, "--out", tmp_path / "report.html")
    assert result.exit_code == 1 and "failed: flydsl_" in result.stdout
    assert "no &lt;luck&gt;" in (tmp_path / "report.html").read_text()


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (("--manifest", "nowhere.json"), "CKP062"),
        (("--results", "nowhere.json"), "CKH001"),
        (("--out", "no/such/folder/report.html"), "CKP060"),
    ],
)
def test_what_cannot_be_used_is_exit_2(options: tuple[str, str], code: str, whole: Path, tmp_path: Path) -> None:
    option, name = options
    given = {"--manifest": whole, "--out": tmp_path / "report.html", option: tmp_path / name}
    result = porter("report", "--no-compile", *[part for pair in given.items() for part in pair])
    assert result.exit_code == 2 and f"[{code}]" in result.stderr and name in result.stderr
    assert list(tmp_path.iterdir()) == []
