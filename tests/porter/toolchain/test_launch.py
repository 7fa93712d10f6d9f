# SPDX-License-Identifier: Apache-2.0
"""The host side of a launcher as data."""

from __future__ import annotations

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
    launch = Launch("k", (["arg", 0], ["const", 1], ["addi", ["arg", 0], ["const", 2]]), (["const", 64],) * 3, (0, 2))
    assert Launch.from_json(launch.to_json()) == launch


@given(st.integers(-99, 99), st.integers(1, 99))
def test_divisions_round_by_their_names(a: int, b: int) -> None:
    def value(operation: str) -> int:
        return evaluate([operation, ["arg", 0], ["const", b]], [a])

    exact = a / b
    assert value("floordivsi") <= exact < value("floordivsi") + 1
    assert value("ceildivsi") - 1 < exact <= value("ceildivsi")
    assert value("divsi") == int(exact)
    assert value("divsi") * b + value("remsi") == a


def test_an_unknown_operation_is_an_error() -> None:
    with pytest.raises(ToolchainError, match=r"arith\.xori"):
        evaluate(["xori", ["arg", 0], ["arg", 0]], [1])
