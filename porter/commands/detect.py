# SPDX-License-Identifier: Apache-2.0
"""`porter detect`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import ARCH, FORMAT, LAYOUT, console, emit, guarded, say

if TYPE_CHECKING:
    from porter.conversion.detect import Detection


#: Characters of a traced name that a table shows; symbols have thousands.
_NAME_CHARS = 120


@click.command()
@click.argument("trace", type=click.Path(path_type=Path, dir_okay=False))
@ARCH
@LAYOUT
@FORMAT
@guarded
def detect(trace: Path, arch: str, layout: str | None, form: str) -> None:
    """Find fp8 block-scale GEMMs in a kernel trace, their share of the time, and what porter can do with them.

    TRACE is a rocprof kernel trace or statistics (CSV), or a Chrome trace of the torch profiler (JSON).
    """
    from porter.conversion.detect import detect as run
    from porter.problem import Family

    result = run(trace, arch=arch, layout=Family(layout) if layout else None)
    if form == "json":
        emit(result.output)
    else:
        show(result)
    sys.exit(result.exit_code)


def show(result: Detection) -> None:
    """`porter detect` as text: the kernels of this operator, the slowest first, and their share of the time."""
    from rich.table import Table

    if result.kernels:
        table = Table()
        for column in ("kernel", "libtype", "family"):
            table.add_column(column, overflow="fold")
        for column in ("calls", "time us", "share"):
            table.add_column(column, justify="right")
        table.add_column("what porter can do", overflow="fold")
        for kernel in result.kernels:
            name = kernel.kernel
            code = f" [{kernel.code}]" if kernel.code else ""
            table.add_row(
                name if len(name) <= _NAME_CHARS else f"{name[:_NAME_CHARS]}...",
                kernel.libtype,
                kernel.family.value if kernel.family else "not told",
                str(kernel.calls),
                f"{kernel.total_us:.1f}",
                f"{kernel.share:.1%}",
                f"{kernel.action}: {kernel.text}{code}",
            )
        console().print(table)
    for code, message, where in result.trace.bad:
        say(f"bad: {where}: {message} [{code}]")
    say(
        f"porter detect: {len(result.kernels)} of {len(result.trace.kernels)} kernels are fp8 block-scale GEMMs: "
        f"{result.share:.1%} of {result.total_us:.1f} us"
    )
