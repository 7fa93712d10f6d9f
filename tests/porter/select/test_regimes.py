# SPDX-License-Identifier: Apache-2.0
"""Regimes: the tuned shapes, the boundary of every rule, and what the decision may not depend on."""

import dataclasses
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porter.problem import TARGETS, Family, GemmShape
from porter.runtime._regimes import RULES, Regime, RegimeRule
from porter.select.regimes import classify

GFX950 = TARGETS["gfx950"]
sizes = st.integers(1, 1 << 22)
shapes = st.builds(GemmShape, sizes, sizes, sizes)
targets = st.sampled_from(list(TARGETS.values()))


def regime(m: int, n: int, k: int, arch: str = "gfx950") -> Regime:
    return classify(GemmShape(m, n, k), TARGETS[arch]).regime


@pytest.mark.parametrize(
    "shape, wanted",
    [
        ((4096, 65536, 1536), Regime.WIDE_N),
        ((16384, 65536, 1536), Regime.WIDE_N),
        ((16384, 7168, 768), Regime.K_LIGHT),
        ((4096, 2048, 7168), Regime.NARROW_N_DEEP_K),
        ((16384, 1536, 7168), Regime.NARROW_N_DEEP_K),
        ((1, 7168, 2304), Regime.DECODE),
        ((64, 65536, 1536), Regime.DECODE),
        ((8192, 7168, 2304), Regime.GENERAL),
        ((256, 4096, 4096), Regime.GENERAL),
    ],
)
def test_published_shapes(shape: tuple[int, int, int], wanted: Regime) -> None:
    assert regime(*shape) is wanted


@pytest.mark.parametrize(
    "inside, outside, rule",
    [
        ((64, 512, 1024), (65, 512, 1024), Regime.DECODE),
        # N
        ((16384, 4096, 8192), (16384, 4095, 8192), Regime.WIDE_N),
        # B per die: 2 MiB of 16384 x K / 8 is K = 1024
        ((4096, 16384, 1025), (4096, 16384, 1024), Regime.WIDE_N),
        # 64x256 tiles: 64 columns of tiles, 512 slots
        ((64 * 8 + 1, 16384, 4096), (64 * 8, 16384, 4096), Regime.WIDE_N),
        # K tiles of 128
        ((16384, 7168, 1024), (16384, 7168, 1025), Regime.K_LIGHT),
        # 64x256 tiles: 2048 of them
        ((64 * 64, 32 * 256, 768), (64 * 64, 31 * 256, 768), Regime.K_LIGHT),
        # N
        ((16384, 2048, 7168), (16384, 2049, 7168), Regime.NARROW_N_DEEP_K),
        # K tiles of 128
        ((4096, 2048, 31 * 128 + 1), (4096, 2048, 31 * 128), Regime.NARROW_N_DEEP_K),
        # C: 64 MiB of 2-byte elements at N = 2048 is M = 16384
        ((16384, 2048, 7168), (16385, 2048, 7168), Regime.NARROW_N_DEEP_K),
        # 128x256 tiles: 256 of them
        ((4096, 2048, 7168), (3968, 2048, 7168), Regime.NARROW_N_DEEP_K),
    ],
)
def test_every_piece_has_its_boundary(
    inside: tuple[int, int, int], outside: tuple[int, int, int], rule: Regime
) -> None:
    assert regime(*inside) is rule
    assert regime(*outside) is not rule


def test_the_chip_counts() -> None:
    """256 tiles are one for every CU of MI355X, not of MI300X with its 304."""
    assert regime(4096, 2048, 7168, "gfx950") is Regime.NARROW_N_DEEP_K
    assert regime(4096, 2048, 7168, "gfx942") is Regime.GENERAL


@given(shapes, targets, st.sampled_from(Family))
def test_every_shape_has_a_regime_and_every_rule_a_verdict(shape: GemmShape, target: object, family: Family) -> None:
    decision = classify(shape, target)
    assert [verdict.rule for verdict in decision.verdicts] == list(RULES)
    first = next(verdict for verdict in decision.verdicts if verdict.holds)
    assert first.rule.regime is decision.regime
    assert decision == classify(shape, target)
    for verdict in decision.verdicts:
        answers = [part.rpartition(": ")[2] for part in verdict.text.split("; ")]
        if verdict.rule.pieces:
            assert set(answers) <= {"yes", "no"} and verdict.holds == ("no" not in answers)


@given(shapes)
def test_decision_does_not_depend_on_the_name_of_anything(shape: GemmShape) -> None:
    renamed = dataclasses.replace(GFX950, arch="other")
    assert classify(shape, renamed).regime is classify(shape, GFX950).regime


def test_verdicts_carry_their_numbers() -> None:
    verdicts = classify(GemmShape(4096, 65536, 1536), GFX950).verdicts
    assert {verdict.rule.regime: verdict.text for verdict in verdicts} == {
        Regime.DECODE: "M 4096 <= 64: no",
        Regime.WIDE_N: "N 65536 >= 4096: yes; B per die 12 MiB > 2 MiB: yes; 64x256 tiles 16384 > 512: yes",
        Regime.K_LIGHT: "K tiles 12 <= 8: no; 64x256 tiles 16384 >= 2048: yes",
        Regime.NARROW_N_DEEP_K: "N 65536 <= 2048: no; K tiles 12 >= 32: no; C 512 MiB <= 64 MiB: no; "
        "128x256 tiles 8192 >= 256: yes",
        Regime.GENERAL: "applies where no rule above holds",
    }


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.regime.value)
def test_every_rule_says_why_and_where_from(rule: RegimeRule) -> None:
    assert rule.reason and rule.source and all(piece.source for piece in rule.pieces)
    assert rule.extrapolated == any(piece.ours for piece in rule.pieces)


def test_every_regime_has_one_rule_and_the_last_takes_everything() -> None:
    assert {rule.regime for rule in RULES} == set(Regime) and len(RULES) == len(Regime)
    assert RULES[-1].regime is Regime.GENERAL and not RULES[-1].pieces


def test_choosing_imports_neither_torch_nor_numpy() -> None:
    code = (
        "import sys, porter.select.recipes, porter.select.legality; sys.exit(bool({'torch', 'numpy'} & {*sys.modules}))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
