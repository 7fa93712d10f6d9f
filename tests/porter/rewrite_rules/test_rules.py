# SPDX-License-Identifier: Apache-2.0
"""Every case of every rule, through one harness; the rules are found, not listed."""

from __future__ import annotations

import ast
from pathlib import Path

import black
import pytest

import porter.rewrite_rules as package
from porter.rewrite_rules import (
    HINTS,
    Refused,
    Rewritten,
    Unchanged,
    all_rules,
    native_scaling,
    rewrite_sources,
    select_rules,
)
from porter.rewrite_rules.cases import frame
from porter.toolchain import KernelSource
from tests.porter.rewrite_rules.kernels import compiled

PATH = "kernels/case.py"
SECTIONS = ("What:", "Why:", "Example:", "Numeric effect:", "Source:")


def cases(kind):
    return [
        pytest.param(rule, case, id=f"{rule.ID}-{case.name}") for rule in all_rules() for case in getattr(rule, kind)
    ]


def rewrite(rule, case, text):
    chosen = select_rules([rule.ID]) if rule.OPTIONAL else select_rules()
    return rewrite_sources({PATH: text}, rules=chosen, clustered=case.clustered)[PATH]


def plain(text):
    return black.format_str(text, mode=black.Mode(line_length=120))


@pytest.mark.parametrize(("rule", "case"), cases("VALID"))
def test_leaves_alone(rule, case):
    text = frame(case)
    outcome = rewrite(rule, case, text)
    assert isinstance(outcome, Unchanged), outcome
    compiled(KernelSource("case", text), 128, 256)


@pytest.mark.parametrize(("rule", "case"), cases("INVALID"))
def test_rewrites(rule, case):
    text = frame(case)
    outcome = rewrite(rule, case, text)
    assert isinstance(outcome, Rewritten), outcome
    assert rule.ID in outcome.rules
    assert outcome.sites
    assert plain(outcome.text) == plain(frame(case, after=True))
    ast.parse(outcome.text)
    assert isinstance(rewrite(rule, case, outcome.text), Unchanged)
    assert native_scaling(compiled(KernelSource("case", text), 128, 256).isa)
    assert not native_scaling(compiled(KernelSource("case", outcome.text), 128, 256).isa)


@pytest.mark.parametrize(("rule", "case"), cases("REFUSED"))
def test_refuses_with_a_place_and_a_way_out(rule, case):
    outcome = rewrite(rule, case, frame(case))
    assert isinstance(outcome, Refused), outcome
    assert outcome.code == case.refused
    assert outcome.location.path == PATH
    assert outcome.location.line > 0
    assert outcome.why
    assert outcome.hint == HINTS[outcome.code]


@pytest.mark.parametrize("rule", all_rules(), ids=lambda rule: rule.ID)
def test_says_what_why_and_what_it_does_to_the_numbers(rule):
    doc = rule.__doc__ or ""
    places = [doc.find(section) for section in SECTIONS]
    assert -1 not in places, f"{rule.ID} lacks {SECTIONS[places.index(-1)]}"
    assert places == sorted(places)
    assert rule.TITLE


def test_every_rule_file_is_found_and_every_id_is_its_own():
    ids = [rule.ID for rule in all_rules()]
    assert ids == sorted(set(ids))
    assert all(id_.startswith("CKR1") and len(id_) == 6 for id_ in ids)
    files = [path for path in Path(package.__path__[0]).glob("*.py") if "(RewriteRule):" in path.read_text()]
    assert {type(rule).__module__.rpartition(".")[2] for rule in all_rules()} == {path.stem for path in files}
