# SPDX-License-Identifier: Apache-2.0
"""What people see of `porter export`."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

from porter.display import say

if TYPE_CHECKING:
    from porter.export.common import Plan


def plan(result: Plan, folder: Path, written: bool, applied: bool) -> None:
    """Every file, the rows by what became of them, the notes, and one last sentence."""
    files = [*result.files, *result.edited] if applied else list(result.outputs())
    for path in files:
        say(f"{folder / path}")
    for verdict, count in sorted(Counter(str(row["verdict"]) for row in result.rows).items()):
        say(f"rows: {count} {verdict}")
    for note in result.notes:
        say(f"note: {note}")
    if not applied and result.edited:
        edited = ", ".join(sorted(result.edited))
        say(f"note: copy the files into the checkout, then git apply {result.patch_name} there; it edits {edited}")
    say(f"porter export {result.target}: {len(files)} files{'' if written else ', none written'}")
