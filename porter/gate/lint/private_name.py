# SPDX-License-Identifier: Apache-2.0
"""CKG011: FlyDSL names outside its stable list, which any release may change (users.md 3, row 41)."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib import resources

from porter.gate.lint.module import LintModule
from porter.gate.lint.names import imported, maximal
from porter.gate.result import GateFinding

RULE = "CKG011"
VALID = (
    "import flydsl.compiler as flyc\nimport flydsl.expr as fx\n\n@flyc.kernel\ndef k(A):\n    fx.barrier()\n",
    "import flydsl.expr as fx\n\nx = fx.Vector.filled(4, 0.0, fx.Float32)\ny = fx.math.fma(x, x, x)\n",
    "import torch\n\nx = torch._C\n",
)
INVALID = (
    ("from flydsl._mlir.dialects import llvm\n", 1),
    ("import flydsl.expr as fx\n\nfx.rocdl.sched_barrier(0)\n", 3),
    ("from flydsl.expr import rocdl as r\n\nx = r.readfirstlane\n", 3),
    ("def f():\n    import flydsl._mlir.ir as ir\n    return ir\n", 2),
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
    return name in _modules() or any(".".join(parts[:n]) in stable_names() for n in range(2, len(parts) + 1))


def check(module: LintModule) -> Iterator[GateFinding]:
    """Every import and every use of a FlyDSL name that is not stable, one finding a line."""
    if module.shim:
        return
    found: dict[int, str] = {}
    for name, statement in imported(module.tree):
        if name.partition(".")[0] == "flydsl" and not _stable(name):
            found.setdefault(statement.lineno, name)
    private = tuple(found.values())
    for node in maximal(module.tree):
        name = module.names.of(node)
        # What an import already reported brings in is not reported again at every use.
        if name.partition(".")[0] == "flydsl" and not _stable(name) and not name.startswith(private):
            found.setdefault(node.lineno, name)
    for line, name in sorted(found.items()):
        yield module.finding(RULE, f"{name} is not among FlyDSL's stable names", line)
