# SPDX-License-Identifier: Apache-2.0
"""`porter inspect`."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from porter.commands.common import ARCH, FORMAT, LAYOUT, WHOLE_SHAPE, console, emit, guarded, progress, say, unsupported

if TYPE_CHECKING:
    from porter.conversion.inspect import Inspection
    from porter.measure.candidates import Candidates
    from porter.problem import ShapePattern


@click.command()
@click.argument("inputs", nargs=-1, type=click.Path(path_type=Path))
@ARCH
@LAYOUT
@click.option(
    "--candidates",
    "shape",
    type=WHOLE_SHAPE,
    metavar="MxNxK",
    help="Show every kernel worth a look for this shape instead, compiled, with its verdict.",
)
@click.option(
    "--shapes", type=click.Path(path_type=Path, dir_okay=False), help="Table with M, N, K for instances without one."
)
@click.option(
    "--instances",
    "lists",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Instance list or source to hold kernelIds against; may be repeated.",
)
@click.option("--verbose", "-v", is_flag=True, help="Show CK's own parameters, notes and every place.")
@FORMAT
@guarded
def inspect(
    inputs: tuple[Path, ...],
    arch: str,
    layout: str | None,
    shape: ShapePattern | None,
    shapes: Path | None,
    lists: tuple[Path, ...],
    verbose: bool,
    form: str,
) -> None:
    """Show the CK instances of files, folders or kernel names, and what convert would do with each.

    INPUTS are tuned or untuned CSVs, instance tables, aiter's Python sources, CK's C++, kernel traces, folders of
    these, or kernel names.
    """
    if shape is not None:
        if inputs:
            raise click.UsageError("--candidates takes a shape and no INPUTS")
        _candidates(shape, arch, layout, form)
    if not inputs:
        raise click.UsageError("Missing argument 'INPUTS...', or --candidates MxNxK")
    from porter.conversion.convert import Options
    from porter.conversion.inspect import inspect as run
    from porter.problem import Family

    options = Options(arch=arch, layout=Family(layout) if layout else None, instances=lists, shapes=shapes)
    result = run(inputs, options)
    if form == "json":
        emit(result.output)
    else:
        show(result, verbose)
    sys.exit(result.exit_code)


def _candidates(shape: ShapePattern, arch: str, layout: str | None, form: str) -> NoReturn:
    from porter.measure.candidates import judge
    from porter.problem import TARGETS, Family

    if arch not in TARGETS:
        raise click.UsageError(f"--arch {arch}: expected one of {', '.join(TARGETS)}")
    with progress("kernels compiled", form) as step:
        result = judge(shape.shape, TARGETS[arch], Family(layout or "bpreshuffle"), progress=lambda _: step(""))
    if form == "json":
        emit(result.output)
    else:
        show_candidates(result)
    sys.exit(result.exit_code)


def show(result: Inspection, verbose: bool) -> None:
    """`porter inspect` as text: a row for every instance; `verbose` adds CK's own parameters and every place."""
    from rich.table import Table

    from porter.conversion.inspect import summary

    if result.instances:
        table = Table()
        for column in ("instance", "family", "id", "where", "what matters for the port"):
            table.add_column(column, overflow="fold")
        if verbose:
            table.add_column("CK's own", overflow="fold")
        table.add_column("verdict", overflow="fold")
        for item in result.instances:
            number = "" if item.kernel_id is None else str(item.kernel_id)
            rows = f" ({item.rows} rows)" if item.rows else ""
            code = f" [{item.verdict.code}]" if item.verdict.code else ""
            table.add_row(
                item.instance.name,
                item.family.value if item.family else "not told",
                f"{number} {item.arch}".strip(),
                f"{item.where}{rows}",
                summary(item, matter=True),
                *([summary(item, matter=False)] if verbose else []),
                f"{item.verdict.outcome}: {item.verdict.text}{code}",
            )
        console().print(table)
    unsupported(result.other, verbose, most_first=False)
    for other in result.read.others:
        say(f"other operation: {other}")
    for bad in result.read.bad:
        say(f"bad: {bad}")
    for disagreement in result.read.disagreements:
        say(f"note: {disagreement}")
    if verbose:
        for item in result.instances:
            for note in item.notes:
                say(f"note: {item.where}: {note}")
    outcomes = Counter(item.verdict.outcome for item in result.instances)
    counted = ", ".join(f"{count} {outcome}" for outcome, count in sorted(outcomes.items())) or "none"
    where = f"{len(result.instances)} instances in {len(result.read.files)} files"
    say(f"porter inspect: {where}: {counted}; {len(result.read.bad)} bad rows")


def show_candidates(result: Candidates) -> None:
    """`porter inspect --candidates` as text: a row for every kernel, with what it needs and why it is refused."""
    from rich.table import Table

    table = Table(title=f"{result.shape}, regime {result.regime.value}", title_justify="left")
    table.add_column("kernel", overflow="fold")
    table.add_column("from")
    for column in ("VGPRs", "LDS", "WG/CU", "waves/SIMD", "workgroups", "rounds", "VALU/MFMA", "nops"):
        table.add_column(column, justify="right")
    table.add_column("verdict", overflow="fold")
    for item in result.judged:
        numbers = [""] * 4
        loop = ["", ""]
        if item.census is not None:
            needs, hot = item.census.resources, item.census.loop
            numbers = [str(n) for n in (needs.vgprs, needs.lds_bytes, needs.workgroups_per_cu, needs.waves_per_simd)]
            loop = [str(hot.valu_per_mfma), str(hot.nop_wait_states)]
        verdict = "; ".join(map(str, item.reasons)) or f"usable: {item.why}"
        place = f" ({item.entry})" if item.entry else ""
        counts = [str(item.workgroups), f"{item.rounds:g}" if item.rounds else ""]
        table.add_row(item.spec.name, item.origin, *numbers, *counts, *loop, f"{verdict}{place}")
    console().print(table)
    usable = sum(not item.reasons for item in result.judged)
    cus = result.judged[0].cus
    say(f"porter inspect: {len(result.judged)} candidates for {cus} CUs, {usable} usable; nothing was timed")
