# SPDX-License-Identifier: Apache-2.0
"""`porter explain`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from porter.commands.common import FORMAT, WHOLE_SHAPE, emit, guarded, say
from porter.errors import ExitCode

if TYPE_CHECKING:
    from porter.problem import ShapePattern
    from porter.select.legality import Reason
    from porter.select.recipes import Recipe


@click.command()
@click.argument("wanted", metavar="MxNxK", type=WHOLE_SHAPE)
@click.option("--arch", type=click.Choice(["gfx950", "gfx942"]), default="gfx950", show_default=True)
@click.option("--layout", type=click.Choice(["plain", "bpreshuffle"]), default="bpreshuffle", show_default=True)
@FORMAT
@guarded
def explain(wanted: ShapePattern, arch: str, layout: str, form: str) -> None:
    """Say which regime and recipe the shape MxNxK gets, and why. Exit code 1 where that kernel cannot serve it."""
    from porter.problem import TARGETS, Family
    from porter.select import recipes
    from porter.select.legality import legality

    shape, target = wanted.shape, TARGETS[arch]
    recipe = recipes.choose(shape, target, Family(layout))
    refused = legality(recipe.spec, shape, target)
    if form == "json":
        emit(recipe.output(refused))
    else:
        show(recipe, refused)
    sys.exit(ExitCode.FINDINGS if refused else ExitCode.GOOD)


def show(choice: Recipe, refused: Sequence[Reason]) -> None:
    """`porter explain` as text; refused: why the recipe's kernel cannot serve the shape."""
    say(f"regime       {choice.regime.value}")
    for reason in refused:
        hint = f"\n{'':12} hint: {reason.hint}" if reason.hint else ""
        say(f"{'REFUSED':12} {reason.text} [{reason.code}]{hint}")
    for index, candidate in enumerate(choice.candidates):
        head = ("recipe", "alternatives")[index] if index < 2 else ""
        say(f"{head:12} {candidate.spec.name}\n{'':12}   {candidate.why}")
    for note in choice.notes:
        say(f"note         {note}")
    say("reasons")
    for verdict in choice.reasons:
        sources = "; ".join(dict.fromkeys((verdict.rule.source, *(piece.source for piece in verdict.rule.pieces))))
        extrapolated = " (some limits are our extrapolation)" if verdict.rule.extrapolated else ""
        say(f"  {'yes' if verdict.holds else 'no ':3} {verdict.rule.regime.value}: {verdict.text}")
        say(f"      why: {verdict.rule.reason}{extrapolated}\n      sources: {sources}")
