# SPDX-License-Identifier: Apache-2.0
"""What people see of the results, as text: tables and sentences, no decisions."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console

    from oracle.isa_mutants import Judgement
    from porter.before_after import BeforeAfter
    from porter.census import KernelCensus
    from porter.ck_parser import Unsupported
    from porter.convert import Conversion
    from porter.kernel_spec import KernelSpec
    from porter.legality import Reason
    from porter.output import Drift
    from porter.proof.outcome import CaseOutcome, KernelOutcome, Outcome
    from porter.recipes import Recipe
    from porter.repair import Repair
    from porter.strength import Strength
    from porter.toolchain import ToolStatus
    from porter.twins import Twin
    from porter.wait_check import CheckedCode

#: Places listed for each reason unless --verbose.
_PLACES = 3


@cache
def console() -> Console:
    """Where all text output goes."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        # A log has no width: never cut a kernel's name there.
        console = Console(highlight=False, width=200)
    return console


def say(text: str) -> None:
    """One piece of text, as it is."""
    console().print(text, markup=False, soft_wrap=True)


def conversion(result: Conversion, out: Path, drift: Drift | None, verbose: bool) -> None:
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
        shown = result.read.disagreements if verbose else result.read.disagreements[:_PLACES]
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


def unsupported(rows: Iterable[Unsupported], verbose: bool, most_first: bool) -> None:
    """Rows by reason, the most frequent first or in the order of the input; three places each unless `verbose`."""
    grouped: dict[tuple[str, str], list[str]] = {}
    for row in rows:
        grouped.setdefault((row.code, row.reason), []).append(str(row.where))
    reasons = sorted(grouped.items(), key=lambda item: -len(item[1])) if most_first else grouped.items()
    for (code, reason), places in reasons:
        shown = places if verbose else places[:_PLACES]
        more = f" and {len(places) - len(shown)} more" if len(shown) < len(places) else ""
        say(f"unsupported: {len(places)} x {reason} [{code}]\n  at {', '.join(shown)}{more}")


def recipe(choice: Recipe, refused: Sequence[Reason]) -> None:
    """`porter explain` as text; refused: why the recipe's kernel cannot serve the shape."""
    say(f"regime       {choice.regime.value}")
    for reason in refused:
        hint = f"\n{'':12} hint: {reason.hint}" if reason.hint else ""
        say(f"{'REFUSED':12} {reason.text} [{reason.code}]{hint}")
    for index, candidate in enumerate(choice.candidates):
        head = ("recipe", "alternatives")[index] if index < 2 else ""
        state = "" if candidate.built else "  (not built yet)"
        say(f"{head:12} {candidate.spec.name}{state}\n{'':12}   {candidate.why}")
    for note in filter(None, (choice.fallback, *choice.notes)):
        say(f"note         {note}")
    say("reasons")
    for verdict in choice.reasons:
        sources = "; ".join(dict.fromkeys((verdict.rule.source, *(piece.source for piece in verdict.rule.pieces))))
        extrapolated = " (some limits are our extrapolation)" if verdict.rule.extrapolated else ""
        say(f"  {'yes' if verdict.holds else 'no ':3} {verdict.rule.regime.value}: {verdict.text}")
        say(f"      why: {verdict.rule.reason}{extrapolated}\n      sources: {sources}")


def tools(statuses: Sequence[ToolStatus]) -> None:
    """`porter doctor` as text."""
    from rich.table import Table

    table = Table()
    for column in ("tool", "found", "needed for", "how to get it"):
        table.add_column(column, overflow="fold")
    for status in statuses:
        how = "" if status.found else status.how
        found = status.found or ("missing" if status.required else "not here (optional)")
        table.add_row(status.name, found, status.needed_for, how)
    console().print(table)


def progress(total: int) -> Callable[[KernelOutcome], None]:
    """A line for every shape of B that is executed, so that a long proof shows it is alive and how far it is.

    What is known from equal machine code passes in silence.
    """
    done, start = 0, time.monotonic()

    def show(outcome: KernelOutcome) -> None:
        nonlocal done
        done += 1
        if outcome.proved and all(case.kept for case in outcome.cases):
            return
        verdict = "proved" if outcome.proved else "FAILED"
        left = (time.monotonic() - start) / done * (total - done)
        say(f"[{done}/{total}, about {left:.0f} s left] {verdict} {outcome.name} N={outcome.n} K={outcome.k}")

    return show


