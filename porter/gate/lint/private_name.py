# SPDX-License-Identifier: Apache-2.0
"""CKG011: FlyDSL names outside its stable list, which any release may change.

Source: docs/notes/flydsl.md#stable-names; sglang#33142.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from importlib import resources

from porter.gate.lint.module import LintModule
from porter.gate.lint.names import Names, imported, maximal
from porter.gate.result import GateFinding
from porter.gate.rule import GateRule

RULE = GateRule(
    "CKG011",
    "private-name",
    "A FlyDSL name outside the stable list is used outside the shim.",
    "Use a stable name, or put the private one into a `_shim.py` beside the kernel (docs/gate.md).",
)
_FX = "import flydsl.expr as fx\n\n"
VALID = (
    "import flydsl.compiler as flyc\nimport flydsl.expr as fx\n\n@flyc.kernel\ndef k(A):\n    fx.barrier()\n",
    "import flydsl.expr as fx\n\nx = fx.Vector.filled(4, 0.0, fx.Float32)\ny = fx.math.fma(x, x, x)\n",
    "import torch\n\nx = torch._C\n",
    f"{_FX}r = fx\nr = r.rocdl\nx = r.make_buffer_ptr\n",
)
INVALID = (
    ("from flydsl._mlir.dialects import llvm\n", 1),
    ("import flydsl.expr as fx\n\nfx.rocdl.sched_barrier(0)\n", 3),
    ("from flydsl.expr import rocdl as r\n\nx = r.readfirstlane\n", 3),
    ("def f():\n    import flydsl._mlir.ir as ir\n    return ir\n", 2),
    (f"{_FX}r = fx.rocdl\nr.sched_barrier(0)\n", 4),
    (f"{_FX}f, q = fx, r.rocdl\nr: object = f\nq.sched_barrier(0)\n", 5),
    (f"{_FX}(r := fx.rocdl).sched_barrier(0)\n", 3),
    (f"{_FX}fence = fx.rocdl.sched_barrier\nfence(0)\n", 3),
    ("from flydsl.expr.rocdl import *\n", 1),
    ("from flydsl.expr import *\n", 1),
)


@cache
def stable_names() -> frozenset[str]:
    text = (resources.files("porter.gate.lint") / "stable_names.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


@cache
def _modules() -> frozenset[str]:
    """Every module on the way to a stable name: importing one is no use of a private name."""
    parts = [name.split(".") for name in stable_names()]
    return frozenset(".".join(part[:n]) for part in parts for n in range(1, len(part)))


def _stable(name: str) -> bool:
    parts = name.split(".")
    if parts[-1] == "*":
        return False  # it may bring in anything
    return name in _modules() or any(".".join(parts[:n]) in stable_names() for n in range(2, len(parts) + 1))


def _private(name: str) -> bool:
    return name.partition(".")[0] == "flydsl" and not _stable(name)


def check(module: LintModule) -> Iterator[GateFinding]:
    """Every import and every use of a FlyDSL name that is not stable, one finding a line."""
    names = module.names
    if module.shim:
        return
    found: dict[int, str] = {}
    for name, line in imported(module.tree):
        if _private(name):
            found.setdefault(line, name)
    private = tuple(found.values())
    for node in maximal(module.tree):
        name = names.of(node)
        # What a reported import or assignment binds is not reported again at every use.
        if _private(name) and not name.startswith(private) and not _private(_root(names, node)):
            found.setdefault(node.lineno, name)
    for line, name in sorted(found.items()):
        yield module.finding(RULE.id, f"{name} is not among FlyDSL's stable names", line)


def _root(names: Names, node: ast.expr) -> str:
    """What the name that an attribute chain starts with means."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return names.of(node) if isinstance(node, ast.Name) else ""
