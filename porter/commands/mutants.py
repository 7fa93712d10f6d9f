# SPDX-License-Identifier: Apache-2.0
"""`porter mutants`."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import FORMAT, SHAPE, console, guarded, manifest_option, say

if TYPE_CHECKING:
    from oracle.isa_mutants import Judgement
    from porter.problem import ShapePattern
    from porter.proof.mutants import Strength


@click.command()
@click.argument("kernel")
@manifest_option("Where a kernel name is looked up.")
@click.option(
    "--shape",
    type=SHAPE,
    metavar="MxNxK",
    help="Shape of the runs, - for the default: one tile and a ragged rest, six K blocks.",
)
@click.option("--jobs", type=click.IntRange(min=1), default=2, show_default=True, help="Threads of the machine.")
@FORMAT
@guarded
def mutants(kernel: str, manifest: Path, shape: ShapePattern | None, jobs: int, form: str) -> None:
    """Break KERNEL's machine code in every small way, and say what sees each break.

    Waits and barriers are deleted, weakened or swapped, LDS DMAs, MFMAs and launches left out, MFMA factors swapped,
    LDS offsets shifted.
    Exit code 1 if a mutant is neither killed nor equivalent.
    """
    from porter.proof.mutants import strength

    m, nk = (shape.m, shape.nk) if shape else (None, None)
    result = strength(kernel, manifest, m, nk, jobs, progress() if form == "text" else None)
    if form == "json":
        click.echo(json.dumps(result.to_json(), indent=2))
    else:
        show(result)
    sys.exit(result.exit_code)


def progress() -> Callable[[Judgement], None]:
    """A line every hundred mutants."""
    done = 0

    def show(_: Judgement) -> None:
        nonlocal done
        done += 1
        if done % 100 == 0:
            say(f"{done} mutants judged")

    return show


def show(result: Strength) -> None:
    """`porter mutants` as text: a row for each class, then every mutant that was not killed."""
    from rich.table import Table

    data = result.to_json()
    table = Table(title=f"{result.name}, {result.m}x{result.n}x{result.k}", title_justify="left")
    for column in ("class", "mutants", "killed", "equivalent", "open", "killed by"):
        table.add_column(column, overflow="fold")
    for kind, counts in data["classes"].items():
        by = ", ".join(f"{name} {count}" for name, count in counts["by"].items())
        table.add_row(kind, *(str(counts[key]) for key in ("total", "killed", "equivalent", "open")), by)
    console().print(table)
    for item in data["survivors"]:
        say(f"{item['verdict']}: line {item['line']}: {item['was']} -> {item['now']}: {item['reason'] or 'not seen'}")
    say(f"porter mutants: {len(result.judgements)} mutants, {len(result.open)} open")
