# SPDX-License-Identifier: Apache-2.0
"""`porter report`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from porter.cli_common import FORMAT, guarded, manifest_option


@click.command()
@manifest_option("The kernels to report on.")
@click.option(
    "--results",
    type=click.Path(path_type=Path, dir_okay=False),
    help="What `porter verify --format json` wrote; without it no kernel counts as proved.",
)
@click.option("--out", type=click.Path(path_type=Path, dir_okay=False), default="report.html", show_default=True)
@click.option("--no-compile", is_flag=True, help="Do without flydsl: no code of the loops, the manifest's census.")
@click.option("--timeout", type=float, default=180.0, show_default=True, help="Seconds a compilation may take.")
@FORMAT
@guarded
def report(manifest: Path, results: Path | None, out: Path, no_compile: bool, timeout: float, form: str) -> None:
    """Write one self-contained HTML page about the kernels of a manifest.

    Each with its origin, its recipe and the reasons, resources, hot loop, and proof. Exit code 1 if a kernel does not
    compile; the page is written all the same.
    """
    from porter import display_report, output
    from porter.errors import InputError
    from porter.report.collect import collect
    from porter.report.page import render

    inputs = [manifest, *manifest.parent.glob("*.py"), *([results] if results else [])]
    if out.resolve() in {path.resolve() for path in inputs}:
        raise InputError(
            "CKG085", f"{out}: the page would replace what it is made of", hint="name another file with --out"
        )
    collected = collect(manifest, results, compiling=not no_compile, timeout=timeout)
    page = render(collected)
    output.replace_file(out, page)
    if form == "json":
        click.echo(json.dumps({**collected.to_json(), "out": str(out), "bytes": len(page.encode())}, indent=2))
    else:
        display_report.report(collected, out, len(page.encode()))
    sys.exit(collected.exit_code)
