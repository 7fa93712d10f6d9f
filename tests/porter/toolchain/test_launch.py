# SPDX-License-Identifier: Apache-2.0
"""The host side of a launcher as data."""

from __future__ import annotations

import ctypes
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porter.errors import ToolchainError
from porter.toolchain import CompileRequest, KernelSource, Launch, compile_kernel
from porter.toolchain.launch import evaluate

TWO_KERNELS = """
import flydsl.compiler as flyc
import flydsl.expr as fx

SPEC = {"name": "pair", "args": [{"name": "A", "kind": "pointer", "dtype": "fp32"},
                                 {"name": "B", "kind": "pointer", "dtype": "fp32"}, {"name": "M", "kind": "i32"}]}


def build(N, K):
    @flyc.kernel(name="first")
    def first(B: fx.Pointer, M: fx.Int32):
        pass

    @flyc.kernel(name="second")
    def second(M: fx.Int32, A: fx.Pointer, B: fx.Pointer):
        pass

    @flyc.jit
    def launch(A: fx.Pointer, B: fx.Pointer, M: fx.Int32, stream: fx.Stream = fx.Stream(None)):
        first(B, M).launch(grid=((M + 63) // 64 * N, 2, 1), block=(256, 1, 1), stream=stream)
        second(M, A, B).launch(grid=(M * 3, 1, 1), block=(64, 2, 1), stream=stream)

    return launch
"""


def test_launches_come_from_the_traced_host_function() -> None:
    compiled = compile_kernel(CompileRequest(KernelSource("pair", TWO_KERNELS), 5, 128, "gfx950"), use_cache=False)
    first, second = compiled.launches
    assert (first.kernel, first.args, first.geometry([0, 0, 65])) == ("first", (1, 2), ((10, 2, 1), (256, 1, 1)))
    assert (second.kernel, second.args, second.geometry([0, 0, 7])) == ("second", (2, 0, 1), ((21, 1, 1), (64, 2, 1)))


def test_an_argument_computed_on_the_host_is_refused() -> None:
    source = TWO_KERNELS.replace("second(M, A, B)", "second(M + 1, A, B)")
    with pytest.raises(ToolchainError, match="computed on the host"):
        compile_kernel(CompileRequest(KernelSource("pair", source), 5, 128, "gfx950"), use_cache=False)


def test_json_round_trip() -> None:
    one = ["const", "index", 1]
    grid = (["arg", "i32", 0], one, ["addi", "i32", ["arg", "i32", 0], ["const", "i32", 2]])
    launch = Launch("k", grid, (["const", "index", 64], one, one), (0, 2), ["cmpi.slt", "i1", ["arg", "i32", 0], one])
    assert Launch.from_json(json.loads(json.dumps(launch.to_json()))) == launch


def binary(operation: str, a: int, b: int, kind: str = "i32", result: str = "") -> int:
    return evaluate([operation, result or kind, ["arg", kind, 0], ["const", kind, b]], [a])


@given(st.integers(-99, 99), st.integers(1, 99))
def test_divisions_round_by_their_names(a: int, b: int) -> None:
    exact = a / b
    assert binary("floordivsi", a, b) <= exact < binary("floordivsi", a, b) + 1
    assert binary("ceildivsi", a, b) - 1 < exact <= binary("ceildivsi", a, b)
    assert binary("divsi", a, b) == int(exact)
    assert binary("divsi", a, b) * b + binary("remsi", a, b) == a


I32 = st.integers(-(2**31), 2**31 - 1)


