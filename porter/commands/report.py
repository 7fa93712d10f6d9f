# SPDX-License-Identifier: Apache-2.0
"""`porter report`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import FORMAT, console, emit, guarded, manifest_option, say

if TYPE_CHECKING:
    from rich.table import Table

    from porter.report.model import Report


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
    from porter.errors import InputError
    from porter.report.collect import collect
    from porter.report.page import render
    from porter.write import output

    inputs = [manifest, *manifest.parent.glob("*.py"), *([results] if results else [])]
    if out.resolve() in {path.resolve() for path in inputs}:
        raise InputError(
            "CKH006", f"{out}: the page would replace what it is made of", hint="name another file with --out"
        )
    collected = collect(manifest, results, compiling=not no_compile, timeout=timeout)
    page = render(collected)
    output.replace_file(out, page)
    if form == "json":
        emit(collected.output(out, len(page.encode())))
    else:
        show(collected, out, len(page.encode()))
    sys.exit(collected.exit_code)


def show(result: Report, out: Path, size: int) -> None:
    """`porter report` as text: kernels against classes of proved shapes, what is missing from the page, where it is."""
    if result.classes:
        console().print(_classes(result))
    for kernel in result.kernels:
        if kernel.code.failed:
            say(f"failed: {kernel.spec.name}: {kernel.code.absent}")
    for name in result.unlisted:
        say(f"note: the results prove {name}, which the manifest does not list")
    say(f"porter report: {result.sentence} Written to {out}, {size / 1e6:.2f} MB")


def _classes(result: Report) -> Table:
    """Shapes MxNxK of every class; where some failed, how many did not."""
    from rich.table import Table

    table = Table("kernel", *(name or "other" for name in result.classes), "runs")
    for kernel in result.kernels:
        cells = []
        for name in result.classes:
            item = kernel.classes.get(name)
            whole = item is not None and item.proved == item.shapes
            cells.append("-" if item is None else str(item.shapes) if whole else f"{item.proved} of {item.shapes}")
        table.add_row(kernel.label, *cells, str(sum(proof.runs for proof in kernel.proofs)))
    return table
