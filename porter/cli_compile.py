# SPDX-License-Identifier: Apache-2.0
"""`porter compile`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from porter.cli_common import FORMAT, guarded, manifest_option


@click.command("compile")
@click.argument("kernels", nargs=-1)
@manifest_option("Where kernel names and their shapes are looked up; without KERNEL, everything in it is compiled.")
@click.option(
    "--save",
    "folder",
    required=True,
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder for the files.",
)
@click.option(
    "--weights", "nks", multiple=True, metavar="NxK", help="Shapes of B; default: those that the manifest lists."
)
@click.option("--jobs", type=click.IntRange(min=1), help="Compiling processes.")
@click.option("--timeout", type=float, default=180.0, show_default=True, help="Seconds a compilation may take.")
@FORMAT
@guarded
def compile_command(
    kernels: tuple[str, ...],
    manifest: Path,
    folder: Path,
    nks: tuple[str, ...],
    jobs: int | None,
    timeout: float,
    form: str,
) -> None:
    """Compile kernels ahead of time: ISA text and metadata, and with ld.lld code objects and FlyDSL's C export.

    KERNEL is a path to a generated module or a name in the manifest. `porter doctor` says how to get ld.lld.
    """
    from porter import aot, display_compile

    saved = aot.save(folder, aot.requests(kernels, manifest, nks), jobs, timeout)
    if form == "json":
        click.echo(json.dumps(saved.to_json(), indent=2))
    else:
        display_compile.saved(saved)
    sys.exit(saved.exit_code)
