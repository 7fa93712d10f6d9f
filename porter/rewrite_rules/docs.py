# SPDX-License-Identifier: Apache-2.0
"""docs/rules.md from the rules themselves: `python -m porter.rewrite_rules.docs FILE` writes it."""

from __future__ import annotations

import inspect
import sys
import textwrap
from pathlib import Path

from porter.rewrite_rules.engine.refusal import HINTS
from porter.rewrite_rules.rule import Case, RewriteRule, all_rules

_INTRODUCTION = """\
<!-- Written by `python -m porter.rewrite_rules.docs docs/rules.md`; a test compares. Change the rules instead. -->

# Rewrite rules

`porter rewrite` repairs FlyDSL kernels that fold fp32 block scales into the scaled MFMA of gfx950. That MFMA takes E8M0
scales, which are powers of two: the result looks plausible and is wrong. The rules below replace the scaling by a
software promote in fp32, `acc = fma(x_scale * w_scale, partial, acc)` per 128 of K (contract `ck`).

What a scale operand is, is found by following it back to where it is made, through names, tuples, lists, fields,
parameters and returns, in all files that were given. An expression counts as an encoder when it *computes* E8M0: for
every power of two the exact code, for everything else the code of a power next to it. What cannot be shown is refused,
with a place and a way out; one refusal keeps every file of the kernel as it is. Rewriting twice changes nothing more.

Each rule gives what it repairs, what it leaves alone and what it refuses. The cases are the lines of a K loop in which
`x` and `w` are the operands of a scale block, `xs` and `ws` its fp32 scales, `t` the result type and `acc` the sum.
"""


def rules_page() -> str:
    """The whole page."""
    parts = [_INTRODUCTION, *(_rule(rule) for rule in all_rules()), _refusals()]
    return "\n".join(parts)


def _rule(rule: RewriteRule) -> str:
    title, _, body = inspect.cleandoc(rule.__doc__ or "").partition("\n\n")
    lines = [f"## {rule.ID}: {rule.TITLE}", "", title, ""]
    if rule.OPTIONAL:
        lines += [f"Optional: runs with `--rule {rule.ID}` only.", ""]
    for paragraph in body.split("\n\n"):
        head, _, rest = paragraph.partition(": ")
        lines += [f"**{head}.** {rest[:1].upper()}{rest[1:]}", ""]
    for heading, cases in (("Rewritten", rule.INVALID), ("Left alone", rule.VALID), ("Refused", rule.REFUSED)):
        if cases:
            lines += [f"### {rule.ID}: {heading.lower()}", ""]
            for case in cases:
                lines += _case(case)
    return "\n".join(lines)


def _case(case: Case) -> list[str]:
    end = f": {case.refused}" if case.refused else ""
    lines = [f"*{case.name}*{end}", "", "```python", *_code(case.helpers, case.before), "```", ""]
    if case.after:
        lines += ["becomes", "", "```python", *_code(case.helpers_after, case.after), "```", ""]
    return lines


def _code(helpers: str, loop: str) -> list[str]:
    lines = textwrap.dedent(helpers).strip().splitlines()
    return [*lines, *([""] if lines else []), *textwrap.dedent(loop).strip().splitlines()]


def _refusals() -> str:
    rows = [f"| {code} | {hint} |" for code, hint in sorted(HINTS.items())]
    return "\n".join(["## Refusals", "", "| code | what would let it through |", "|---|---|", *rows, ""])


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(rules_page(), encoding="utf-8")
