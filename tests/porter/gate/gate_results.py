# SPDX-License-Identifier: Apache-2.0
"""Results for tests of the outputs: one written out with everything in it, and random ones with hostile text."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porter.errors import SourceSpan
from porter.gate.result import Check, GateFinding, GateResult, Status
from porter.gate.rule import GateRule
from porter.gate.rules import RULES

#: Rules of their own, so that a new rule of porter changes no golden file.
SAMPLE_RULES = {
    rule.id: rule
    for rule in (
        GateRule("CKG001", "drift", "A generated file is out of date.", "Generate it again."),
        GateRule("CKG030", "spills", "A kernel spills.", "Use a smaller tile.", level="warning"),
        GateRule("CKG035", "census", "The hot loop grew.", "Look at {loop}.", level="note"),
        GateRule("CKG040", "values", "Wrong values.", "Promote in fp32."),
        GateRule("CKG060", "not-run", "A check could not run.", "Make it run, or allow it."),
    )
}


def use_sample_rules(patch: pytest.MonkeyPatch) -> None:
    for rule in [*RULES]:
        patch.delitem(RULES, rule)
    for rule, about in SAMPLE_RULES.items():
        patch.setitem(RULES, rule, about)


def sample() -> GateResult:
    """Every status and level, text over several lines, and characters that some output must escape."""
    drift = GateFinding(
        "CKG001",
        "row 3 (M=1, N=7168) gives another kernel: 100% of\r\nits lines differ | see the diff",
        SourceSpan("configs/a8w8 tuned,1.csv", 4, 10, 14),
        key="1x7168x2304",
    )
    spills = GateFinding("CKG030", "2 VGPRs spilled", SourceSpan("kernels/dec.py", 1), "dec_16", "spills")
    census = GateFinding(
        "CKG035", "v_mov_b32 grew from 4 to {6}", SourceSpan("kernels/dec.py", 1), "dec_16", "v_mov_b32"
    )
    values = GateFinding(
        "CKG040",
        "\x1b[31m12 of 4096 elements differ\x1b[0m, the first at [0, 3]",
        SourceSpan("kernels/four_wave.py", 88),
        "four_wave",
        "acc = acc + partial",
        detail="tiles of 16x16:\n#..#\n::error::....\n##[error]....",
    )
    unread = GateFinding("CKG060", "the machine does not know v_new", SourceSpan("kernels/x.py", 7), "x", "v_new")
    return GateResult(
        (
            Check("drift", "configs/a8w8 tuned,1.csv", Status.FAILED, (drift,), 0.42),
            Check("drift", "configs/good.csv", Status.PASSED, (), 0.3, "12 rows"),
            Check("budget", "dec_16", Status.PASSED, (spills, census)),
            Check("proof", "four_wave", Status.FAILED, (values,), 12.04, "3 shapes"),
            Check("proof", "dec_16", Status.NOT_RUN, (), 600.0, "time limit of 600 s"),
            Check("proof", "x", Status.NOT_RUN, (unread,), 1.0),
            Check("proof", "hand_written", Status.ALLOWED, (), 0.0, "no PORTER = {...} in the file"),
            Check("strength", "four_wave", Status.LEFT_OUT, note="nothing was proved"),
        ),
        seconds=614.2,
    )


#: Any text at all, lone surrogates included, with what the outputs must escape or keep apart more often than by chance.
hostile = st.lists(
    st.sampled_from(["\n", "\r\n", "\r", "::error::", "##[error]", "%0A", "%", ":", ",", "|", "`", "\x1b[0m", "\0"])
    | st.integers(0, 0xFF).map(chr)
    | st.integers(0, 0x10FFFF).map(chr),
    max_size=8,
).map("".join)


def _findings() -> st.SearchStrategy[GateFinding]:
    spans = st.builds(SourceSpan, hostile.map(lambda text: f"a{text}"), st.integers(1, 10**6), st.integers(0, 99))
    return st.builds(GateFinding, st.sampled_from(sorted(RULES)), hostile, spans, hostile, hostile, hostile)


def _results() -> st.SearchStrategy[GateResult]:
    """Any result, with hostile text wherever text comes from outside porter."""
    names = st.sampled_from(["drift", "lint", "proof"])
    seconds = st.floats(0, 10**4)
    found = st.lists(_findings(), max_size=4).map(tuple)
    checks = st.builds(Check, names, hostile, st.sampled_from(list(Status)), found, seconds, hostile)
    return st.builds(GateResult, st.lists(checks, max_size=6).map(tuple), seconds)


def for_any_result(test: Callable[..., None]) -> Callable[..., None]:
    """Run a test for random results, given as `result`."""
    return settings(max_examples=25, deadline=None)(given(result=_results())(test))
