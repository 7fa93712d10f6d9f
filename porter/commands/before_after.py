# SPDX-License-Identifier: Apache-2.0
"""`porter before-after`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import FORMAT, SHAPE, console, emit, guarded, say

if TYPE_CHECKING:
    from porter.problem import ShapePattern
    from porter.proof.before_after import BeforeAfter


@click.command("before-after")
@click.argument("path", metavar="FILE", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--data", "data_sets", multiple=True, help="Only these data sets.  [default: exact, general, cancel]")
@click.option(
    "--shape",
    type=SHAPE,
    default="-x-x-",
    metavar="MxNxK",
    help="Shape; - for the default.  [default: 41x128x1024]",
)
@FORMAT
@guarded
def before_after(path: Path, data_sets: tuple[str, ...], shape: ShapePattern, form: str) -> None:
    """Run a kernel with native E8M0 scaling as it is and as `porter rewrite` leaves it, both against CK's contract.

    Exit code 1 if the rewritten kernel is not right in every bit.
    """
    from porter.proof.before_after import before_after as run

    result = run(path, shape.m, shape.nk, data_sets)
    if form == "json":
        emit(result.output)
    else:
        show(result)
    sys.exit(result.exit_code)


def show(result: BeforeAfter) -> None:
    """`porter before-after` as text: the disease and the cure in one table."""
    from rich.table import Table

    table = Table(title=f"{result.path}, {result.m}x{result.n}x{result.k}", title_justify="left")
    for column in ("kernel", "data set", "elements", "wrong", "max ULP", "first mismatch"):
        table.add_column(column, overflow="fold")
    for row in result.rows:
        for name, comparison in (("before", row.before), ("after", row.after)):
            first = str(comparison.first) if comparison.first else ""
            numbers = (str(comparison.elements), str(comparison.mismatches), str(comparison.max_ulp))
            table.add_row(name, row.data, *numbers, first)
    console().print(table)
    verdict = "every bit as the contract says" if result.cured else "NOT right"
    say(f"porter before-after: the rewritten kernel is {verdict}")
