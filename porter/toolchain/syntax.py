# SPDX-License-Identifier: Apache-2.0
"""The syntax of a module's text, parsed once for all that look at it; a child looks at every text that it compiles."""

from __future__ import annotations

import ast
from functools import cache


@cache
def nodes(text: str) -> tuple[ast.AST, ...]:
    """Every node of a module, outer ones first. Raises SyntaxError and what else `ast.parse` raises."""
    return tuple(ast.walk(ast.parse(text)))
