# SPDX-License-Identifier: Apache-2.0
"""`porter convert`."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import FORMAT, PLACES, console, emit, guarded, progress, say, unsupported
from porter.errors import ExitCode, InputError

if TYPE_CHECKING:
    from porter.conversion.convert import Conversion
    from porter.write.output import Drift


@click.command()
@click.argument("inputs", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--arch", default="gfx950", show_default=True, help="Chip of rows that name none.")
@click.option("--layout", type=click.Choice(["plain", "bpreshuffle"]), help="Family of rows that nothing else tells.")
@click.option("--by-shape", is_flag=True, help="Convert rows of other libraries from their shape alone.")
@click.option(
    "--err-ratio",
    type=click.FloatRange(min=0),
    default=0.05,
    show_default=True,
    help="Of rows with one key, those with a larger errRatio lose.",
)
@click.option(
    "--select",
    "patterns",
    multiple=True,
    metavar="GLOB",
    help="Only rows whose MxNxK, instance name or kernel name matches; may be repeated.",
)
@click.option(
    "--instances",
    multiple=True,
    type=click.Path(path_type=Path, dir_okay=False),
    help="Instance list to check kernelIds against; may be repeated.",
)
@click.option(
    "--shapes",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Table with M, N, K for instances without a shape.",
)
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default="generated", show_default=True)
@click.option(
    "--census",
    "count",
    is_flag=True,
    help="Compile every kernel; refuse those that spill; put the census of the others in the manifest.",
)
@click.option("--scalar-promotes", is_flag=True, help="Write kernels without packed fp32; results are the same.")
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if the folder is not what would be written.")
@click.option("--diff", "show_diff", is_flag=True, help="Write nothing; print the difference.")
@click.option("--strict", is_flag=True, help="Exit 1 if any row is unsupported.")
@click.option("--verbose", "-v", is_flag=True, help="List every unsupported row and every note.")
@FORMAT
@guarded
def convert(
    inputs: tuple[Path, ...],
    arch: str,
    layout: str | None,
    by_shape: bool,
    err_ratio: float,
    patterns: tuple[str, ...],
    instances: tuple[Path, ...],
    shapes: Path | None,
    out: Path,
    count: bool,
    scalar_promotes: bool,
    check: bool,
    show_diff: bool,
    strict: bool,
    verbose: bool,
    form: str,
) -> None:
    """Turn CK instances into FlyDSL kernel modules, dispatch and a manifest.

    INPUTS are files or folders: tuned, untuned and instance CSVs, aiter's Python sources, CK's C++ tuples, traces.
    """
    from porter.conversion.convert import Options
    from porter.conversion.convert import convert as run
    from porter.problem import Family
    from porter.write import output

    options = Options(
        arch=arch,
        layout=Family(layout) if layout else None,
        by_shape=by_shape,
        select=patterns,
        instances=instances,
        shapes=shapes,
        census=count,
        err_ratio=err_ratio,
        scalar_promotes=scalar_promotes,
    )
    with progress("kernels compiled", form) as step:
        conversion = run(inputs, options, lambda _: step(""))
    drift = output.compare(out, conversion.files) if check else None
    code = conversion.exit_code(strict)
    if show_diff and form == "text":
        click.echo(output.diff(out, conversion.files), nl=False)
    removed: list[str] = []
    if not (check or show_diff):
        _refuse_to_empty(out, conversion)
        removed = [name for name in output.write(out, conversion.files) if name not in conversion.files]
    elif drift:
        code = max(code, ExitCode.FINDINGS)
    if form == "json":
        emit(conversion.output)
    elif not show_diff:
        show(conversion, out, drift, verbose)
        if removed:
            more = f" and {len(removed) - PLACES} more" if len(removed) > PLACES else ""
            say(f"removed what these inputs do not give: {', '.join(removed[:PLACES])}{more}")
    sys.exit(code)


def _refuse_to_empty(out: Path, conversion: Conversion) -> None:
    """A selection or table that gives no kernel is a mistake where kernels lie: nothing takes their place."""
    from porter import manifest

    path = out / manifest.FILE
    if not conversion.kernels and path.is_file() and (there := manifest.read(path).kernels):
        raise InputError(
            "CKP063",
            f"{out}: {len(there)} kernels are there, and these inputs give none to take their place",
            hint="another --out or --select; instances without a shape convert with --shapes",
        )


def show(result: Conversion, out: Path, drift: Drift | None, verbose: bool) -> None:
    """The account of `porter convert`: kernels, unsupported rows by reason, bad rows all, one last sentence."""
    from rich.table import Table

    rows_of = Counter(item.spec.name for item in result.converted)
    regimes_of: dict[str, set[str]] = {}
    for item in result.converted:
        regimes_of.setdefault(item.spec.name, set()).add(item.recipe.regime.value)
    if result.kernels:
        table = Table(title="kernels", title_justify="left")
        table.add_column("kernel", overflow="fold")
        table.add_column("rows", justify="right")
        table.add_column("regimes")
        for spec in result.kernels:
            table.add_row(spec.name, str(rows_of[spec.name]), ", ".join(sorted(regimes_of[spec.name])))
        console().print(table)
    unsupported(result.unsupported, verbose, most_first=True)
    for other in result.others:
        say(f"other operation: {other}")
    for bad in result.bad:
        say(f"bad: {bad}")
    if result.read.disagreements:
        shown = result.read.disagreements if verbose else result.read.disagreements[:PLACES]
        for disagreement in shown:
            say(f"note: {disagreement}")
        if len(shown) < len(result.read.disagreements):
            say(f"note: {len(result.read.disagreements) - len(shown)} more kernelId disagreements (-v lists them)")
    noted = [item for item in result.converted if item.notes]
    if verbose:
        for item in noted:
            for note in item.notes:
                say(f"note: {item.row.where}: {note}")
    elif noted:
        say(f"{len(noted)} converted rows carry notes (-v lists them)")
    if drift is not None:
        for kind, names in (("missing", drift.missing), ("changed", drift.changed), ("stale", drift.stale)):
            for name in names:
                say(f"drift: {out / name} is {kind}")
    done = "checked, nothing written" if drift is not None else f"written to {out}"
    others = f"+ {result.other} of other operations " if result.others else ""
    drifted = " and out of date" if drift else ""
    say(
        f"porter convert: {result.rows} rows = {len(result.converted)} converted "
        f"+ {len(result.unsupported)} unsupported {others}+ {len(result.bad)} bad; "
        f"{len(result.kernels)} kernels {done}{drifted}"
    )
