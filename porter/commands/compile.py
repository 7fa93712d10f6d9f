# SPDX-License-Identifier: Apache-2.0
"""`porter compile`."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import FORMAT, SHAPE_OF_B, emit, guarded, manifest_option, say

if TYPE_CHECKING:
    from porter.export.aot import Saved
    from porter.problem import ShapePattern


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
    "--shape",
    "shapes",
    type=SHAPE_OF_B,
    multiple=True,
    metavar="-xNxK",
    help="B to compile for; default: those that the manifest lists.",
)
@click.option("--jobs", type=click.IntRange(min=1), help="Compiling processes.")
@click.option("--timeout", type=float, default=180.0, show_default=True, help="Seconds a compilation may take.")
@FORMAT
@guarded
def compile_command(
    kernels: tuple[str, ...],
    manifest: Path,
    folder: Path,
    shapes: tuple[ShapePattern, ...],
    jobs: int | None,
    timeout: float,
    form: str,
) -> None:
    """Compile kernels ahead of time: ISA text and metadata, and with ld.lld code objects and FlyDSL's C export.

    KERNEL is a path to a generated module or a name in the manifest. `porter doctor` says how to get ld.lld.
    """
    from porter.export import aot

    saved = aot.save(folder, aot.requests(kernels, manifest, [shape.nk for shape in shapes if shape.nk]), jobs, timeout)
    if form == "json":
        emit(saved.output)
    else:
        show(saved)
    sys.exit(saved.exit_code)


def show(result: Saved) -> None:
    """A line for each kernel, what was not written and why, and one last sentence."""
    for kernel in result.kernels:
        place = f"{kernel.name} N={kernel.n} K={kernel.k}"
        if kernel.error:
            say(f"FAILED {place}: {kernel.error}")
        else:
            say(f"{place}: {' '.join('.' + name.rpartition('.')[2] for name in kernel.files)}")
    for missing, count in Counter(str(item) for kernel in result.kernels for item in kernel.not_written).items():
        say(f"{missing}; {count} of {len(result.kernels)} kernels")
    good = len(result.kernels) - result.failed
    state = f", {result.failed} FAILED" if result.failed else ""
    say(f"porter compile: {good} compiled kernels in {result.folder}{state}")