def outcome(result: Outcome) -> None:
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

    head = f"{kernel.name} N={kernel.n} K={kernel.k}"
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


def mutant_progress() -> Callable[[Judgement], None]:
    """A line every hundred mutants."""
    done = 0

    def show(_: Judgement) -> None:
        nonlocal done
        done += 1
        if done % 100 == 0:
            say(f"{done} mutants judged")

    return show


def strength(result: Strength) -> None:
    """`porter mutants` as text: a row for each class, then every mutant that was not killed."""
    from rich.table import Table

    data = result.to_json()
    table = Table(title=f"{result.name}, {result.m}x{result.n}x{result.k}", title_justify="left")
    for column in ("class", "mutants", "killed", "equivalent", "open", "killed by"):
        table.add_column(column, overflow="fold")
    for kind, counts in data["classes"].items():
        by = ", ".join(f"{name} {count}" for name, count in counts["by"].items())
        table.add_row(kind, *(str(counts[key]) for key in ("total", "killed", "equivalent", "open")), by)
    console().print(table)
    for item in data["survivors"]:
        say(f"{item['verdict']}: line {item['line']}: {item['was']} -> {item['now']}: {item['reason'] or 'not seen'}")
    say(f"porter mutants: {len(result.judgements)} mutants, {len(result.open)} open")


def repair(result: Repair, written: bool) -> None:
    """`porter rewrite` as text: one line a file, and one sentence."""
    files = result.to_json()["files"]
    for data in files:
        outcome = data["outcome"]
        if outcome == "rewritten":
            compiled = "compiled, no native scaling left" if data["compiled"] else "not compiled (--weights NxK does)"
            say(f"rewritten: {data['path']}: {len(data['sites'])} sites by {', '.join(data['rules'])}; {compiled}")
            for note in data["notes"]:
                say(f"  note: {note}")
        elif outcome == "unchanged":
            say(f"unchanged: {data['path']}: {'; '.join(data['why'])}")
        elif outcome == "refused":
            say(f"refused: {data['where']}: {data['why']} [{data['code']}]\n  hint: {data['hint']}")
        else:
            say(f"failed: {data['path']}: {data['error']}")
    counts = Counter(data["outcome"] for data in files)
    summary = ", ".join(f"{counts[name]} {name}" for name in ("rewritten", "unchanged", "refused", "failed"))
    say(f"porter rewrite: {summary}{'' if written else '; checked, nothing written'}")


def before_after(result: BeforeAfter) -> None:
    """`porter verify --before-after` as text: the disease and the cure in one table."""
    from rich.table import Table

    table = Table(title=f"{result.path}, {result.m}x{result.n}x{result.k}", title_justify="left")
    for column in ("kernel", "data set", "elements", "wrong", "max ULP", "first mismatch"):
        table.add_column(column, overflow="fold")
    for row in result.rows:
        for name, comparison in (("before", row.before), ("after", row.after)):
            first = str(comparison.first) if comparison.first else ""
            numbers = (str(comparison.elements), str(comparison.mismatches), str(comparison.max_ulp))
            table.add_row(name, row.data, *numbers, first)
    console().print(table)
    say(f"porter verify: the rewritten kernel is {'every bit as the contract says' if result.cured else 'NOT right'}")


def census(kernels: Sequence[KernelCensus]) -> None:
    """`porter census` as text: a table for each kernel of the text."""
    from rich.table import Table

    for kernel in kernels:
        data = kernel.to_json()
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


def twins(spec: KernelSpec, made: Sequence[Twin], out: Path) -> None:
    """`porter twins` as text: a line for every twin."""
    for twin in made:
        say(f"{twin.kind:18} {twin.what}")
    say(f"porter twins: {len(made)} twins of {spec.name} written to {out}; for measurements, not for use")


def waits(result: CheckedCode) -> None:
    """`porter waits` as text: a line for each finding and each place that is not decided, and one sentence."""
    report = result.report
    for line in (*report.findings, *report.undecided):
        say(str(line))
    shape = f" at N x K = {result.n} x {result.k}" if result.n else ""
    counts = f"{len(report.findings)} findings, {len(report.undecided)} places undecided"
    state = "every use is covered on every path" if report.clean and not report.findings else counts
    say(f"porter waits: {result.name}{shape}: {state}, {1000 * report.seconds:.0f} ms")
