# SPDX-License-Identifier: Apache-2.0
"""docs/wait-checks.md from the checks and what their examples really show.

`python -m oracle.waits.page FILE` writes it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from oracle.machine import Finding
from oracle.machine.check_examples import Example
from oracle.machine.check_examples.example import HEAD
from oracle.machine.check_examples.page import section, table

from .examples import CHECKS, TWINS, find
from .report import CODES, Undecided

PAGE, MACHINE_PAGE = "docs/wait-checks.md", "machine-checks.md"

_INTRODUCTION = f"""\
<!-- Written by `python -m oracle.waits.page {PAGE}`; a test compares. -->

# The static check of waits

The [machine](machine-checks.md) finds what happens in the runs that it is given. A kernel's code is compiled anew for
every N and K, and a count in `s_waitcnt` that fits one of them may be wrong for the next. So the compiled code is also
checked without running it: `oracle.waits.check(program)` follows every path of the control flow graph, in milliseconds,
and what it says holds for whatever arguments a launch has.

- Every load into a register, and every LDS DMA, is followed with the least number of younger operations that any path
  may have put behind it. A wait for n proves those with at least n; scalar loads return in any order and need
  `lgkmcnt(0)`.
- LDS accesses are ordered as in the machine: one of wave A comes before one of wave B if A's had been waited for at the
  last barrier that both passed. Waves that branch by their number are followed as groups, from barrier to barrier.
- Which bytes of LDS an access touches is computed from the work-item, M0 and constants. Only accesses that meet matter.

What the check cannot decide it lists as {Undecided.code}, with the reason: an LDS address that depends on memory or is
counted up in a loop, where another access that nothing orders may meet it; waves that part before a barrier by a
condition that is not known; an indirect jump. That is no finding, but no proof either.

Branches whose outcome is not known are taken as independent of each other, so code whose conditions exclude one another
may be accused of what it never does. It says nothing false of porter's own kernels; findings in shipped, hand-written
objects of many wave roles were not all read, and need reading.

Each finding is shown by programs beside their twins without the fault: those of the machine's checks that are named
with it, and more below. All start with the lines below; the machine's page says what the registers hold.

```
{HEAD.strip()}
```
"""


def page() -> str:
    """docs/wait-checks.md."""
    lines = [_INTRODUCTION, *table(CHECKS, CODES), ""]
    for check in CHECKS:
        lines += section(check, CODES, _found)
        lines += _twins(check.code)
    return "\n".join(lines).rstrip() + "\n"


def _twins(code: str) -> list[str]:
    """Where more programs are."""
    links = [f"[{twin}]({MACHINE_PAGE}#{twin.lower()})" for twin, codes in TWINS.items() if code in codes]
    return [f"Programs that the machine finds by running them, and this check without: {', '.join(links)}.", ""]


def _found(example: Example) -> Sequence[Finding]:
    return find(example.faulty, example.waves).findings


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
