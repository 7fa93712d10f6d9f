# SPDX-License-Identifier: Apache-2.0
"""The `porter` command: arguments in, exit code out. Every decision is made in the rooms below."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import click

from porter import __version__
from porter.cli_census import census
from porter.cli_ci import ci
from porter.cli_common import FORMAT, guarded, manifest_option
from porter.cli_compile import compile_command
from porter.cli_export import export
from porter.cli_inspect import detect, inspect
from porter.cli_mutants import mutants
from porter.cli_report import report
from porter.cli_rewrite import rewrite
from porter.cli_twins import twins
from porter.cli_waits import waits
from porter.errors import ExitCode

if TYPE_CHECKING:
    from porter.convert import Options


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="porter")
def main() -> None:
    """Port CK fp8 block-scale GEMMs to FlyDSL for MI355X, and prove every kernel on a CPU.

    Exit codes: 0 good, 1 findings, 2 bad input or usage, 3 a tool is missing, 4 a bug in porter.
    """
    # A name that the terminal's encoding cannot show must not end a run.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def conversion_options(command: Callable[..., None]) -> Callable[..., None]:
    """The options of every command that reads CK text and chooses kernels for it."""
    for option in reversed(
        (
            click.argument("inputs", nargs=-1, required=True, type=click.Path(path_type=Path)),
            click.option("--arch", default="gfx950", show_default=True, help="Chip of rows that name none."),
            click.option(
                "--layout", type=click.Choice(["plain", "bpreshuffle"]), help="Family of rows that nothing else tells."
            ),
            click.option("--by-shape", is_flag=True, help="Convert rows of other libraries from their shape alone."),
            click.option(
                "--err-ratio",
                type=click.FloatRange(min=0),
                default=0.05,
                show_default=True,
                help="Of rows with one key, those with a larger errRatio lose.",
            ),
            click.option(
                "--select",
                "patterns",
                multiple=True,
                metavar="GLOB",
                help="Only rows whose MxNxK, instance name or kernel name matches; may be repeated.",
            ),
            click.option(
                "--instances",
                multiple=True,
                type=click.Path(path_type=Path, dir_okay=False),
                help="Instance list to check kernelIds against; may be repeated.",
            ),
            click.option(
                "--shapes",
                type=click.Path(path_type=Path, dir_okay=False),
                help="Table with M, N, K for instances without a shape.",
            ),
        )
    ):
        command = option(command)
    return command


def _options(
    arch: str,
    layout: str | None,
    by_shape: bool,
    err_ratio: float,
    patterns: tuple[str, ...],
    instances: tuple[Path, ...],
    shapes: Path | None,
) -> Options:
    from porter.convert import Options
    from porter.problem import Family

    family = Family(layout) if layout else None
    return Options(arch, family, by_shape, patterns, instances, shapes, err_ratio=err_ratio)


@main.command()
@conversion_options
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default="generated", show_default=True)
@click.option(
    "--census",
    "count",
    is_flag=True,
    help="Compile every kernel; refuse those that spill; put the census of the others in the manifest.",
)
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
    check: bool,
    show_diff: bool,
    strict: bool,
    verbose: bool,
    form: str,
) -> None:
    """Turn CK instances into FlyDSL kernel modules, dispatch and a manifest.

    INPUTS are files or folders: tuned, untuned and instance CSVs, aiter's Python sources, CK's C++ tuples, traces.
    """
    from porter import display, output
    from porter.convert import convert as run

    options = _options(arch, layout, by_shape, err_ratio, patterns, instances, shapes)
    conversion = run(inputs, replace(options, census=count))
    drift = output.compare(out, conversion.files) if check else None
    code = conversion.exit_code(strict)
    if show_diff:
        click.echo(output.diff(out, conversion.files), nl=False)
    if not (check or show_diff):
        output.write(out, conversion.files)
    elif drift:
        code = max(code, ExitCode.FINDINGS)
    if form == "json":
        click.echo(json.dumps(conversion.to_json(), indent=2))
    elif not show_diff:
        display.conversion(conversion, out, drift, verbose)
    sys.exit(code)


@main.command()
@click.argument("m", type=click.IntRange(min=1))
@click.argument("n", type=click.IntRange(min=1))
@click.argument("k", type=click.IntRange(min=1))
@click.option("--arch", type=click.Choice(["gfx950", "gfx942"]), default="gfx950", show_default=True)
@click.option("--layout", type=click.Choice(["plain", "bpreshuffle"]), default="bpreshuffle", show_default=True)
@FORMAT
@guarded
def explain(m: int, n: int, k: int, arch: str, layout: str, form: str) -> None:
    """Say which regime and recipe the shape M N K gets, and why. Exit code 1 where that kernel cannot serve it."""
    from porter import display, recipes
    from porter.legality import legality
    from porter.problem import TARGETS, Family, GemmShape

    shape, target = GemmShape(m, n, k), TARGETS[arch]
    recipe = recipes.choose(shape, target, Family(layout))
    refused = legality(recipe.spec, shape, target)
    if form == "json":
        reasons = [{"code": reason.code, "text": reason.text, "hint": reason.hint} for reason in refused]
        click.echo(json.dumps({"schema": "porter/explain/1", **recipe.to_json(), "refused": reasons}, indent=2))
    else:
        display.recipe(recipe, refused)
    sys.exit(ExitCode.FINDINGS if refused else ExitCode.GOOD)


@main.command()
@click.argument("kernels", nargs=-1)
@manifest_option("Where kernel names are looked up; without KERNEL, everything in it is verified.")
@click.option("--data", "data_sets", multiple=True, help="Only these data sets, at the shapes of --quick.")
@click.option("--rows", "ms", multiple=True, type=click.IntRange(min=1), help="Only these values of M.")
@click.option("--weights", "nks", multiple=True, metavar="NxK", help="Only these shapes of B.")
@click.option("--jobs", type=click.IntRange(min=1), help="Kernels proved at once; default: one a CPU.")
@click.option("--timeout", type=float, default=180.0, show_default=True, help="Seconds a compilation may take.")
@click.option("--quick", is_flag=True, help="Only two shapes of B and three M a kernel; proves no boundary.")
@click.option("--full", is_flag=True, help="Also run every shape that the manifest lists, on exact data in every mode.")
@click.option(
    "--pictures", type=click.Path(path_type=Path, file_okay=False), help="Folder for PNG maps of what differs."
)
@click.option(
    "--before-after",
    "repaired",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    metavar="FILE",
    help="Run a kernel with native scaling as it is and as `porter rewrite` would leave it; show both errors.",
)
@FORMAT
@guarded
def verify(
    kernels: tuple[str, ...],
    manifest: Path,
    data_sets: tuple[str, ...],
    ms: tuple[int, ...],
    nks: tuple[str, ...],
    jobs: int | None,
    timeout: float,
    quick: bool,
    full: bool,
    pictures: Path | None,
    repaired: Path | None,
    form: str,
) -> None:
    """Prove kernels on the CPU: compile them, run their machine code, compare every bit with CK's contract.

    KERNEL is a path to a generated module or a name in the manifest. Without --quick, --data, --rows or --weights the
    shapes are the boundaries of what each kernel may serve and every (N, K) that the manifest maps to it; what is
    proved is then written to proofs.json beside the manifest, for dispatch. Machine code that passed before is not run
    again.
    """
    from porter import display
    from porter.proof.coverage import record
    from porter.proof.plan import Request, plan
    from porter.proof.run import run

    if repaired is not None:
        _before_after(repaired, ms, nks, form)
    work = plan(Request(kernels, manifest, data_sets, ms, nks, quick, full, jobs, timeout, pictures))
    progress = display.progress(work.total) if form == "text" else None
    outcome = run(work, progress)
    record(work, outcome)
    if form == "json":
        click.echo(json.dumps(outcome.to_json(), indent=2))
    else:
        display.outcome(outcome)
    sys.exit(outcome.exit_code)


def _before_after(path: Path, ms: tuple[int, ...], nks: tuple[str, ...], form: str) -> NoReturn:
    from porter import display
    from porter.before_after import before_after
    from porter.prove import parse_nk

    shape = parse_nk(nks[0]) if nks else None
    result = before_after(path, ms[0] if ms else None, shape)
    if form == "json":
        click.echo(json.dumps(result.to_json(), indent=2))
    else:
        display.before_after(result)
    sys.exit(result.exit_code)


@main.command()
@FORMAT
@guarded
def doctor(form: str) -> None:
    """Say which tools are here, and how to get those that are not."""
    from porter import display
    from porter.toolchain import find_tools

    tools = find_tools()
    if form == "json":
        fields = ("name", "found", "needed_for", "how", "required")
        listed: list[dict[str, Any]] = [{field: getattr(tool, field) for field in fields} for tool in tools]
        click.echo(json.dumps({"schema": "porter/doctor/1", "tools": listed}, indent=2))
    else:
        display.tools(tools)
    missing = any(tool.required and not tool.found for tool in tools)
    sys.exit(ExitCode.TOOLCHAIN_MISSING if missing else ExitCode.GOOD)


for command in (census, ci, compile_command, detect, export, inspect, mutants, report, rewrite, twins, waits):
    main.add_command(command)
