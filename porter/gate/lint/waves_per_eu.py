# SPDX-License-Identifier: Apache-2.0
"""CKG014: waves_per_eu that is no attribute of the kernel, so that not every compile of it sees the value.

Source: FlyDSL#785; docs/notes/flydsl.md#silent-failures.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from porter.gate.lint.module import LintModule
from porter.gate.result import GateFinding
from porter.gate.rule import GateRule

RULE = GateRule(
    "CKG014",
    "waves-per-eu",
    "waves_per_eu is not an attribute of the kernel, so not every compile of it sees the value.",
    'Give it where the kernel is called: `value_attrs={"rocdl.waves_per_eu": 2}`.',
)
_ATTRIBUTE, _HINT = "rocdl.waves_per_eu", "waves_per_eu"
VALID = (
    'SPEC = {"waves_per_eu": 2}\nattributes = {"rocdl.waves_per_eu": 2}\n',
    "import flydsl.compiler as flyc\n\nk = flyc.compile(lambda: None)\nbuild(waves_per_eu=2)\n",
)
INVALID = (
    ('import flydsl.compiler as flyc\n\nk = flyc.compile[{"waves_per_eu": 2}](lambda: None)\n', 3),
    ("import flydsl.compiler as flyc\n\nk = flyc.compile[dict(waves_per_eu=2)](lambda: None)\n", 3),
    ("SPEC = dict(waves_per_eu=2)\n", 1),
    ('SPEC = {"waves_per_eu": 2}\n', 1),
    ('import flydsl.compiler as flyc\n\n\n@flyc.jit(compile_hints={"waves_per_eu": 2})\ndef f():\n    pass\n', 4),
)


def check(module: LintModule) -> Iterator[GateFinding]:
    """Hints in a subscript or call of FlyDSL's compiler, and a SPEC whose value no attribute carries."""
    keys = [key for node in ast.walk(module.tree) for key in _keys(node)]
    hints = {
        id(key)
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Subscript | ast.Call) and module.names.of(_head(node)).startswith("flydsl.")
        for part in ast.walk(node)
        for key in _keys(part)
    }
    for node in keys:
        if id(node) in hints:
            message = "waves_per_eu is a compile hint here: who compiles the launcher without it loses it"
            yield module.finding(RULE.id, message, node.lineno)
    carried = any(isinstance(node, ast.Constant) and node.value == _ATTRIBUTE for node in ast.walk(module.tree))
    declared = [node for node in keys if id(node) not in hints]
    if declared and not carried:
        yield module.finding(RULE.id, f"no attribute {_ATTRIBUTE} carries the declared value", declared[0].lineno)


def _keys(node: ast.AST) -> Iterator[ast.Constant | ast.keyword]:
    """The key as a string, or as a keyword of `dict`."""
    if isinstance(node, ast.Constant) and node.value == _HINT:
        yield node
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "dict":
        yield from (item for item in node.keywords if item.arg == _HINT)


def _head(node: ast.Subscript | ast.Call) -> ast.expr:
    return node.value if isinstance(node, ast.Subscript) else node.func
