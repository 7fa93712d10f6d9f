# SPDX-License-Identifier: Apache-2.0
"""`porter waits`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from porter.cli_common import FORMAT, guarded, manifest_option


@click.command()
@click.argument("kernel")
@manifest_option("Where a kernel name is looked up.")
@click.option("--weights", "nk", metavar="NxK", help="Shape of B to compile for; default: one tile, six K blocks.")
@FORMAT
@guarded
def waits(kernel: str, manifest: Path, nk: str | None, form: str) -> None:
    """Check KERNEL's waits and barriers on every path of its machine code, without running it.

    KERNEL is a module, a name in the manifest, a file of ISA text (.s) or a code object (.co, .hsaco, .o). Exit code 1
    if a load, LDS DMA or LDS access is used before a wait or barrier covers it; what cannot be decided is listed.
    """
    from porter import display
    from porter.wait_check import check_waits

    result = check_waits(kernel, manifest, nk)
    if form == "json":
        click.echo(json.dumps(result.to_json(), indent=2))
    else:
        display.waits(result)
    sys.exit(result.exit_code)
