# SPDX-License-Identifier: Apache-2.0
"""CKG010: a scaled MFMA that takes data scales. The rewriter's own reading of the source decides what is one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from porter.gate.lint.module import LintModule
from porter.gate.result import GateFinding
from porter.gate.rule import GateRule

RULE = GateRule(
    "CKG010",
    "native-e8m0",
    "A scaled MFMA takes data scales: E8M0 rounds CK's fp32 scales to powers of two.",
    "Run `porter rewrite` on the kernel: keep the MFMA unscaled and promote each K block in fp32.",
)
#: What every way to give an MFMA a scale spells somewhere; without it the module need not be read more closely.
_SCALES = re.compile(r"scale_[ab]\b|mfma_scale")
_ATOM = "import flydsl.expr as fx\n\n\ndef tile(a, b, c, d, s):\n    atom = fx.make_mma_atom(fx.rocdl.cdna4.MFMA_Scale"
VALID = (
    f"{_ATOM}(16, 16, 128, fx.Float8E4M3FN))\n    fx.gemm(atom, d, a, b, c)\n",
    "x_scale_a = 1\n",
    f"{_ATOM}(16, 16, 128, fx.Float8E4M3FN))\n    kw = {{'traversal_order': 1}}\n    fx.gemm(atom, d, a, b, c, **kw)\n"
    "\n\nhost(scale_a=data, scale_b=data)\nnames = {'scale_a': None}\n",
    f"{_ATOM}(16, 16, 128, fx.Float8E4M3FN))\n    kw = dict(scale_a=fx.Int32(127), scale_b=fx.Int32(127))\n"
    "    fx.gemm(atom, d, a, b, c, **kw)\n",
)
INVALID = (
    (f"{_ATOM}(16, 16, 128, fx.Float8E4M3FN))\n    fx.gemm(atom, d, a, b, c, scale_a=s, scale_b=s)\n", 6),
    ("from flydsl.expr import gemm\n\n\ndef inner(atom, d, a, b, c, s):\n    gemm(atom, d, a, b, c, scale_a=s)\n", 5),
    (
        "from flydsl.expr import rocdl\n\n\ndef tile(ty, a, b, c, s, t):\n"
        "    return rocdl.mfma_scale_f32_16x16x128_f8f6f4(ty, [a, b, c, 0, 0, 0, s, 0, t])\n",
        5,
    ),
)


def check(module: LintModule) -> Iterator[GateFinding]:
    """A finding at every site that `porter rewrite` would replace, and at the place where it refuses to."""
    if not any(_SCALES.search(text) for text in (module.text, *module.siblings.values())):
        return
    from porter.rewrite_rules import Failed, Refused, Rewritten, rewrite_sources

    folder = PurePosixPath(module.path).parent
    texts = {str(folder / name): text for name, text in module.siblings.items()}
    outcome = rewrite_sources({**texts, module.path: module.text})[module.path]
    found: dict[int, str] = {}
    # A refusal is about an expression that feeds the scale; the finding belongs where the scale is given.
    if isinstance(outcome, Refused):
        why = f"native scaling, not rewritten: {outcome.why} [{outcome.code}]"
        found.update(dict.fromkeys(_givers(module.tree), why))
    elif isinstance(outcome, Failed):
        found.update(dict.fromkeys(_givers(module.tree), f"native scaling, not rewritten: {outcome.error}"))
    elif isinstance(outcome, Rewritten):
        for site in outcome.sites:
            found[site.line] = "this MFMA takes E8M0 data scales; porter rewrite replaces it"
    for line, message in sorted(found.items()):
        yield module.finding(RULE.id, message, line)


def _givers(tree: ast.Module) -> Iterator[int]:
    """Lines of calls that hand an MFMA a scale, by keyword, by the name of an atom's state or by the raw builder."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            names = {item.arg or "" for item in node.keywords}
            names |= {str(part.value) for part in ast.walk(node) if isinstance(part, ast.Constant)}
            names |= {node.func.attr} if isinstance(node.func, ast.Attribute) else set()
            if any(_SCALES.search(name) for name in names):
                yield node.lineno
