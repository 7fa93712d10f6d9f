# SPDX-License-Identifier: Apache-2.0
"""`porter waits`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import FORMAT, SHAPE_OF_B, emit, guarded, manifest_option, say

if TYPE_CHECKING:
    from porter.problem import ShapePattern
    from porter.proof.waits import CheckedCode


@click.command()
@click.argument("kernel")
@manifest_option("Where a kernel name is looked up.")
@click.option("--shape", type=SHAPE_OF_B, metavar="-xNxK", help="B to compile for; default: one tile, six K blocks.")
@FORMAT
@guarded
def waits(kernel: str, manifest: Path, shape: ShapePattern | None, form: str) -> None:
    """Check KERNEL's waits and barriers on every path of its machine code, without running it.

    KERNEL is a module, a name in the manifest, a file of ISA text (.s) or a code object (.co, .hsaco, .o). Exit code 1
    if a load, LDS DMA or LDS access is used before a wait or barrier covers it; what cannot be decided is listed.
    """
    from porter.proof.waits import check_waits

    result = check_waits(kernel, manifest, shape.nk if shape else None)
    if form == "json":
        emit(result.output)
    else:
        show(result)
    sys.exit(result.exit_code)


def show(result: CheckedCode) -> None:
    """`porter waits` as text: a line for each finding and each place that is not decided, and one sentence."""
    report = result.report
    for line in (*report.findings, *report.undecided):
        say(str(line))
    shape = f" at N x K = {result.n} x {result.k}" if result.n else ""
    counts = f"{len(report.findings)} findings, {len(report.undecided)} places undecided"
    state = "every use is covered on every path" if report.clean and not report.findings else counts
    say(f"porter waits: {result.name}{shape}: {state}, {1000 * report.seconds:.0f} ms")
