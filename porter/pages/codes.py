# SPDX-License-Identifier: Apache-2.0
"""docs/codes/ from the codes themselves, a page a family: `python -m porter.pages.codes DIRECTORY` writes them."""

from __future__ import annotations

import sys
from pathlib import Path

from porter.codes import FAMILIES, RETIRED
from porter.commands.rule import codes

FOLDER = "docs/codes"
#: Family -> where its codes are shown at work.
_MORE = {
    "CKG": "How the gate is set up: [gate.md](../gate.md).",
    "CKM": "Programs that trip each finding, with their repairs: [machine-checks.md](../machine-checks.md), and for"
    " waits [wait-checks.md](../wait-checks.md).",
    "CKR": "Each rule with its cases: [rules.md](../rules.md).",
}


def pages() -> dict[str, str]:
    """File name -> text, of every page."""
    return {f"{family}.md": _page(family) for family in FAMILIES}


def _page(family: str) -> str:
    rows = [f"| {code.id} | {code.meaning} | {code.help} |" for code in codes().values() if code.id[:3] == family]
    gone = [
        f"| {old} | not used any more{f': {new}' if new else ''} | |"
        for old, new in RETIRED.items()
        if old[:3] == family
    ]
    head = [
        f"<!-- Written by `python -m porter.pages.codes {FOLDER}`; a test compares. -->",
        "",
        f"# {family}: {FAMILIES[family]}",
        "",
        "`porter rule CODE` prints a line of this page. A code is never used for something else.",
        *([_MORE[family]] if family in _MORE else []),
        "",
        "| code | meaning | what to do |",
        "|---|---|---|",
    ]
    return "\n".join([*head, *rows, *gone, ""])


if __name__ == "__main__":
    Path(sys.argv[1]).mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (Path(sys.argv[1]) / name).write_text(text, encoding="utf-8")
