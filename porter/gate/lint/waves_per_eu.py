# SPDX-License-Identifier: Apache-2.0
"""CKG014: waves_per_eu that never reaches the compiler (users.md 3, row 18: as a compile hint it is dropped)."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from porter.gate.lint.module import LintModule
from porter.gate.result import GateFinding

RULE = "CKG014"
_ATTRIBUTE, _HINT = "rocdl.waves_per_eu", "waves_per_eu"
VALID = (
    'SPEC = {"waves_per_eu": 2}\nattributes = {"rocdl.waves_per_eu": 2}\n',
    "import flydsl.compiler as flyc\n\nk = flyc.compile(lambda: None)\n",
)
INVALID = (
    ('import flydsl.compiler as flyc\n\nk = flyc.compile[{"waves_per_eu": 2}](lambda: None)\n', 3),
    ('SPEC = {"waves_per_eu": 2}\n', 1),
    ('import flydsl.compiler as flyc\n\n\n@flyc.jit(compile_hints={"waves_per_eu": 2})\ndef f():\n    pass\n', 4),
)


def check(module: LintModule) -> Iterator[GateFinding]:
    """Hints in a subscript or call of FlyDSL's compiler, and a SPEC whose value no attribute carries."""
    strings = [node for node in ast.walk(module.tree) if isinstance(node, ast.Constant) and node.value == _HINT]
    hints = {
        id(part): node.lineno
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Subscript | ast.Call) and module.names.of(_head(node)).startswith("flydsl.")
        for part in ast.walk(node)
        if isinstance(part, ast.Constant) and part.value == _HINT
    }
    for node in strings:
        if id(node) in hints:
            yield module.finding(RULE, "waves_per_eu is a compile hint here, which FlyDSL drops", node.lineno)
    carried = any(isinstance(node, ast.Constant) and node.value == _ATTRIBUTE for node in ast.walk(module.tree))
    declared = [node for node in strings if id(node) not in hints]
    if declared and not carried:
        yield module.finding(RULE, f"no attribute {_ATTRIBUTE} carries the declared value", declared[0].lineno)


def _head(node: ast.Subscript | ast.Call) -> ast.expr:
    return node.value if isinstance(node, ast.Subscript) else node.func
