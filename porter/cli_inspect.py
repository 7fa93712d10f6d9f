# SPDX-License-Identifier: Apache-2.0
"""`porter inspect` and `porter detect`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import NoReturn

import click

from porter.cli_common import FORMAT, guarded

_ARCH = click.option("--arch", default="gfx950", show_default=True, help="Chip of instances that name none.")
_LAYOUT = click.option(
    "--layout", type=click.Choice(["plain", "bpreshuffle"]), help="Family of kernels that nothing else tells."
)


@click.command()
@click.argument("inputs", nargs=-1, type=click.Path(path_type=Path))
@_ARCH
@_LAYOUT
@click.option(
    "--candidates",
    "shape",
    type=(click.IntRange(min=1), click.IntRange(min=1), click.IntRange(min=1)),
    metavar="M N K",
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
    shape: tuple[int, int, int] | None,
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
        raise click.UsageError("Missing argument 'INPUTS...', or --candidates M N K")
    from porter import display_inspect
    from porter.convert import Options
    from porter.inspect_instances import inspect as run
    from porter.problem import Family

    options = Options(arch=arch, layout=Family(layout) if layout else None, instances=lists, shapes=shapes)
    result = run(inputs, options)
    if form == "json":
        click.echo(json.dumps(result.to_json(), indent=2))
    else:
        display_inspect.inspection(result, verbose)
    sys.exit(result.exit_code)


def _candidates(shape: tuple[int, int, int], arch: str, layout: str | None, form: str) -> NoReturn:
    from porter import display_inspect
    from porter.candidates import judge
    from porter.problem import TARGETS, Family, GemmShape

    if arch not in TARGETS:
        raise click.UsageError(f"--arch {arch}: expected one of {', '.join(TARGETS)}")
    result = judge(GemmShape(*shape), TARGETS[arch], Family(layout or "bpreshuffle"))
    if form == "json":
        click.echo(json.dumps(result.to_json(), indent=2))
    else:
        display_inspect.candidates(result)
    sys.exit(result.exit_code)


@click.command()
@click.argument("trace", type=click.Path(path_type=Path, dir_okay=False))
@_ARCH
@_LAYOUT
@FORMAT
@guarded
def detect(trace: Path, arch: str, layout: str | None, form: str) -> None:
    """Find fp8 block-scale GEMMs in a kernel trace, their share of the time, and what porter can do with them.

    TRACE is a rocprof kernel trace or statistics (CSV), or a Chrome trace of the torch profiler (JSON).
    """
    from porter import display_inspect
    from porter.detect import detect as run
    from porter.problem import Family

    result = run(trace, arch=arch, layout=Family(layout) if layout else None)
    if form == "json":
        click.echo(json.dumps(result.to_json(), indent=2))
    else:
        display_inspect.detection(result)
    sys.exit(result.exit_code)
