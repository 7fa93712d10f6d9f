# SPDX-License-Identifier: Apache-2.0
"""Machine-code mutants: which there are, and what becomes of them on a real kernel."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from oracle.isa_mutants import IsaMutant, Judgement, Kind, _judge, judge, mutants
from oracle.machine import LANDINGS, Severity
from oracle.machine.check_examples import CHECKS, find, kernel_text
from oracle.verify import KernelUnderTest
from porter.measure.under_test import under_test
from tests.porter.kernels import compiled
from tests.porter.specs import FOUR_WAVE

TEXT = """
\ts_waitcnt vmcnt(3) lgkmcnt(15) ; a comment
\ts_barrier
\tbuffer_load_dwordx4 v1, s[0:3], s6 offen lds
\tv_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], 0
\tds_read_b128 v[0:3], v9
\tds_read_b128 v[0:3], v9 offset:65520
\tv_mov_b32_e32 v0, 0"""


def test_every_mutant_of_a_text() -> None:
    found = list(mutants(TEXT))
    assert [(m.kind, m.line, m.now) for m in found] == [
        ("wait", 2, "s_nop 0"),
        ("wait", 2, "s_waitcnt vmcnt(4) lgkmcnt(15)"),
        ("moved_wait", 2, "s_barrier; s_waitcnt vmcnt(3) lgkmcnt(15)"),
        ("barrier", 3, "s_nop 0"),
        ("dma", 4, "s_nop 0"),
        ("mfma", 5, "s_nop 0"),
        ("operand", 5, "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[16:23], v[8:15], 0"),
        ("lds_offset", 6, "ds_read_b128 v[0:3], v9 offset:16"),
        ("lds_offset", 7, "ds_read_b128 v[0:3], v9 offset:65504"),
    ]
    moved = found.pop(2).isa.split("\n")
    assert [line.strip() for line in moved[1:4]] == ["s_nop 0", "s_barrier", "s_waitcnt vmcnt(3) lgkmcnt(15)"]
    for mutant in found:
        lines, before = mutant.isa.split("\n"), TEXT.split("\n")
        assert [n + 1 for n, line in enumerate(lines) if line != before[n]] == [mutant.line]


@pytest.mark.parametrize(("own", "verdict"), [(False, "killed"), (True, "equivalent")])
def test_a_low_finding_kills_if_the_kernel_has_it_not(own: bool, verdict: str) -> None:
    """A read that is waited for behind the barrier shows as CKM208 alone."""
    example, *_ = next(check.examples for check in CHECKS if check.code == "CKM208")
    found = {landing: find(example.faulty, example.waves) for landing in LANDINGS}
    assert {f.code for f in found["late"] if f.severity is not Severity.NOTE} == {"CKM208"}
    mutant = IsaMutant("wait", 1, "s_waitcnt lgkmcnt(0)", "s_nop 0", kernel_text("s_nop 0"))
    mine = {landing: found[landing] if own else () for landing in LANDINGS}
    result = _judge("gfx950", mutant, lambda _, landing, __: (True, found[landing]), mine)
    assert (result.verdict, result.by == "CKM208") == (verdict, not own)


def test_a_wait_moves_only_to_the_next_barrier_of_its_block() -> None:
    between = ["s_waitcnt vmcnt(0)", ".Lloop:", "s_cbranch_scc1 .Lloop", "s_barrier", "v_nop"]
    found = [
        any(
            m.kind == "moved_wait" and m.line == 1
            for m in mutants("\n".join(["s_waitcnt vmcnt(1)", line, "s_barrier"]))
        )
        for line in between
    ]
    assert found == [False, False, False, True, True]


@pytest.fixture(scope="module")
def kernel() -> KernelUnderTest:
    return under_test(FOUR_WAVE, compiled(FOUR_WAVE, 256, 768))


def judged(kernel: KernelUnderTest, *kinds: Kind) -> list[Judgement]:
    return list(judge(kernel, 67, threads=2, kinds=frozenset(kinds)))


def test_no_wait_of_the_4_wave_kernel_stays_open(kernel: KernelUnderTest) -> None:
    results = judged(kernel, "wait", "moved_wait")
    counts = Counter((result.mutant.kind, result.verdict) for result in results)
    assert {verdict for _, verdict in counts} == {"killed", "equivalent"} and all(result.by for result in results)
    assert counts["moved_wait", "killed"]
    assert counts["wait", "killed"] >= 50 and counts["wait", "equivalent"] <= counts["wait", "killed"] // 5
    # A wait is what values on a quiet machine never show.
    values = Counter(result.by for result in results if result.mutant.kind == "wait")
    assert values["eager values"] == 0 and values["CKM201"] > 20 and values["CKM204"] > 2


@pytest.mark.parametrize(
    ("kinds", "numbers"),
    [
        (("mfma",), (64,)),
        (("operand",), (64,)),
        (("lds_offset", "dma", "barrier", "launch"), (32, 8, 4, 1)),
    ],
    ids=lambda value: "-".join(map(str, value)),
)
def test_every_other_mutant_of_the_4_wave_kernel_is_killed(
    kinds: tuple[Kind, ...], numbers: tuple[int, ...], kernel: KernelUnderTest
) -> None:
    results = judged(kernel, *kinds)
    assert {result.verdict for result in results} == {"killed"} and all(result.by for result in results)
    counts = Counter(result.mutant.kind for result in results)
    assert [counts[kind] for kind in kinds] == list(numbers)


def test_a_kernel_that_is_wrong_itself_proves_nothing(kernel: KernelUnderTest) -> None:
    (swapped,) = [m for m in mutants(kernel.isa) if m.kind == "operand"][:1]
    with pytest.raises(ValueError, match="itself is not clean"):
        next(judge(replace(kernel, isa=swapped.isa), 67))
