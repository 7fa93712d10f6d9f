# SPDX-License-Identifier: Apache-2.0
"""`porter mutants`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from porter.cli_common import FORMAT, guarded, manifest_option


@click.command()
@click.argument("kernel")
@manifest_option("Where a kernel name is looked up.")
@click.option("--rows", "m", type=click.IntRange(min=1), help="M of the runs; default: one tile and a ragged rest.")
@click.option("--weights", "nk", metavar="NxK", help="Shape of B; default: one tile, six K blocks.")
@click.option("--jobs", type=click.IntRange(min=1), default=2, show_default=True, help="Threads of the machine.")
@FORMAT
@guarded
def mutants(kernel: str, manifest: Path, m: int | None, nk: str | None, jobs: int, form: str) -> None:
    """Break KERNEL's machine code in every small way, and say what sees each break.

    Waits and barriers are deleted, weakened or swapped, LDS DMAs, MFMAs and launches left out, MFMA factors swapped,
    LDS offsets shifted.
    Exit code 1 if a mutant is neither killed nor equivalent.
    """
    from porter import display
    from porter.strength import strength

    result = strength(kernel, manifest, m, nk, jobs, display.mutant_progress() if form == "text" else None)
    if form == "json":
        click.echo(json.dumps(result.to_json(), indent=2))
    else:
        display.strength(result)
    sys.exit(result.exit_code)
