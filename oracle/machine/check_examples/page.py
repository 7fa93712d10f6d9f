# SPDX-License-Identifier: Apache-2.0
"""docs/machine-checks.md from the checks and what their examples really show.

`python -m oracle.machine.check_examples.page FILE` writes it.
"""

from __future__ import annotations

import sys
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from ..hazards import TITLES
from ..program import load
from ..report import CODES, Finding, Severity
from . import CHECKS, DISTANCES
from .example import HEAD, Check, Distance, Example, find, kernel_text

#: By number: severity, title, explanation.
Codes = Mapping[int, tuple[Severity, str, str]]

PAGE = "docs/machine-checks.md"
#: Longer programs repeat their last line.
_LINES_SHOWN = 60

_INTRODUCTION = f"""\
<!-- Written by `python -m oracle.machine.check_examples.page {PAGE}`; a test compares. -->

# The machine's checks

`porter verify` runs every kernel with all checks on; from Python it is `Mode(checks=True)`. A finding says what is
wrong, which two instructions are party to it, and who executed them. It does not depend on luck: a race is found from
the order that waits and barriers promise, not from values that happened to differ.

- **high**: wrong on hardware, or undefined. A kernel with such a finding is not proved, whatever its bits.
- **low**: safe only by circumstance; it does not fail a proof.
- **note**: worth knowing.

What holds of waits on every path of the code, whatever runs, is checked apart: [wait-checks.md](wait-checks.md).

Below, each check has at least one program that trips it, the finding that it gave when this page was written, and a
twin without the fault. A test runs them all, so none of this is made up. Codes are never reused; those below CKM201 are
not findings but errors: a program, a launch or an instruction that the machine refuses to run.

Every program starts with the lines below. Then `s[4:5]` is the address of C, 64 dwords that nobody has written yet,
`s[6:7]` that of A, 64 dwords that may only be read; `v0` is the work-item, `v2` its byte offset 4 * v0, `s2` the
workgroup. LDS has 1024 bytes, a lane 16 bytes of scratch. Where `s[8:11]` is a buffer descriptor, it is 256 bytes of
C or A unless a line says otherwise.

```
{HEAD.strip()}
```
"""

_DISTANCES = """\
## Hazard distances: CKM251, CKM252, CKM253

Some results are not interlocked: hardware reads the old value if the reader is too near. Compilers keep these
distances; hand-written and inline assembly may not. They are checked on the text, on every path through it, and
counted in wait states: one an instruction, n + 1 for `s_nop n`; an MFMA on the way waits until the one before it has
passed, and counts for as long. The rules are those of LLVM's hazard recogniser for gfx940 and gfx950. **high** is what
AMD's manuals list too (CDNA4 ISA 4.5 and 7.6) or somebody has measured; **low** is what only LLVM keeps: aiter's
hand-written block-scale kernels write M0 right before their LDS DMA. LLVM breaks one of its rules itself: behind the 16
passes of a 32x32x64 on gfx950 it asks for 20 wait states but searches back by 19, so that a reader at 19 stays there
(tried with llc 22.1.8). Such a finding says so; an `s_nop` before the reader is the cure. Each line below was found
with one wait state too few and is clean with the number given.
"""


def page() -> str:
    """docs/machine-checks.md."""
    rows = [
        *table(CHECKS, CODES),
        *(f"| [{code}](#hazard-distances) | {_severities(code)} | {title} |" for code, title in TITLES.items()),
    ]
    lines = [_INTRODUCTION, *rows, ""]
    for check in CHECKS:
        lines += section(check, CODES, _found)
    lines += ['<a id="hazard-distances"></a>', "", _DISTANCES, *_table()]
    return "\n".join(lines) + "\n"


def table(checks: Sequence[Check], codes: Codes) -> Iterator[str]:
    """The rows of a page's first table."""
    yield from ("| code | severity | finding |", "|---|---|---|")
    for check in checks:
        severity, title, _ = codes[int(check.code[3:])]
        yield f"| [{check.code}](#{check.code.lower()}) | {severity.name.lower()} | {title} |"


def section(check: Check, codes: Codes, found: Callable[[Example], Sequence[Finding]]) -> Iterator[str]:
    """The lines about one check; `found` is what its examples show."""
    severity, title, _ = codes[int(check.code[3:])]
    yield from (f'<a id="{check.code.lower()}"></a>', "", f"## {check.code}: {title}", "")
    yield from (*textwrap.wrap(f"**{severity.name.lower()}.** {check.why}", 120), "")
    for example in check.examples:
        yield from _example(example, next(f for f in found(example) if f.code == check.code))


def _found(example: Example) -> tuple[Finding, ...]:
    return find(example.faulty, example.waves, example.workgroups)


def _example(example: Example, finding: Finding) -> Iterator[str]:
    size = [f"{example.waves} waves"] * (example.waves > 1) + [f"{example.workgroups} workgroups"] * (
        example.workgroups > 1
    )
    yield from (f"*{example.what}*{''.join(f' ({part})' for part in size)}", "")
    yield from ("```", *_code(example.faulty), "```", "", _words(finding), "", "Clean:", "")
    yield from ("```", *_code(example.repaired), "```", "")


def _code(body: str) -> list[str]:
    lines = textwrap.dedent(body).strip().splitlines()
    if len(lines) <= _LINES_SHOWN:
        return lines
    return [*lines[:3], f"; and {len(lines) - 3} lines more like the last"]


def _words(finding: Finding) -> str:
    """A finding without line numbers, which count the frame too."""
    parties = [finding.party] + [finding.other] * (finding.other is not None)
    places = "; ".join(f"`{party.text}` (wave {party.wave}, lane {party.lane})" for party in parties if party)
    return f"> {finding.code} {finding.severity.name.lower()}: {finding.explanation}. At {places}; {finding.count}x."


def _table() -> Iterator[str]:
    yield from ("| code | severity | what | first | second | wait states |", "|---|---|---|---|---|---|")
    for item in DISTANCES:
        finding = _distance_finding(item)
        chip = "" if item.arch == "gfx950" else f" ({item.arch})"
        what = f"{finding.severity.name.lower()} | {finding.explanation.partition(' after ')[0]}{chip}"
        yield f"| {item.code} | {what} | `{item.first}` | `{item.second}` | {item.need} |"


def _distance_finding(item: Distance) -> Finding:
    """What one wait state too few gives."""
    (finding,) = load(kernel_text(item.text(item.need - 1), arch=item.arch)).hazards
    return finding


def _severities(code: str) -> str:
    found = {_distance_finding(item).severity for item in DISTANCES if item.code == code}
    return " or ".join(severity.name.lower() for severity in sorted(found, reverse=True))


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
