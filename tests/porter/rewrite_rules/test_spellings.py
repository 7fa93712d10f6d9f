# SPDX-License-Identifier: Apache-2.0
"""Every kind of site under an alias, a `from` import and a wrapper, and nothing at all under a stranger's name."""

from __future__ import annotations

import ast

import pytest

from porter.rewrite_rules import Refused, Rewritten, Unchanged, native_scaling, rewrite_sources
from porter.rewrite_rules.cases import frame
from porter.rewrite_rules.rule import Case
from porter.toolchain import KernelSource
from tests.porter.rewrite_rules.kernels import compiled, execute, problem_for

CODE = """
def code(scale):
    return scale.bitcast(fx.Int32) >> 23
"""
FRAGMENTS = "a, b, d = fragment(w, 8, fx.Int32), fragment(x, 8, fx.Int32), fragment(acc, 4, fx.Float32)\n"
STORE = "acc = d.load()\n"

RAW = "acc = {name}(t, [w, x, acc, 0, 0, 0, code(ws), 0, code(xs)])"
HALVES = """
code_w, code_x = code(ws), code(xs)
for half in range_constexpr(2):
    acc = {name}(t, [w[half], x[half], acc, 0, 0, 0, code_w, 0, code_x])
"""
GROUPS = (
    "sa, sb = fx.make_rmem_tensor(1, fx.Int32), fx.make_rmem_tensor(1, fx.Int32)\n"
    "sa[0] = code(ws)\nsb[0] = code(xs)\n"
    "atom = fx.make_mma_atom({name}(16, 16, 128, fx.Float8E4M3FN))\n"
    + FRAGMENTS
    + "fx.gemm(atom, d, [a, sa], [b, sb], d)\n"
    + STORE
)
STATE = (
    "atom = fx.make_mma_atom({name}(16, 16, 128, fx.Float8E4M3FN))\n"
    + FRAGMENTS
    + "fx.gemm(atom, d, a, b, d, scale_a=code(ws), scale_b=code(xs))\n"
    + STORE
)

RAW_NAME, HALF_NAME, ATOM = "mfma_scale_f32_16x16x128_f8f6f4", "mfma_scale_f32_32x32x64_f8f6f4", "MFMA_Scale"
SITES = {
    "raw": (RAW, "flydsl.expr.rocdl", RAW_NAME, 16),
    "halves": (HALVES, "flydsl.expr.rocdl", HALF_NAME, 32),
    "groups": (GROUPS, "flydsl.expr.rocdl.cdna4", ATOM, 16),
    "state": (STATE, "flydsl.expr.rocdl.cdna4", ATOM, 16),
}


def alias(module, name):
    return f"import {module} as family", "", f"family.{name}"


def constant(module, name):
    return f"import {module} as family", f"OPERATION = family.{name}\n", "OPERATION"


def from_import(module, name):
    return f"from {module} import {name} as operation", "", "operation"


def wrapper(module, name):
    body = f"def operation(*operands):\n    return {module.replace('flydsl.expr', 'fx')}.{name}(*operands)\n"
    if name != ATOM:
        body = body.replace("*operands", "kind, operands")
    else:
        body = body.replace("*operands", "rows, columns, k, kind")
    return "", body, "operation"


@pytest.mark.parametrize("spelling", [alias, constant, from_import], ids=lambda f: f.__name__)
@pytest.mark.parametrize("site", SITES)
def test_is_found_by_what_it_means(site, spelling):
    loop, module, name, rows = SITES[site]
    imports, helpers, called = spelling(module, name)
    text = frame(Case(site, loop.format(name=called), helpers=helpers + CODE, imports=imports, rows=rows))
    outcome = rewrite_sources({"a.py": text})["a.py"]
    assert isinstance(outcome, Rewritten), outcome
    check(outcome.text)


@pytest.mark.parametrize("site", ["groups", "state"])
def test_is_found_behind_a_wrapper_of_the_atom(site):
    loop, module, name, rows = SITES[site]
    imports, helpers, called = wrapper(module, name)
    text = frame(Case(site, loop.format(name=called), helpers=helpers + CODE, imports=imports, rows=rows))
    outcome = rewrite_sources({"a.py": text})["a.py"]
    assert isinstance(outcome, Rewritten), outcome
    check(outcome.text)


def test_is_found_behind_a_wrapper_of_the_raw_call():
    helpers = f"""
def multiply(kind, a, b, c, scale_a, scale_b):
    return rocdl.{RAW_NAME}(kind, [a, b, c, 0, 0, 0, scale_a, 0, scale_b])
"""
    text = frame(Case("raw", "acc = multiply(t, w, x, acc, code(ws), scale_b=code(xs))", helpers=CODE + "\n" + helpers))
    outcome = rewrite_sources({"a.py": text})["a.py"]
    assert isinstance(outcome, Rewritten), outcome
    check(outcome.text)


