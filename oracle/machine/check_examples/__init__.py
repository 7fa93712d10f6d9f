# SPDX-License-Identifier: Apache-2.0
"""For every check of the machine, small programs that it catches and their repaired twins: documentation and tests.

docs/machine-checks.md is written from them: `python -m oracle.machine.check_examples.page docs/machine-checks.md`.
"""

from __future__ import annotations

from .distances import DISTANCES
from .example import Check, Distance, Example, find, kernel_text
from .lds import LDS
from .memory import MEMORY
from .order import ORDER
from .registers import REGISTERS
from .sharing import SHARING

#: Every check that running code can trip, by code; the hazard distances are in DISTANCES.
CHECKS = tuple(sorted((*REGISTERS, *LDS, *MEMORY, *ORDER, *SHARING), key=lambda check: check.code))

__all__ = ["CHECKS", "DISTANCES", "Check", "Distance", "Example", "find", "kernel_text"]
