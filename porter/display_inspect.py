# SPDX-License-Identifier: Apache-2.0
"""What people see of `porter inspect` and `porter detect`: tables and sentences, no decisions."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from porter.display import console, say, unsupported

if TYPE_CHECKING:
    from porter.candidates import Candidates
    from porter.detect import Detection
    from porter.inspect_instances import Inspection

#: Characters of a traced name that a table shows; symbols have thousands.
_NAME_CHARS = 120


def inspection(result: Inspection, verbose: bool) -> None:
    """`porter inspect` as text: a row for every instance; `verbose` adds CK's own parameters and every place."""
    from rich.table import Table

    from porter.inspect_instances import summary

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


def detection(result: Detection) -> None:
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


def candidates(result: Candidates) -> None:
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
