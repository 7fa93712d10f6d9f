# SPDX-License-Identifier: Apache-2.0
"""Passed runs are remembered by the machine code, and by nothing less."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from oracle.machine import Mode
from oracle.verify import Case
from porter.blocks._variant import Variant
from porter.measure.under_test import under_test
from porter.proof import kept
from porter.proof.outcome import KernelOutcome
from porter.proof.verify import prove_compiled
from porter.toolchain import CompiledKernel
from tests.porter.kernels import compiled, rendered
from tests.porter.specs import DECODE

N, K = 128, 256
CASES = [Case(17, "general", Mode(landing=landing, checks=True, threads=1)) for landing in ("eager", "late")]


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PORTER_CACHE_DIR", str(tmp_path))
    return tmp_path


def prove(text: str = "", cases: list[Case] = CASES) -> KernelOutcome:
    code = compiled(DECODE, N, K, text)
    return prove_compiled(under_test(DECODE, code), code, cases)


def run_again(outcome: KernelOutcome) -> list[bool]:
    return [not case.kept for case in outcome.cases]


def test_a_passed_run_is_not_repeated_but_a_new_one_is() -> None:
    assert run_again(prove(cases=CASES[:1])) == [True]
    assert run_again(prove()) == [False, True]
    assert run_again(prove()) == [False, False] and prove().proved


def test_other_code_another_oracle_and_other_demands_are_proved_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    prove()
    comment = rendered(DECODE) + "# a comment that changes no instruction\n"
    assert run_again(prove(comment)) == [False, False]
    code = compiled(DECODE, N, K)
    kernel = under_test(DECODE, code)
    assert kept.code_hash(replace(kernel, contract="cktile"), code) != kept.code_hash(kernel, code)
    monkeypatch.setattr(kept, "digest_of", lambda *packages: "another oracle")
    assert run_again(prove()) == [True, True]


def test_equal_code_of_another_name_is_the_same_code() -> None:
    code = compiled(DECODE, N, K)
    other = replace(DECODE, waves_per_eu=1)
    text = code.isa.replace(DECODE.name, other.name)
    launches = tuple(replace(launch, kernel=launch.kernel.replace(DECODE.name, other.name)) for launch in code.launches)
    renamed: CompiledKernel = replace(code, isa=text, launches=launches)
    assert kept.code_hash(under_test(other, renamed), renamed) == kept.code_hash(under_test(DECODE, code), code)


def test_a_failed_run_is_never_kept() -> None:
    wrong = rendered(DECODE, Variant(fault="neighbour-scale"))
    for _ in range(2):
        outcome = prove(wrong)
        assert run_again(outcome) == [True, True] and not outcome.proved


def test_a_damaged_entry_counts_for_nothing(cache: Path) -> None:
    prove()
    (entry,) = [path for path in (cache / "proofs").rglob("*") if path.is_file()]
    for content in ("", "{", "[]", '{"passed": 3, "static": null}'):
        entry.write_text(content)
        assert run_again(prove()) == [True, True]
