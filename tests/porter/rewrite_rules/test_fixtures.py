# SPDX-License-Identifier: Apache-2.0
"""Whole kernels in the styles that people write: what they were, what they become, and the proof of both."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from porter.rewrite_rules import Rewritten, Unchanged, native_scaling, rewrite_paths, rewrite_sources
from tests.porter.rewrite_rules.kernels import (
    REPAIRED,
    RIGHT,
    case_id,
    compiled,
    execute,
    outcomes_of,
    problem_for,
    source_of,
)


def test_there_are_at_least_twelve_kernels_to_repair():
    assert len(REPAIRED) >= 12


@pytest.mark.parametrize("path", REPAIRED, ids=case_id)
def test_is_rewritten_once_and_holds_no_native_scaling(path):
    outcomes = outcomes_of(path)
    outcome = outcomes[0]
    assert isinstance(outcome, Rewritten), outcome
    ast.parse(outcome.text)
    assert native_scaling(compiled(source_of(path)).isa), "the kernel shows no disease to cure"
    assert not native_scaling(compiled(source_of(path, outcomes)).isa)
    texts = {o.path: o.text if isinstance(o, Rewritten) else Path(o.path).read_text() for o in outcomes}
    assert all(isinstance(again, Unchanged) for again in rewrite_sources(texts).values())


@pytest.mark.parametrize("path", REPAIRED, ids=case_id)
def test_keeps_comments_and_header_and_drops_the_encoder(path):
    before, outcomes = path.read_text(), outcomes_of(path)
    after = outcomes[0].text
    assert after.startswith("# SPDX-License-Identifier: Apache-2.0\n")
    assert ast.get_docstring(ast.parse(after)) == ast.get_docstring(ast.parse(before))
    for outcome in outcomes:
        for word in (">> 23", "<< 1) >> 24", "0x400000", "e8m0fnu", "log("):
            assert word not in outcome.text, f"{word} is left in {outcome.path}"


@pytest.mark.parametrize("data", ["general", "special", "cancel"])
@pytest.mark.parametrize("path", REPAIRED, ids=case_id)
def test_after_is_bit_equal_to_the_contract(path, data):
    kernel = compiled(source_of(path, outcomes_of(path)))
    run = execute(kernel, problem_for(kernel.spec, data))
    assert run.comparison.equal, run.comparison
    assert not run.findings


@pytest.mark.parametrize("path", REPAIRED, ids=case_id)
def test_before_fails_the_contract_on_scales_that_are_no_powers_of_two(path):
    kernel = compiled(source_of(path))
    run = execute(kernel, problem_for(kernel.spec, "general"))
    assert not run.comparison.equal
    assert not run.findings


@pytest.mark.parametrize("path", REPAIRED, ids=case_id)
def test_power_of_two_scales_give_the_same_bits_before_and_after(path):
    before, after = compiled(source_of(path)), compiled(source_of(path, outcomes_of(path)))
    problem = problem_for(before.spec, "exact")
    cured = execute(after, problem)
    assert cured.comparison.equal
    assert (execute(before, problem).bits == cured.bits).all()


@pytest.mark.parametrize("path", RIGHT, ids=case_id)
def test_right_kernels_stay_and_the_reason_is_said(path):
    before = path.read_bytes()
    (outcome,) = rewrite_paths([path])
    assert isinstance(outcome, Unchanged)
    assert outcome.why and all(outcome.why)
    assert path.read_bytes() == before
    compiled(source_of(path))
