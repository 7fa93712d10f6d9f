# SPDX-License-Identifier: Apache-2.0
"""What every rule of `porter.runtime._regimes` says of a shape, in words: for people who ask why."""

from __future__ import annotations

from dataclasses import dataclass

from porter.problem import GemmShape, Target
from porter.records import Record, made
from porter.runtime._regimes import RULES, Regime, RegimeRule, Situation


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one rule says of one shape."""

    rule: RegimeRule
    holds: bool
    situation: Situation

    @property
    def text(self) -> str:
        """Every comparison of the rule with its numbers."""
        sentences = [piece.sentence(self.situation) for piece in self.rule.pieces]
        return "; ".join(sentences) or "applies where no rule above holds"


class VerdictOutput(Record, frozen=True):
    """What one rule says of one shape. extrapolated: some limit of the rule is ours, not published."""

    rule: Regime
    holds: bool
    text: str
    reason: str
    sources: tuple[str, ...]
    extrapolated: bool

    @classmethod
    def of(cls, verdict: Verdict) -> VerdictOutput:
        rule = verdict.rule
        sources = (rule.source, *(piece.source for piece in rule.pieces))
        return made(cls, verdict, rule, rule=rule.regime, sources=sources)


@dataclass(frozen=True, slots=True)
class RegimeDecision:
    """The regime of a shape, and the verdict of every rule in the order of the table."""

    regime: Regime
    verdicts: tuple[Verdict, ...]


def situation(shape: GemmShape, target: Target) -> Situation:
    """A shape on a chip, as rules look at it."""
    return Situation(shape.m, shape.n, shape.k, target.cus, target.xcds)


def classify(shape: GemmShape, target: Target) -> RegimeDecision:
    """The regime of a shape with positive sizes, with the verdict of every rule."""
    seen = situation(shape, target)
    verdicts = tuple(Verdict(rule, rule.holds(seen), seen) for rule in RULES)
    regime = next(verdict.rule.regime for verdict in verdicts if verdict.holds)
    return RegimeDecision(regime, verdicts)
