# SPDX-License-Identifier: Apache-2.0
"""CKG015: flydsl versions that porter does not support: what a module was written for, against the range."""

from __future__ import annotations

import re
from collections.abc import Iterator

from porter.gate.lint.module import LintModule
from porter.gate.result import GateFinding
from porter.gate.rule import GateRule

RULE = GateRule(
    "CKG015",
    "flydsl-range",
    "The kernel asks for a flydsl version that is not supported, or the installed one is not.",
    "Install flydsl from the supported range, or regenerate the kernel.",
)
#: First version supported, and the first that is not; as pyproject.toml asks for.
SUPPORTED = ((0, 5), (0, 6))
_HEADER = re.compile(r"^# flydsl v?(\d\S*)[ \t]*$", re.MULTILINE)
VALID = (
    "# flydsl 0.5.0\n",
    "x = 1\n",
    "# flydsl 0.5\n",
    "# flydsl 0.5.0\r\n",
    "# flydsl kernels\n",
    "# flydsl 8 waves\n",
)
INVALID = (
    ("# SPDX\n# flydsl 0.4.1\n", 2),
    ("# flydsl 0.6.0\n", 1),
    ("x = 1\r\n# flydsl 0.4.1\r\n", 2),
    ("\ufeff# flydsl v1\n", 1),
)


def supported(version: str) -> bool:
    """Whether a version such as `0.5.0` lies in the range."""
    match = re.match(r"(\d+)\.(\d+)", version)
    return bool(match) and SUPPORTED[0] <= (int(match[1]), int(match[2])) < SUPPORTED[1]  # type: ignore[index]


def in_words() -> str:
    """The range as a requirement."""
    (low, high), (above, next_) = SUPPORTED
    return f">={low}.{high},<{above}.{next_}"


def check(module: LintModule) -> Iterator[GateFinding]:
    """The version in a generated module's header."""
    for match in _HEADER.finditer(module.text):
        if not supported(match[1]):
            line = module.text.count("\n", 0, match.start()) + 1
            yield module.finding(RULE.id, f"written for flydsl {match[1]}, porter supports {in_words()}", line)
