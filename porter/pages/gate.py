# SPDX-License-Identifier: Apache-2.0
"""docs/gate-rules.md from the gate's rules: `python -m porter.pages.gate FILE` writes it."""

from __future__ import annotations

import sys
from pathlib import Path

from porter.gate.rules import RULES

PAGE = "docs/gate-rules.md"

_HEAD = f"""\
<!-- Written by `python -m porter.pages.gate {PAGE}`; a test compares. Change porter/gate/rules.py, not this page. -->

# Rules of `porter ci`

Every kind of failure has an id of its own, which log, annotations, SARIF and JUnit all carry; ids are never reused.
How the gate is set up: [gate.md](gate.md).

| rule | name | what is wrong | what to do |
|---|---|---|---|
"""


def page() -> str:
    """docs/gate-rules.md."""
    rows = (f"| {rule.id} | {rule.name} | {rule.summary} | {rule.help} |\n" for _, rule in sorted(RULES.items()))
    return _HEAD + "".join(rows)


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
