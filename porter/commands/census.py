# SPDX-License-Identifier: Apache-2.0
"""`porter census`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.ck import ck_option
from porter.commands.common import FORMAT, SHAPE_OF_B, console, emit, guarded, manifest_option, progress, say
from porter.errors import ExitCode
from porter.problem import WAVE_SIZE

if TYPE_CHECKING:
    from porter.census import CensusAgainstOutput, CensusOutput, CountedKernel
    from porter.problem import ShapePattern

#: Kernels in one table, letters of a cell and of a row's name: so it fits 100 columns, and 80 with one kernel less.
COLUMNS, CELL, LABEL = 4, 14, 25

_LIMITS = {"waves": "SIMD", "vgprs": "VGPRs", "lds": "LDS"}
#: Rows of a table. Of the loop's counts only those that some kernel has, but for the first three.
_RESOURCES: dict[str, Callable[[CountedKernel], object]] = {
    "chip": lambda kernel: kernel.arch,
    "tile": lambda kernel: "x".join(map(str, kernel.tile)) if kernel.tile else "not said",
    "MFMA": lambda kernel: ", ".join(kernel.mfma) or "none",
    "VGPRs, arch + acc": lambda kernel: f"{kernel.resources.vgprs - kernel.resources.agprs} + {kernel.resources.agprs}",
    "SGPRs": lambda kernel: kernel.resources.sgprs,
    "spilled VGPRs, SGPRs": lambda kernel: f"{kernel.resources.vgpr_spills}, {kernel.resources.sgpr_spills}",
    "scratch bytes of a lane": lambda kernel: kernel.resources.scratch_bytes,
    "LDS bytes": lambda kernel: kernel.resources.lds_bytes,
    "threads": lambda kernel: kernel.resources.threads,
    "waves per SIMD, limit": lambda kernel: (
        f"{kernel.resources.waves_per_simd}, {', '.join(_LIMITS[limit] for limit in kernel.limits)}"
    ),
    "hot loop": lambda kernel: kernel.loop.taken.partition(":")[0] if kernel.loop.branches_back else "none: all",
    "K blocks a trip": lambda kernel: kernel.loop.blocks or ("not known" if kernel.loop.branches_back else ""),
}
_COUNTS: dict[str, Callable[[CountedKernel], int]] = {
    "instructions": lambda kernel: kernel.loop.instructions,
    "MFMA": lambda kernel: kernel.loop.mfma,
    "VALU": lambda kernel: kernel.loop.valu_total,
    "  mul, fma": lambda kernel: kernel.loop.valu["mul"] + kernel.loop.valu["fma"],
    "  packed mul, fma": lambda kernel: kernel.loop.valu["pk_mul"] + kernel.loop.valu["pk_fma"],
    "  AGPR moves": lambda kernel: kernel.loop.agpr_moves,
    "LDS reads": lambda kernel: kernel.loop.lds_reads,
    "LDS writes": lambda kernel: kernel.loop.lds_writes,
    "LDS DMA": lambda kernel: kernel.loop.lds_dma,
    "global loads": lambda kernel: kernel.loop.global_loads,
    "global stores": lambda kernel: kernel.loop.global_stores,
    "scalar loads": lambda kernel: kernel.loop.scalar_loads,
    "scratch": lambda kernel: kernel.loop.scratch,
    "waits": lambda kernel: sum(kernel.loop.waits.values()),
    "barriers": lambda kernel: kernel.loop.barriers,
    "nop wait states": lambda kernel: kernel.loop.nop_wait_states,
    "native scales": lambda kernel: kernel.loop.native_scales,
}


@click.command()
@click.argument("kernels", nargs=-1)
@manifest_option("Where a kernel name is looked up; with --against and without KERNEL, everything in it is counted.")
@click.option("--shape", type=SHAPE_OF_B, metavar="-xNxK", help="B to compile for; default: two tiles, 32 K blocks.")
@click.option("--against", type=click.Choice(["ck"]), help="Show CK's own kernels, built by clang, beside each.")
@ck_option
@FORMAT
@guarded
def census(
    kernels: tuple[str, ...],
    manifest: Path,
    shape: ShapePattern | None,
    against: str | None,
    ck_source: str | None,
    form: str,
) -> None:
    """Count what stands in the hot loop of KERNEL, and the resources that it takes.

    KERNEL is a module, a name in the manifest, a file of ISA text (.s) or a code object (.co, .hsaco or any ELF file),
    CK's, an assembler's or any other's. With --against ck modules and names stand beside the CK instance that their row
    names, and beside one that rounds alike.
    """
    nk = shape.nk if shape else None
    if against:
        sys.exit(_against(kernels, manifest, nk, ck_source, form))
    if not kernels:
        raise click.UsageError("Missing argument 'KERNELS...': a module, a name, ISA text or a code object.")
    from porter.proof.census import count

    found, errors = count(kernels, manifest, nk)
    if form == "json" and found.kernels:
        emit(found)
    else:
        show(found)
    for error in errors:
        click.echo(f"porter: error: {error}", err=True)
    sys.exit(ExitCode.BAD_INPUT if errors else ExitCode.GOOD)


def _against(
    kernels: tuple[str, ...], manifest: Path, nk: tuple[int, int] | None, ck_source: str | None, form: str
) -> ExitCode:
    from porter.ck_objects import tree
    from porter.proof.census import beside_ck
    from porter.toolchain.cache import cache_dir

    with progress("building", form) as step:
        folder = cache_dir() / "ck-objects"
        found = beside_ck(kernels, manifest, tree.find(ck_source), folder, nk, step)
    if form == "json":
        emit(found)
    else:
        show_against(found)
    return ExitCode.FINDINGS if found.errors else ExitCode.GOOD


def show(found: CensusOutput) -> None:
    """`porter census` as text: a table for each file, its kernels side by side; full names stand above."""
    for path, group in groupby(found.kernels, key=lambda kernel: kernel.path):
        kernels = list(group)
        for start in range(0, len(kernels), COLUMNS):
            some = kernels[start : start + COLUMNS]
            if all(kernel.k_tiles for kernel in some):
                say(path)
                columns = {f"K tiles\n{kernel.k_tiles}": kernel for kernel in some}
            else:
                columns = {str(number): kernel for number, kernel in enumerate(some, start + 1)}
                for number, kernel in columns.items():
                    say(f"{number}: {_readable(kernel.name)}")
            _table(columns)


def show_against(found: CensusAgainstOutput) -> None:
    """`porter census --against ck` as text: a table for each kernel of ours, CK's beside it."""
    for pair in found.pairs:
        for side in pair.sides:
            tiles = f", for K tiles {side.kernel.k_tiles}" if side.kernel.k_tiles else ""
            say(f"{side.side}: {side.instance}{tiles}")
        _table({side.side: side.kernel for side in pair.sides}, f"N x K = {pair.n} x {pair.k}")
    for note in found.notes:
        say(f"note: {note}")
    for error in found.errors:
        say(f"failed: {error}")


