# SPDX-License-Identifier: Apache-2.0
"""`porter rewrite`."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import FORMAT, SHAPE_OF_B, emit, guarded, say

if TYPE_CHECKING:
    from porter.problem import ShapePattern
    from porter.rewrite_rules.repair import Repair


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if a file would change.")
@click.option("--diff", "show_diff", is_flag=True, help="Write nothing; print the changes.")
@click.option("--rule", "rules", multiple=True, metavar="ID", help="Only this rule (CKR...); may be repeated.")
@click.option("--schedule", type=click.Choice(["inline", "cluster"]), default="inline", show_default=True)
@click.option("--shape", type=SHAPE_OF_B, metavar="-xNxK", help="Compile rewritten kernels for this B before writing.")
@FORMAT
@guarded
def rewrite(
    paths: tuple[Path, ...],
    check: bool,
    show_diff: bool,
    rules: tuple[str, ...],
    schedule: str,
    shape: ShapePattern | None,
    form: str,
) -> None:
    """Replace native E8M0 scaling in FlyDSL kernels by a software promote in fp32.

    Files that import each other are rewritten together when all are named. What cannot be proved is refused, with the
    place and a hint, and stays as it is.
    """
    from porter.rewrite_rules.repair import repair

    result = repair(paths, rules, schedule == "cluster", shape.nk if shape else None)
    if show_diff and form == "text":
        click.echo(result.diff(), nl=False)
    if not (check or show_diff):
        result.write()
    if form == "json":
        emit(result.output)
    elif not show_diff:
        show(result, written=not check)
    sys.exit(result.exit_code(check))


def show(result: Repair, written: bool) -> None:
    """`porter rewrite` as text: one line a file, and one sentence."""
    from porter.rewrite_rules import Refused, Rewritten, Unchanged

    for file in result.outcomes:
        if isinstance(file, Rewritten):
            compiled = file.path in result.compiled
            state = "compiled, no native scaling left" if compiled else "not compiled (--shape -xNxK does)"
            say(f"rewritten: {file.path}: {len(file.sites)} sites by {', '.join(file.rules)}; {state}")
            for note in file.notes:
                say(f"  note: {note}")
        elif isinstance(file, Unchanged):
            say(f"unchanged: {file.path}: {'; '.join(file.why)}")
        elif isinstance(file, Refused):
            say(f"refused: {file.location}: {file.why} [{file.code}]\n  hint: {file.hint}")
        else:
            say(f"failed: {file.path}: {file.error}")
    counts = Counter(type(file).__name__.lower() for file in result.outcomes)
    summary = ", ".join(f"{counts[name]} {name}" for name in ("rewritten", "unchanged", "refused", "failed"))
    say(f"porter rewrite: {summary}{'' if written else '; checked, nothing written'}")
