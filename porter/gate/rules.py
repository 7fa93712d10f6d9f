# SPDX-License-Identifier: Apache-2.0
"""Every kind of failure that the gate knows, each under an id of its own; ids are never reused.

Lint rules and checks state their own (`porter.gate.lint`, `porter.gate.checks`); here stand those of the scope.
"""

from __future__ import annotations

from porter.gate import checks, lint
from porter.gate.rule import GateRule

_SCOPE = (
    GateRule(
        "CKG016",
        "unreadable-kernel",
        "A kernel in scope is missing, is no Python, declares itself wrongly, or has rows that it cannot serve.",
        "Repair the file, or its entry in [tool.porter.kernels].",
    ),
    GateRule(
        "CKG047",
        "unconfined",
        "Kernels' modules are run without the confinement that this system lacks.",
        "Run the gate on a Linux kernel with Landlock and seccomp before it imports a stranger's kernels.",
        "note",
    ),
    GateRule("CKG060", "not-run", "A check could not run.", "Make it run, or allow it by name with `allow-missing`."),
    GateRule("CKG061", "nothing-checked", "The gate checked nothing.", "Name inputs or kernels in [tool.porter]."),
)

#: By id.
RULES = {rule.id: rule for rule in sorted((*lint.stated(), *checks.stated(), *_SCOPE), key=lambda rule: rule.id)}
