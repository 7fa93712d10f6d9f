# SPDX-License-Identifier: Apache-2.0
"""Seconds to rewrite one kernel file, repeated to a thousand lines, as a ratio to parsing that text with libcst.

    python benchmarks/rewriting.py KERNEL.py

KERNEL.py holds a `def build(` that the rules rewrite, as tests/porter/rewrite_rules/fixtures/repaired do. Prints
{"lines", "sites", "seconds", "parse_seconds", "ratio"}; compile and proof are not counted.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import libcst
from timing import seconds

from porter.rewrite_rules import Rewritten, rewrite_sources

LINES = 1000


def measure(path: Path) -> dict[str, object]:
    """The file followed by copies of its `build` under other names."""
    text = path.read_text(encoding="utf-8")
    body = text[text.index("def build(") :]
    copies = 0
    while text.count("\n") < LINES:
        copies += 1
        text += "\n\n" + body.replace("def build(", f"def build_{copies}(")
    outcome = rewrite_sources({"a.py": text})["a.py"]
    if not isinstance(outcome, Rewritten):
        raise SystemExit(f"{path}: not rewritten: {outcome}")
    took, parse = seconds(lambda: rewrite_sources({"a.py": text})), seconds(lambda: libcst.parse_module(text))
    return {
        "lines": text.count("\n"),
        "sites": len(outcome.sites),
        "seconds": took,
        "parse_seconds": parse,
        "ratio": took / parse,
    }


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1])), indent=2))