def test_is_found_behind_a_method():
    helpers = f"""
class Driver:
    def __init__(self, kind):
        self.kind = kind

    def halves(self, w, x, c, scale_w, scale_x):
        part = rocdl.{HALF_NAME}(self.kind, [w[0], x[0], c, 0, 0, 0, scale_w, 0, scale_x])
        return rocdl.{HALF_NAME}(self.kind, [w[1], x[1], part, 0, 0, 0, scale_w, 0, scale_x])
"""
    loop = "acc = Driver(t).halves(w, x, acc, code(ws), code(xs))"
    outcome = rewrite_sources({"a.py": frame(Case("halves", loop, helpers=CODE + "\n" + helpers, rows=32))})["a.py"]
    assert isinstance(outcome, Rewritten), outcome
    check(outcome.text)


@pytest.mark.parametrize(
    "encoder",
    [
        "(scale.bitcast(fx.Int32) >> 23) & 0xFF",
        "scale.bitcast(fx.Uint32) >> 23",
        "(scale.bitcast(fx.Int32) & 0x7F800000) >> 23",
        "(scale.bitcast(fx.Uint32) << 1) >> 24",
        "(scale.bitcast(fx.Int32) + 0x400000) >> 23",
        "(scale.bitcast(fx.Int32) + 0x7FFFFF) >> 23",
        "scale.bitcast(fx.Int32) // 8388608",
        "((scale.bitcast(fx.Int32) >> 23) - 127) + 127",
        "fx.max(fx.Int32(1), scale.bitcast(fx.Int32) >> 23)",
        "((scale.bitcast(fx.Int32) >> 23) & 0xFF) * 0x01010101",
        "fx.Vector.filled(1, scale, fx.Float32).bitcast(fx.Int32)[0] >> 23",
        "(fx.Float32(rocdl.log(T.f32, scale.ir_value())) + 127.5).to(fx.Int32)",
        "(scale.bitcast(fx.Int32) == 0).select(1, scale.bitcast(fx.Int32) >> 23)",
    ],
)
def test_an_encoder_is_known_by_what_it_computes(encoder):
    helpers = f"def code(scale):\n    return {encoder}\n"
    outcome = rewrite_sources({"a.py": frame(Case("raw", RAW.format(name=f"rocdl.{RAW_NAME}"), helpers=helpers))})[
        "a.py"
    ]
    assert isinstance(outcome, Rewritten), outcome
    assert "def code" not in outcome.text


@pytest.mark.parametrize(
    "not_an_encoder",
    [
        "(scale.bitcast(fx.Int32) >> 22) & 0xFF",  # a mantissa bit too many
        "(scale.bitcast(fx.Int32) >> 23) + 1",  # twice the scale
        "((scale.bitcast(fx.Int32) >> 23) & 0xFF) << 8",  # the wrong byte
        "254 - ((scale.bitcast(fx.Int32) >> 23) & 0xFF)",  # the reciprocal
        "(scale.bitcast(fx.Int32) >> 23) & 0x7F",  # an exponent bit too few
        "fx.min(fx.Int32(130), scale.bitcast(fx.Int32) >> 23)",  # clamped
    ],
)
def test_what_is_not_exact_on_powers_of_two_is_no_encoder(not_an_encoder):
    helpers = f"def code(scale):\n    return {not_an_encoder}\n"
    text = frame(Case("raw", RAW.format(name=f"rocdl.{RAW_NAME}"), helpers=helpers))
    outcome = rewrite_sources({"a.py": text})["a.py"]
    assert not isinstance(outcome, Rewritten)


@pytest.mark.parametrize("code", ["xs + (ws > 1.0)", "(ws > 1.0) - xs", "(xs > 0.0) + (ws > 0.0)"])
def test_arithmetic_on_a_comparison_is_refused_and_no_traceback(code):
    loop = f"acc = rocdl.{RAW_NAME}(t, [w, x, acc, 0, 0, 0, {code}, 0, {code}])"
    outcome = rewrite_sources({"a.py": frame(Case("raw", loop))})["a.py"]
    assert isinstance(outcome, Refused)


def test_a_stranger_of_the_same_name_is_left_alone():
    helpers = f"class rocdl_like:\n    @staticmethod\n    def {RAW_NAME}(kind, operands):\n        return operands[2]\n"
    text = frame(Case("raw", RAW.format(name=f"rocdl_like.{RAW_NAME}"), helpers=helpers + CODE))
    assert isinstance(rewrite_sources({"a.py": text})["a.py"], Unchanged)


def check(text):
    """A rewritten case: it parses, compiles to no native scaling, and holds the contract."""
    ast.parse(text)
    kernel = compiled(KernelSource("case", text), 128, 1024)
    assert not native_scaling(kernel.isa)
    assert execute(kernel, problem_for(kernel.spec, "general")).comparison.equal
