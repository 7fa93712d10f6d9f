# SPDX-License-Identifier: Apache-2.0
"""CKG010: a scaled MFMA that takes data scales. The rewriter's own reading of the source decides what is one."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import PurePosixPath

from porter.gate.lint.module import LintModule
from porter.gate.lint.names import assigned, used
from porter.gate.result import GateFinding
from porter.gate.rule import Rule

RULE = Rule(
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
    *(
        (f"import functools\n{_ATOM}(16, 16, 128, fx.Float8E4M3FN))\n    {given}\n    {call}\n", 7)
        for given, call in (
            ('kw = {"scale_a": s, "scale_b": s}', "fx.gemm(atom, d, a, b, c, **kw)"),
            ("kw = dict(scale_a=s, scale_b=s)", "fx.gemm(atom, d, a, b, c, **kw)"),
            ('kw = {}; kw["scale_a"] = s', "fx.gemm(atom, d, a, b, c, **kw)"),
            ("g = functools.partial(fx.gemm, scale_a=s, scale_b=s)", "g(atom, d, a, b, c)"),
            ("g = functools.partial(fx.gemm, atom); g(d, a, b, c, scale_a=s)", "return d"),
            ('getattr(fx, "gemm")(atom, d, a, b, c, scale_a=s, scale_b=s)', "return d"),
            ("run(atom, d, a, b, c, scale_a=s)", "\n\ndef run(*all, **kw):\n    fx.gemm(*all, **kw)"),
        )
    ),
    ("from flydsl.expr import gemm\n\n\ndef inner(atom, d, a, b, c, s):\n    gemm(atom, d, a, b, c, scale_a=s)\n", 5),
    (
        "from flydsl.expr import rocdl\n\n\ndef tile(ty, a, b, c, s, t):\n"
        "    return rocdl.mfma_scale_f32_16x16x128_f8f6f4(ty, [a, b, c, 0, 0, 0, s, 0, t])\n",
        5,
    ),
)


def check(module: LintModule) -> Iterator[GateFinding]:
    """A finding at every site that `porter rewrite` would replace, at the place where it refuses to, and where a scale
    takes a way that it does not follow: keywords in a dict, `functools.partial`, `getattr`."""
    if not any(_SCALES.search(text) for text in (module.text, *module.siblings.values())):
        return
    from porter.rewrite_rules import Failed, Refused, Rewritten, rewrite_sources

    folder = PurePosixPath(module.path).parent
    texts = {str(folder / name): text for name, text in module.siblings.items()}
    outcome = rewrite_sources({**texts, module.path: module.text})[module.path]
    found = dict.fromkeys(_hidden(module), "native scaling, given in a way that porter rewrite does not follow")
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


def _hidden(module: LintModule) -> Iterator[int]:
    """Lines that give data as a scale to what hands its keywords on, where an MMA call gets keywords in such a way."""
    ways = {"dict", "update"}
    indirect = False
    for each in (module, *_siblings(module)):
        calls = [node for node in ast.walk(each.tree) if isinstance(node, ast.Call) and _indirect(each, node)]
        functions = [node for node in ast.walk(each.tree) if isinstance(node, ast.FunctionDef) and node.args.kwarg]
        indirect = indirect or bool(calls)
        ways |= {function.name for function in functions}
        ways |= set().union(*(used(target) for _, target, value in assigned(each.tree) if value in calls))
    for node in ast.walk(module.tree) if indirect else ():
        given: list[tuple[str | None, ast.expr]] = []
        if isinstance(node, ast.Call) and (_last(node.func) in ways or _indirect(module, node)):
            given = [(item.arg, item.value) for item in node.keywords]
        elif isinstance(node, ast.Dict):
            given = [
                (ast.unparse(key).strip("'"), value) for key, value in zip(node.keys, node.values, strict=True) if key
            ]
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            given = [(ast.unparse(node.targets[0].slice).strip("'"), node.value)]
        if any(name in ("scale_a", "scale_b") and _is_data(module, value) for name, value in given):
            yield node.lineno  # type: ignore[attr-defined]


def _indirect(module: LintModule, call: ast.Call) -> bool:
    """Whether a call gets an MMA call as an argument, is `getattr` of one, or is one with `**`."""
    from porter.rewrite_rules.engine.names import MMA_CALLS, short

    mma = [short(module.names.of(node)) in MMA_CALLS for node in (call.func, *call.args)]
    open_ = isinstance(call.func, ast.Call) or any(item.arg is None for item in call.keywords)
    return any(mma[1:]) or (mma[0] and open_)


def _is_data(module: LintModule, value: ast.expr) -> bool:
    """Whether any name in a value is not imported; a scale of constants, such as 127, is pinned."""
    return any(isinstance(part, ast.Name) and not module.names.of(part) for part in ast.walk(value))


def _last(node: ast.expr) -> str:
    return ast.unparse(node).rpartition(".")[2]


def _siblings(module: LintModule) -> Iterator[LintModule]:
    for name, text in module.siblings.items():
        sibling = LintModule(name, name, text)
        with suppress(SyntaxError):
            _ = sibling.tree
            yield sibling