def _readable(name: str) -> str:
    from porter.ck_parser.symbols.itanium import demangle

    return demangle(name) or name


def _table(columns: Mapping[str, CountedKernel], title: str = "") -> None:
    """Kernels side by side: what each takes, and the counts of its loop for one K block, with those of a trip."""
    from rich.table import Table

    table = Table(title=title or None, title_justify="left")
    table.add_column("a K block of 128 (a trip)", overflow="fold", max_width=LABEL)
    for name in columns:
        table.add_column(name, justify="right", overflow="fold", max_width=CELL)
    kernels = list(columns.values())
    for label, resource in _RESOURCES.items():
        table.add_row(label, *(str(resource(kernel)) for kernel in kernels))
    table.add_section()
    for cells in _counted(kernels):
        table.add_row(*cells)
    console().print(table)
    for name, kernel in columns.items():
        if kernel.other_loops:
            say(f"note: {name}: loops with MFMAs that were not counted: {', '.join(kernel.other_loops)}")


def _counted(kernels: Sequence[CountedKernel]) -> Iterator[list[str]]:
    for number, (label, count) in enumerate(_COUNTS.items()):
        if number < 3 or any(map(count, kernels)):
            yield [label, *(_scaled(count(kernel), kernel) for kernel in kernels)]
    for form in sorted({form for kernel in kernels for form in kernel.loop.packed}):
        short = form.removeprefix("v_").replace("_f32", "", 1)
        yield [short, *(_scaled(kernel.loop.packed.get(form, 0), kernel) for kernel in kernels)]
    yield from _requests(kernels)
    yield ["VALU per MFMA", *(f"{kernel.loop.valu_per_mfma:g}" for kernel in kernels)]
    for label in ("instructions", "VALU"):
        cells = [_of_outputs(_COUNTS[label](kernel), kernel) for kernel in kernels]
        if any(cells):
            yield [f"{label}, 64x64 of C", *cells]
    for counter in sorted({wait.partition("(")[0] for kernel in kernels for wait in kernel.loop.waits}):
        yield [f"{counter} left, a trip", *(_left(counter, kernel.loop.waits) for kernel in kernels)]


def _requests(kernels: Sequence[CountedKernel]) -> Iterator[list[str]]:
    """Vector memory requests, where some kernel was run."""
    found = [kernel.requests or None for kernel in kernels]
    if not any(found):
        return
    yield ["requests, a K tile", *(f"{item.per_k_tile:g}" if item else "" for item in found)]
    for name in sorted({name for item in found if item for name in item.operands}):
        yield [f"  {name}", *(f"{item.operands.get(name, 0):g}" if item else "" for item in found)]
    yield ["requests, an output", *(f"{item.per_output:g}" if item else "" for item in found)]
    outside = [f"{sum(item.outside.values()):g}" if item else "" for item in found]
    yield ["requests outside the loop", *outside]


def _scaled(count: int, kernel: CountedKernel) -> str:
    """For one K block, with the count of a trip in brackets where that is another; of all where there is no loop."""
    blocks = kernel.loop.blocks
    if blocks == 1 or not count or not kernel.loop.branches_back:
        return str(count)
    return f"{count / blocks:.4g} ({count})" if blocks else f"({count})"


def _of_outputs(count: int, kernel: CountedKernel) -> str:
    """For one K block of 64x64 elements of C, which compares tiles; empty where the kernel's tile is not known."""
    if not (kernel.loop.blocks and kernel.tile):
        return ""
    outputs = kernel.tile[0] * kernel.tile[1] / (kernel.resources.threads // WAVE_SIZE)
    return f"{count / kernel.loop.blocks * 64 * 64 / outputs:.4g}"


def _left(counter: str, waits: Mapping[str, int]) -> str:
    """How many may be left when the waits for a counter end, and how often it is so."""
    named = {wait.rstrip(")").partition("("): number for wait, number in waits.items()}
    found = sorted((int(left), number) for (name, _, left), number in named.items() if name == counter)
    return ", ".join(f"{left} x{number}" if number > 1 else str(left) for left, number in found)
