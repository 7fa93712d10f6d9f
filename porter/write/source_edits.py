# SPDX-License-Identifier: Apache-2.0
"""Changes to the text of a generated kernel, for its numeric mutants and its measurement twins."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Edit:
    """pattern: places in a kernel's text; replacement: `re.sub` template of what stands there afterwards."""

    pattern: str
    replacement: str

    def apply(self, text: str) -> tuple[str, int]:
        """The changed text, and in how many places it changed: a template may have moved on, so callers look."""
        return re.subn(self.pattern, self.replacement, text)
