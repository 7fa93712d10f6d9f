# SPDX-License-Identifier: Apache-2.0
"""`porter census`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import FORMAT, SHAPE_OF_B, console, emit, guarded, manifest_option
from porter.errors import InputError

if TYPE_CHECKING:
    from porter.census import KernelCensus
    from porter.problem import ShapePattern


@click.command()
@click.argument("kernel")
@manifest_option("Where a kernel name is looked up.")
@click.option("--shape", type=SHAPE_OF_B, metavar="-xNxK", help="B to compile for; default: two tiles, 32 K blocks.")
@FORMAT
@guarded
def census(kernel: str, manifest: Path, shape: ShapePattern | None, form: str) -> None:
    """Count what stands in the hot loop of KERNEL, and the resources that it takes.

    KERNEL is a module, a name in the manifest, or a file of ISA text (.s).
    """
    from porter.census import CensusOutput
    from porter.kernel_spec import KernelSpec
    from porter.measure import census as counting
    from porter.proof.kernels import resolve
    from porter.toolchain import CompileRequest, KernelSource, compile_kernel

    if kernel.endswith(".s"):
        found = counting.take(_read(Path(kernel)), kernel)
    else:
        path = resolve(kernel, manifest)
        spec = KernelSpec.of_kernel_or_twin(path.stem)
        n, k = shape.nk if shape and shape.nk else counting.reference_nk(spec)
        compiled = compile_kernel(CompileRequest(KernelSource.from_file(path), n, k, spec.arch))
        found = counting.take(compiled.isa, spec.name, spec)
    if form == "json":
        emit(CensusOutput(found))
    else:
        show(found)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("CKT020", f"{path}: cannot be read as text: {error}") from error


def show(kernels: Sequence[KernelCensus]) -> None:
    """`porter census` as text: a table for each kernel of the text."""
    from rich.table import Table

    from porter.records import plain

    for kernel in kernels:
        data = plain(kernel)
        table = Table(title=kernel.name, title_justify="left")
        table.add_column("what")
        table.add_column("count", overflow="fold")
        for name, value in data["resources"].items():
            table.add_row(name.replace("_", " "), str(value))
        table.add_section()
        for name, value in data["loop"].items():
            shown = ", ".join(f"{key} {number}" for key, number in value.items()) if isinstance(value, dict) else value
            table.add_row(name.replace("_", " "), str(shown))
        console().print(table)
