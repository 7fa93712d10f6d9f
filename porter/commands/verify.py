# SPDX-License-Identifier: Apache-2.0
"""`porter verify`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.ck import ck_option
from porter.commands.common import FORMAT, SHAPE, P, R, console, emit, guarded, manifest_option, progress, say
from porter.errors import ToolchainMissing
from porter.toolchain.cache import cache_dir

if TYPE_CHECKING:
    from porter.problem import ShapePattern
    from porter.proof.against import AgainstCase, AgainstOutput
    from porter.proof.outcome import CaseOutcome, KernelOutcome, Outcome


def _whole_loads(context: click.Context, parameter: click.Parameter, size: int) -> int:
    if size % 16:
        raise click.BadParameter(f"{size} is not a multiple of 16: loads are 16 bytes wide")
    return size


def _padding(name: str, purpose: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    size = click.IntRange(min=0)
    return click.option(name, type=size, default=0, callback=_whole_loads, metavar="BYTES", help=purpose)


@click.command()
@click.argument("kernels", nargs=-1)
@manifest_option("Where kernel names are looked up; without KERNEL, everything in it is verified.")
@click.option("--data", "data_sets", multiple=True, help="Only these data sets, at the shapes of --quick.")
@click.option(
    "--shape",
    "shapes",
    type=SHAPE,
    multiple=True,
    metavar="MxNxK",
    help="Only this shape, - for those of --quick: -x2048x7168; may be repeated.",
)
@_padding("--pad-x", "Also prove rows of XQ with so many bytes between them.")
@_padding("--pad-w", "The same for rows of plain weights, which vLLM pads by 256.")
@click.option("--jobs", type=click.IntRange(min=1), help="Kernels proved at once; default: one a CPU.")
@click.option("--timeout", type=float, default=180.0, show_default=True, help="Seconds a compilation may take.")
@click.option("--quick", is_flag=True, help="Only two shapes of B and three M a kernel; proves no boundary.")
@click.option("--full", is_flag=True, help="Also run every shape that the manifest lists, on exact data in every mode.")
@click.option(
    "--pictures",
    type=click.Path(path_type=Path, file_okay=False),
    help="Folder for PNG maps of what differs; needs Pillow.",
)
@click.option("--against", type=click.Choice(["ck"]), help="Hold kernels to CK's own, built by clang, as well.")
@click.option("--all-rows", is_flag=True, help="With --against: every instance that rows name, not the first.")
@ck_option
@FORMAT
@guarded
def verify(
    kernels: tuple[str, ...],
    manifest: Path,
    data_sets: tuple[str, ...],
    shapes: tuple[ShapePattern, ...],
    pad_x: int,
    pad_w: int,
    jobs: int | None,
    timeout: float,
    quick: bool,
    full: bool,
    pictures: Path | None,
    against: str | None,
    all_rows: bool,
    ck_source: str | None,
    form: str,
) -> None:
    """Prove kernels on the CPU: compile them, run their machine code, compare every bit with CK's contract.

    KERNEL is a path to a generated module or a name in the manifest. Without --quick, --data or --shape the shapes are
    the boundaries of what each kernel may serve and every (N, K) that the manifest maps to it; what is proved is then
    written to proofs.json beside the manifest, for dispatch. Machine code that passed before is not run again. Strides
    of padded rows are compiled in, so dispatch takes them for proved once --pad-x or --pad-w named them.

    With --against ck each kernel, CK's own kernels and the contract are held to each other, at two shapes or those of
    --shape, on all data sets or those of --data.
    """
    if against:
        sys.exit(_against(kernels, manifest, data_sets, shapes, ck_source, jobs, all_rows, form))
    from porter.proof.coverage import record
    from porter.proof.plan import Request, plan
    from porter.proof.verify import run

    if pictures is not None and find_spec("PIL") is None:
        raise ToolchainMissing("CKT005", "--pictures needs Pillow", hint="pip install 'ck-flydsl-porter[pictures]'")
    work = plan(Request(kernels, manifest, data_sets, shapes, quick, full, (pad_x, pad_w), jobs, timeout, pictures))
    with progress("shapes of B", form, work.total) as step:
        outcome = run(work, lambda outcome: step(_news(outcome)))
    record(work, outcome)
    if form == "json":
        emit(outcome.output)
    else:
        show(outcome)
    sys.exit(outcome.exit_code)


def _against(
    kernels: tuple[str, ...],
    manifest: Path,
    data_sets: tuple[str, ...],
    shapes: tuple[ShapePattern, ...],
    ck_source: str | None,
    jobs: int | None,
    all_rows: bool,
    form: str,
) -> int:
    from porter.ck_objects import tree
    from porter.problem import GemmShape
    from porter.proof import against
    from porter.proof.recipe import DEFAULT_DATA, known_sets

    wanted = [GemmShape(shape.m, *shape.nk) for shape in shapes if shape.m and shape.nk] or against.SHAPES
    if len(wanted) < len(shapes):
        raise click.BadParameter("--against needs whole shapes, MxNxK [CKV004]")
    data = known_sets(data_sets) or DEFAULT_DATA
    source = tree.find(ck_source)
    work = against.plan(kernels, manifest, source, wanted, data, all_rows)
    with progress("objects and pairs", form, work.total) as step:
        found = against.run(work, source, cache_dir() / "ck-objects", jobs, step)
    if form == "json":
        emit(found)
    else:
        show_against(found)
    return found.exit_code


def show_against(found: AgainstOutput) -> None:
    """A row for each pair, all its shapes together; what differs; one last sentence."""
    from rich.table import Table

    table = Table()
    table.add_column("kernel and CK's instance", overflow="fold")
    for column in ("as", "runs", "CK = contract", "ours = contract", "ours = CK"):
        table.add_column(column)
    rows: dict[tuple[str, str, str], list[AgainstCase]] = {}
    for case in found.cases:
        rows.setdefault((case.kernel, case.instance, case.role), []).append(case)
    for (kernel, instance, role), cases in rows.items():
        table.add_row(
            f"{kernel}\n{instance}",
            role,
            str(len(cases)),
            _differing(cases, lambda case: case.ck_contract),
            _differing(cases, lambda case: case.ours_contract + case.outside),
            _differing(cases, lambda case: case.ours_ck),
        )
    console().print(table)
    for note in found.notes:
        say(f"note: {note}")
    for line in _on_their_code(found.cases):
        say(f"note: on CK's own code: {line}")
    for error in found.errors:
        say(f"failed: {error}")
    for case in found.cases:
        if not case.good:
            say(f"failed: {case.kernel} against {case.instance} {case.m}x{case.n}x{case.k} {case.data}: {case.first}")
    bad = sum(not case.good for case in found.cases) + len(found.errors)
    verdict = f"{bad} FAILED" if bad else "all as they must be; (in brackets: they round differently there)"
    say(f"porter verify --against ck: {len(found.cases)} three-way runs: {verdict}")


def _on_their_code(cases: tuple[AgainstCase, ...]) -> Iterator[str]:
    """A line for each code that the machine found: how many places of which instances, and one of them."""
    places: dict[str, dict[tuple[str, str], None]] = {}
    for case in cases:
        for text in case.findings:
            places.setdefault(text.partition(" ")[0], {})[case.instance, text] = None
    for found in places.values():
        instances = dict.fromkeys(instance for instance, _ in found)
        text = next(text for _, text in found)
        yield f"{text}; {len(found)} places in {len(instances)} instances: {', '.join(instances)}"


def _differing(cases: list[AgainstCase], count: Callable[[AgainstCase], int]) -> str:
    """Elements that differ by data set, in brackets where they may."""
    sets: dict[str, int] = {}
    for case in cases:
        sets[case.data] = sets.get(case.data, 0) + count(case)
    free = {case.data for case in cases if case.good}
    texts = [f"({data}: {number})" if data in free else f"{data}: {number}" for data, number in sets.items() if number]
    return ", ".join(texts) or "every bit"


def _news(outcome: KernelOutcome) -> str:
    """A line for a shape of B that was executed; what is known from equal machine code passes in silence."""
    if outcome.proved and all(case.kept for case in outcome.cases):
        return ""
    return f"{'proved' if outcome.proved else 'FAILED'} {outcome.name} {_built(outcome)}"


def _built(outcome: KernelOutcome) -> str:
    """What is compiled in."""
    padded = f" rows padded by {outcome.padding[0]} and {outcome.padding[1]} bytes" if any(outcome.padding) else ""
    return f"N={outcome.n} K={outcome.k}{padded}"


def show(result: Outcome) -> None:
    """`porter verify` as text: a row for every kernel, what differs where, one last sentence."""
    from rich.table import Table

    table = Table()
    table.add_column("kernel", overflow="fold")
    for column in ("shapes of B", "shapes", "runs", "failed runs"):
        table.add_column(column, justify="right")
    table.add_column("verdict")
    for name, shapes in _by_kernel(result).items():
        cases = [case for shape in shapes for case in shape.cases]
        ms = sum(len({case.m for case in shape.cases}) for shape in shapes)
        failed = sum(not case.proved for case in cases)
        verdict = "proved" if all(shape.proved for shape in shapes) else "FAILED"
        table.add_row(name, *map(str, (len(shapes), ms, len(cases), failed)), verdict)
    console().print(table)
    for kernel in result.kernels:
        if not kernel.proved:
            _failure(kernel)
    for name, reasons in _by_name(result, lambda kernel: kernel.undecided).items():
        say(f"note: {name}: the check of waits could not decide {len(reasons)} places: {next(iter(reasons))}")
    for name, notes in _by_name(result, lambda kernel: kernel.notes).items():
        say(f"note: {name}: {next(iter(notes))}")
    say(result.sentence)


def _by_kernel(result: Outcome) -> dict[str, list[KernelOutcome]]:
    kernels: dict[str, list[KernelOutcome]] = {}
    for kernel in result.kernels:
        kernels.setdefault(kernel.name, []).append(kernel)
    return kernels


def _by_name(result: Outcome, texts: Callable[[KernelOutcome], tuple[str, ...]]) -> dict[str, dict[str, None]]:
    """Kernel -> the different texts of all its shapes."""
    found: dict[str, dict[str, None]] = {}
    for kernel in result.kernels:
        for text in texts(kernel):
            found.setdefault(kernel.name, {}).setdefault(text)
    return found


def _failure(kernel: KernelOutcome) -> None:
    """What is wrong at one shape of B: a row for each M and data set, the worst of its modes; then all details."""
    from rich.table import Table

    head = f"{kernel.name} {_built(kernel)}"
    if kernel.error:
        say(f"failed: {head}: {kernel.error}")
    for text in kernel.static:
        say(f"failed: {head}: {text}")
    rows: dict[tuple[int, str], list[CaseOutcome]] = {}
    for case in kernel.cases:
        if not case.proved:
            rows.setdefault((case.m, case.data), []).append(case)
    if not rows:
        return
    table = Table(title=f"failed: {head}", title_justify="left")
    for column in ("M", "data set", "failed runs", "mismatches", "max ULP", "findings"):
        table.add_column(column)
    table.add_column("first mismatch", overflow="fold")
    for (m, data), cases in rows.items():
        worst = max(cases, key=lambda case: (case.mismatches, case.findings))
        first = f"{worst.first_mismatch} ({worst.mode})" if worst.first_mismatch else ""
        numbers = (len(cases), worst.mismatches, worst.max_ulp, max(case.findings for case in cases))
        table.add_row(str(m), data, *map(str, numbers), first)
    console().print(table)
    for text in kernel.details:
        say(text)
