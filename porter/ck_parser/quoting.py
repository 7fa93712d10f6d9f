# SPDX-License-Identifier: Apache-2.0
"""How a rejected value is quoted in a message."""

from __future__ import annotations

_QUOTE_CHARS = 120


def quote(text: str) -> str:
    """`text` as a message shows it: escaped, and cut to 120 characters."""
    return repr(text) if len(text) <= _QUOTE_CHARS else f"{text[:_QUOTE_CHARS]!r}... ({len(text)} characters)"