@given(I32, I32)
def test_arithmetic_wraps_as_its_type_does(a: int, b: int) -> None:
    wrapped = (ctypes.c_int32(a + b).value, ctypes.c_int32(a - b).value, ctypes.c_int32(a * b).value)
    assert tuple(binary(name, a, b) for name in ("addi", "subi", "muli")) == wrapped
    assert binary("muli", a, b, "i64") == ctypes.c_int64(a * b).value
    assert binary("cmpi.ult", a, b, result="i1") == -(ctypes.c_uint32(a).value < ctypes.c_uint32(b).value)
    assert binary("cmpi.slt", a, b, result="i1") == -(a < b)
    assert binary("shli", a, b & 31) == ctypes.c_int32(a << (b & 31)).value
    assert binary("shrui", a, b & 31) == ctypes.c_int32(ctypes.c_uint32(a).value >> (b & 31)).value
    assert binary("shrsi", a, b & 31) == a >> (b & 31)
    narrow = ["trunci", "i8", ["arg", "i32", 0]]
    assert evaluate(narrow, [a]) == ctypes.c_int8(a).value
    assert evaluate(["extui", "i64", narrow], [a]) == a & 255
    assert evaluate(["index_castui", "index", ["arg", "i32", 0]], [a]) == a & 0xFFFFFFFF
    less = ["cmpi.slt", "i1", ["arg", "i32", 0], ["arg", "i32", 1]]
    assert evaluate(["select", "i32", less, ["arg", "i32", 0], ["arg", "i32", 1]], [a, b]) == min(a, b)
    assert evaluate(["extui", "i32", less], [a, b]) == (a < b)


def test_an_unknown_operation_is_an_error() -> None:
    with pytest.raises(ToolchainError, match=r"arith\.mulf"):
        binary("mulf", 1, 1)


@pytest.mark.parametrize(("operation", "b"), [("divsi", 0), ("remui", 0), ("shli", 32)])
def test_what_the_launcher_leaves_undefined_has_no_value(operation: str, b: int) -> None:
    with pytest.raises(ToolchainError, match="undefined") as caught:
        binary(operation, 1, b)
    assert caught.value.code == "CKT013"


def launcher(body: str) -> CompileRequest:
    """The pair of kernels with another launcher body over A, B, M and N."""
    head, tail = TWO_KERNELS.split("        first(B, M).launch(")[0], "\n\n    return launch\n"
    return CompileRequest(KernelSource("pair", head + body + tail), 5, 128, "gfx950")


def test_launches_under_conditions_are_followed() -> None:
    request = launcher("""        g = (M + 63) // 64
        if M <= 64:
            first(B, M).launch(grid=(g, 2, 1), block=(256, 1, 1), stream=stream)
        else:
            g = g * 2
            if M > 1000:
                second(M, A, B).launch(grid=(g * 3, 1, 1), block=(64, 1, 1), stream=stream)
        rows = (M > 100).select(M * 65536, 7)
        first(B, M).launch(grid=(rows, fx.min(g, 2), 1), block=(32, 1, 1), stream=stream)""")
    launches = compile_kernel(request).launches
    seen = {
        m: [(item.kernel, item.geometry([0, 0, m])[0]) for item in launches if item.taken([0, 0, m])]
        for m in (64, 65, 1024)
    }
    assert seen[64] == [("first", (1, 2, 1)), ("first_2", (7, 1, 1))]
    assert seen[65] == [("first_2", (7, 2, 1))]
    assert seen[1024] == [("second", (96, 1, 1)), ("first_2", (1024 * 65536, 2, 1))]
    # 32768 * 65536 is 2^31: the compiled launcher's register holds a negative number there.
    (last,) = [item for item in launches if item.kernel == "first_2"]
    with pytest.raises(ToolchainError, match="-2147483648") as caught:
        last.geometry([0, 0, 32768])
    assert caught.value.code == "CKT014"
    assert last.geometry([0, 0, 2047])[0] == (2047 * 65536, 2, 1)
    with pytest.raises(ToolchainError, match="134217728x2x1 workgroups of 32x1x1 work-items") as caught:
        last.geometry([0, 0, 2048])
    assert caught.value.code == "CKT014"


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("        for i in range(fx.Int32(0), M, fx.Int32(1)):\n            LAUNCH(M, 1, 1)LAUNCHED", "scf.for"),
        ("        LAUNCH(fx.Int32(fx.Float32(M)), 1, 1)LAUNCHED", "arith.sitofp"),
    ],
)
def test_a_launcher_that_cannot_be_followed_is_refused_by_name(body: str, words: str) -> None:
    body = body.replace("LAUNCHED", ", block=(64, 1, 1), stream=stream)").replace("LAUNCH", "first(B, M).launch(grid=")
    with pytest.raises(ToolchainError, match=words) as caught:
        compile_kernel(launcher(body))
    assert caught.value.code == "CKT011" and "pair (N=5" in str(caught.value)
