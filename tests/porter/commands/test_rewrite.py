# SPDX-License-Identifier: Apache-2.0
"""`porter rewrite` and `porter mutants` as people use them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.porter.command import porter, valid
from tests.porter.kernels import written
from tests.porter.specs import DECODE

FIXTURES = Path(__file__).parents[1] / "rewrite_rules" / "fixtures"


@pytest.fixture
def kernel(tmp_path: Path) -> Path:
    path = tmp_path / "raw_exponent.py"
    path.write_text((FIXTURES / "repaired" / "raw_exponent.py").read_text())
    return path


def test_check_and_diff_write_nothing(kernel: Path) -> None:
    before = kernel.read_text()
    check = porter("rewrite", kernel, "--check")
    assert check.exit_code == 1 and "1 rewritten" in check.stdout and "nothing written" in check.stdout
    shown = porter("rewrite", kernel, "--diff")
    assert shown.exit_code == 0 and "-" in shown.stdout and "+" in shown.stdout and "fx.math.fma" in shown.stdout
    assert kernel.read_text() == before


def test_rewrite_compiles_writes_and_is_idempotent(kernel: Path, repository: Path) -> None:
    first = porter("rewrite", kernel, "--shape", "-x128x1024", "--format", "json")
    assert first.exit_code == 0
    (entry,) = valid(first, "rewrite", repository)["files"]
    assert entry["outcome"] == "rewritten" and entry["compiled"] and entry["sites"]
    after = kernel.read_text()
    second = porter("rewrite", kernel, "--format", "json")
    (entry,) = valid(second, "rewrite", repository)["files"]
    assert entry["outcome"] == "unchanged" and entry["why"]
    assert kernel.read_text() == after


def test_a_right_kernel_is_left_alone_with_a_reason(tmp_path: Path) -> None:
    for source in sorted((FIXTURES / "right").glob("[!_]*.py")):
        path = tmp_path / source.name
        path.write_bytes(source.read_bytes())
        result = porter("rewrite", path)
        assert result.exit_code == 0 and f"unchanged: {path}: " in result.stdout
        assert path.read_bytes() == source.read_bytes()


def test_what_is_not_python_fails_and_stays(tmp_path: Path, repository: Path) -> None:
    path = tmp_path / "broken.py"
    path.write_text("def (:\n")
    result = porter("rewrite", path, "--format", "json")
    assert result.exit_code == 1
    assert valid(result, "rewrite", repository)["files"][0]["outcome"] == "failed"
    assert path.read_text() == "def (:\n"


def test_an_unknown_rule_is_a_usage_error(kernel: Path) -> None:
    result = porter("rewrite", kernel, "--rule", "CKR999")
    assert result.exit_code == 2 and "[CKR001]" in result.stderr


def test_mutants_of_a_small_kernel(tmp_path: Path, repository: Path) -> None:
    path = written(DECODE, tmp_path)
    result = porter("mutants", path, "--shape", "17x128x384", "--format", "json")
    assert result.exit_code == 0, result.output
    data = valid(result, "mutants", repository)
    assert data["classes"]["mfma"]["total"] == data["classes"]["mfma"]["killed"] > 0
    assert data["classes"]["wait"]["killed"] > 0
    assert sum(counts["open"] for counts in data["classes"].values()) == 0
    assert "porter mutants: " in porter("mutants", path, "--shape", "17x128x384").stdout


@pytest.mark.parametrize("name", ["host_e8m0", "raw_log2"])
def test_before_after_shows_the_disease_and_the_cure(name: str, repository: Path) -> None:
    path = FIXTURES / "repaired" / f"{name}.py"
    result = porter("before-after", path, "--format", "json")
    assert result.exit_code == 0
    data = valid(result, "before-after", repository)
    assert data["cured"]
    general = next(row for row in data["data"] if row["name"] == "general")
    assert general["before"]["mismatches"] > general["before"]["elements"] // 2
    assert general["after"]["mismatches"] == 0
    text = porter("before-after", path, "--shape", "16x-x-").stdout
    assert "the rewritten kernel is every bit as the contract says" in text


def test_before_after_of_a_right_kernel_is_an_error() -> None:
    result = porter("before-after", FIXTURES / "right" / "promoted.py")
    assert result.exit_code == 2 and "[CKV006]" in result.stderr
