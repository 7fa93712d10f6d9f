# SPDX-License-Identifier: Apache-2.0
"""The compiling child: what it returns, what it caches, and what it makes of a compiler that fails."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from porter.errors import ToolchainError, ToolchainMissing
from porter.toolchain import CompileRequest, KernelSource, compile_kernel, compile_many, find_linker
from porter.toolchain import compile as compile_module

TRIVIAL = """
import flydsl.compiler as flyc
import flydsl.expr as fx

SPEC = {"name": "trivial", "args": [{"name": "C", "kind": "pointer", "dtype": "fp32"}, {"name": "M", "kind": "i32"}]}


def build(N, K):
    @flyc.kernel(name="trivial")
    def kernel(C: fx.Pointer, M: fx.Int32):
        rsrc = fx.rocdl.make_buffer_ptr(C, num_records_bytes=fx.Int64(M) * 4)
        value = fx.make_rmem_tensor(1, fx.Float32)
        value.store(fx.Vector.filled(1, float(N), fx.Float32))
        atom = fx.make_copy_atom(fx.rocdl.BufferCopy32b(), fx.Float32)
        fx.copy(atom, value, fx.make_view(rsrc + fx.thread_idx.x, fx.make_layout(1, 1)))
        BODY

    @flyc.jit
    def launch(C: fx.Pointer, M: fx.Int32, stream: fx.Stream = fx.Stream(None)):
        kernel(C, M).launch(grid=(1, 1, 1), block=(64, 1, 1), stream=stream)

    return launch
"""


def trivial(body: str = "pass") -> KernelSource:
    return KernelSource("trivial", TRIVIAL.replace("BODY", body))


def request(body: str = "pass", arch: str = "gfx950", n: int = 2, c_symbol: str = "") -> CompileRequest:
    return CompileRequest(trivial(body), n, 128, arch, c_symbol)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORTER_CACHE_DIR", str(tmp_path / "cache"))


@pytest.mark.parametrize("arch", ["gfx950", "gfx942"])
def test_isa_is_of_the_named_arch(arch: str) -> None:
    compiled = compile_kernel(request(arch=arch))
    assert re.search(rf"\.amdgcn_target\s+\"amdgcn-\S*-{arch}\"", compiled.isa)
    assert "buffer_store_dword" in compiled.isa
    assert compiled.spec["name"] == "trivial"


def test_no_linker_gives_isa_and_no_code_object(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    compiled = compile_kernel(request(c_symbol="trivial"))
    assert compiled.code_object is compiled.c_export is None
    assert ".amdhsa_kernel trivial" in compiled.isa


def test_without_a_c_symbol_there_is_isa_alone_and_the_same() -> None:
    """A proof needs no more, and linking costs a second code generation."""
    plain, whole = compile_kernel(request()), compile_kernel(request(c_symbol="trivial"))
    assert plain.isa == whole.isa and plain.code_object is plain.c_export is None
    assert (whole.code_object is None) is (find_linker() is None)


def test_second_compilation_comes_from_the_cache_and_n_is_part_of_the_key() -> None:
    first, second, other = (compile_kernel(request(n=n)) for n in (2, 2, 3))
    assert (first.cached, second.cached, other.cached) == (False, True, False)
    assert first.isa == second.isa != other.isa


def test_compilation_is_deterministic() -> None:
    first, second = (compile_kernel(request(), use_cache=False) for _ in range(2))
    assert first.isa == second.isa


def test_an_exception_in_the_module_comes_back_in_its_own_words() -> None:
    with pytest.raises(ToolchainError, match=r"ValueError: no such luck") as caught:
        compile_kernel(request('raise ValueError("no such luck")'))
    assert caught.value.code == "CKT002"


def test_a_compiler_that_aborts_is_an_error_with_the_signal_and_its_words() -> None:
    # gfx942 has no 128-K MFMA: LLVM's instruction selection aborts the process.
    body = "; ".join(
        (
            "atom = fx.make_mma_atom(fx.rocdl.cdna4.MFMA_Scale(16, 16, 128, fx.Float8E4M3FN))",
            "a, b, c = [fx.make_rmem_tensor(n, t) for n, t in ((8, fx.Int32), (8, fx.Int32), (4, fx.Float32))]",
            "_ = [tensor.fill(1) for tensor in (a, b, c)]",
            "fx.gemm(atom, c, a, b, c)",
            "store = fx.make_copy_atom(fx.rocdl.BufferCopy128b(), fx.Float32)",
            "fx.copy(store, c, fx.make_view(rsrc, fx.make_layout(4, 1)))",
        )
    )
    with pytest.raises(ToolchainError, match="SIGABRT") as caught:
        compile_kernel(request(body, arch="gfx942"))
    assert caught.value.code == "CKT003"
    assert "compiler:" in str(caught.value)


def test_a_compiler_that_hangs_is_stopped() -> None:
    with pytest.raises(ToolchainError, match=r"past 3 s") as caught:
        compile_kernel(request("import time; time.sleep(60)"), timeout=3)
    assert caught.value.code == "CKT004"


def test_a_kernel_that_reaches_beyond_its_texts_is_compiled_each_time() -> None:
    """What a foreign package holds is no part of the cache's key."""
    request = CompileRequest(
        KernelSource("trivial", "import importlib\n" + TRIVIAL.replace("BODY", "pass")), 1, 2, "gfx950"
    )
    assert [compile_kernel(request).cached for _ in range(2)] == [False, False]


def test_failures_are_not_cached_and_do_not_stop_the_others() -> None:
    bad = request('raise ValueError("bad")')
    results = compile_many([request(), bad, request(n=5)], jobs=2)
    assert [isinstance(result, ToolchainError) for result in results] == [False, True, False]
    assert isinstance(compile_many([bad])[0], ToolchainError)


def test_without_flydsl_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_module, "flydsl_version", lambda: "")
    with pytest.raises(ToolchainMissing, match="flydsl is not installed"):
        compile_kernel(request())


def test_a_damaged_cache_entry_is_compiled_again(tmp_path: Path) -> None:
    first = compile_kernel(request())
    (isa,) = (tmp_path / "cache").rglob("kernel.s")
    isa.write_bytes(b"")
    second, third = compile_kernel(request()), compile_kernel(request())
    assert (first.cached, second.cached, third.cached) == (False, False, True)
    assert first.isa == second.isa == third.isa
