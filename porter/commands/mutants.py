# SPDX-License-Identifier: Apache-2.0
"""`porter mutants`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import FORMAT, SHAPE, console, emit, guarded, manifest_option, progress, say

if TYPE_CHECKING:
    from porter.problem import ShapePattern
    from porter.proof.mutants import Strength


@click.command()
@click.argument("kernel")
@manifest_option("Where a kernel name is looked up.")
@click.option(
    "--shape",
    type=SHAPE,
    default="-x-x-",
    metavar="MxNxK",
    help="Shape of the runs, - for the default: one tile and a ragged rest, six K blocks.",
)
@click.option("--jobs", type=click.IntRange(min=1), default=2, show_default=True, help="Threads of the machine.")
@FORMAT
@guarded
def mutants(kernel: str, manifest: Path, shape: ShapePattern, jobs: int, form: str) -> None:
    """Break KERNEL's machine code in every small way, and say what sees each break.

    Waits and barriers are deleted, weakened or swapped, LDS DMAs, MFMAs and launches left out, MFMA factors swapped,
    LDS offsets shifted.
    Exit code 1 if a mutant is neither killed nor equivalent.
    """
    from porter.proof.mutants import strength

    with progress("mutants", form) as step:
        result = strength(kernel, manifest, shape.m, shape.nk, jobs, lambda _: step(""))
    if form == "json":
        emit(result.output)
    else:
        show(result)
    sys.exit(result.exit_code)


def show(result: Strength) -> None:
    """`porter mutants` as text: a row for each class, then every mutant that was not killed."""
    from rich.table import Table

    data = result.output
    table = Table(title=f"{result.name}, {result.m}x{result.n}x{result.k}", title_justify="left")
    for column in ("class", "mutants", "killed", "equivalent", "open", "killed by"):
        table.add_column(column, overflow="fold")
    for kind, counts in data.classes.items():
        by = ", ".join(f"{name} {count}" for name, count in counts.by.items())
        table.add_row(kind, *map(str, (counts.total, counts.killed, counts.equivalent, counts.open)), by)
    console().print(table)
    for item in data.survivors:
        say(f"{item.verdict}: line {item.line}: {item.was} -> {item.now}: {item.reason or 'not seen'}")
    say(f"porter mutants: {len(result.judgements)} mutants, {len(result.open)} open")
