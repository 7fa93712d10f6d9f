# SPDX-License-Identifier: Apache-2.0
"""Ops of MSLK and Primus-Turbo: their operands, in their layouts, reach a kernel in the layouts that it reads.

A stand-in for the launch computes from the pointers that the kernel would get, and from nothing else.
"""

from __future__ import annotations

import ctypes
import importlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

from oracle.reference import Operands, relayout
from porter.errors import InputError
from porter.export import mslk, primus
from porter.export.common import ExportPlan, Kernel
from porter.problem import Family
from tests.porter.export.checkouts import Launches, importable

M, N, K = 5, 256, 384
MSLK, PRIMUS = "mslk.flydsl.ck_blockscale", "primus_turbo.flydsl.ck_blockscale"


@pytest.fixture(scope="module")
def plans(kernels: tuple[Kernel, ...]) -> dict[str, ExportPlan]:
    return {MSLK: mslk.plan(kernels), PRIMUS: primus.plan(kernels)}


@pytest.fixture(scope="module")
def installed(plans: dict[str, ExportPlan], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    root = tmp_path_factory.mktemp("installed")
    for plan in plans.values():
        plan.write(root)
    with importable(root, "mslk", "primus_turbo"):
        yield root


def memory(pointer: int, shape: tuple[int, ...], dtype: torch.dtype) -> torch.Tensor:
    size = max(1, torch.Size(shape).numel() * dtype.itemsize)
    buffer = (ctypes.c_char * size).from_address(pointer)
    return torch.frombuffer(buffer, dtype=torch.uint8).view(dtype).view(shape)


def product(x: torch.Tensor, w: torch.Tensor, x_scale: torch.Tensor, w_scale: torch.Tensor) -> torch.Tensor:
    """bf16 [M, N] from row-major operands and scales."""
    a = x.double() * x_scale.double().repeat_interleave(128, 1)
    b = w.double() * w_scale.double().repeat_interleave(128, 0)[: w.shape[0]].repeat_interleave(128, 1)
    return (a @ b.t()).bfloat16()


class Computed(Launches):
    """Launches that compute, in a plain kernel's ABI: C, A, B, x_scale, w_scale, workspace where K is split, M."""

    def watch_all(self, package: str, kernels: tuple[Kernel, ...]) -> None:
        dispatch: Any = importlib.import_module(f"{package}.dispatch")
        self._patch.setattr(dispatch, "_device", lambda device: ("gfx950", 256))
        for kernel in kernels:
            module = importlib.import_module(f"{package}.{kernel.spec.name}")
            self.watch(module)

    def launcher(self, kernel: str, n: int, k: int) -> Callable[..., None]:
        def launch(*arguments: Any) -> None:
            c, a, b, xs, ws = arguments[:5]
            m = arguments[-2]
            result = product(
                memory(a, (m, k), torch.float8_e4m3fn),
                memory(b, (n, k), torch.float8_e4m3fn),
                memory(xs, (m, k // 128), torch.float32),
                memory(ws, (-(-n // 128), k // 128), torch.float32),
            )
            memory(c, (m, n), torch.bfloat16).copy_(result)

        return launch


@pytest.fixture
def computed(
    installed: Path, plans: dict[str, ExportPlan], kernels: tuple[Kernel, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    for package, plan in plans.items():
        names = {Path(path).stem for path in plan.files}
        Computed(monkeypatch).watch_all(package, tuple(k for k in kernels if k.spec.name in names))


def plain(m: int = M, n: int = N, k: int = K, rows: int = 1) -> tuple[torch.Tensor, Operands]:
    """x, and the rest in CK's plain layout: signed, every scale distinct; `rows` share an x_scale."""
    generator = torch.Generator().manual_seed(m * n + k)
    x, w = (torch.randn((count, k), generator=generator).to(torch.float8_e4m3fn) for count in (m, n))
    blocks, x_rows, w_rows = k // 128, -(-m // rows), -(-n // 128)
    x_scale = 0.3 + torch.arange(x_rows * blocks).view(x_rows, blocks) / 7
    w_scale = 0.2 + torch.arange(w_rows * blocks).view(w_rows, blocks) / 11
    return x, Operands(w, x_scale.float(), w_scale.float())


@pytest.mark.parametrize("shape", [(M, N, K), (1, 128, 128), (300, 2112, 256), (3, 384, 384), (0, 256, 384)], ids=str)
def test_mslk_groupwise(shape: tuple[int, int, int], computed: None) -> None:
    ops: Any = importlib.import_module(f"{MSLK}.ops")
    x, operands = plain(*shape)
    theirs = relayout(operands, "ck_plain", "mslk")
    assert theirs.x_scale.shape == (shape[2] // 128, shape[0])
    result = ops.f8f8bf16_groupwise(x, theirs.w, theirs.x_scale, theirs.w_scale)
    expected = product(x, operands.w, operands.x_scale, operands.w_scale)
    assert torch.equal(result, expected) and (not result.numel() or result.abs().max() > 0)


@pytest.mark.parametrize("shape", [(M, N, K), (128, 256, 128), (300, 2112, 256), (0, 256, 4096)], ids=str)
def test_mslk_blockwise(shape: tuple[int, int, int], computed: None) -> None:
    ops: Any = importlib.import_module(f"{MSLK}.ops")
    x, operands = plain(*shape, rows=128)
    result = ops.f8f8bf16_blockwise(x, operands.w, operands.x_scale, operands.w_scale)
    a_row = operands.x_scale.repeat_interleave(128, 0)[: shape[0]]
    assert torch.equal(result, product(x, operands.w, a_row, operands.w_scale))


def test_mslk_takes_more_dimensions(computed: None) -> None:
    ops: Any = importlib.import_module(f"{MSLK}.ops")
    x, operands = plain(6)
    theirs = relayout(operands, "ck_plain", "mslk")
    flat = ops.f8f8bf16_groupwise(x, *(theirs.w, theirs.x_scale, theirs.w_scale))
    stacked = ops.f8f8bf16_groupwise(x.view(2, 3, K), *(theirs.w, theirs.x_scale, theirs.w_scale))
    assert stacked.shape == (2, 3, N) and torch.equal(stacked.view(6, N), flat)


def test_mslk_ops_register_under_their_schemas(computed: None) -> None:
    schemas = torch.library.Library("mslk", "DEF")
    tensors = "Tensor XQ, Tensor WQ, Tensor x_scale, Tensor w_scale"
    schemas.define(f"f8f8bf16_groupwise({tensors}) -> Tensor")
    schemas.define(f"f8f8bf16_blockwise({tensors}, int block_m=128, int block_n=128, int block_k=128) -> Tensor")
    kept = importlib.import_module(f"{MSLK}.ops").register("CPU")
    x, operands = plain()
    theirs = relayout(operands, "ck_plain", "mslk")
    result = torch.ops.mslk.f8f8bf16_groupwise(x, theirs.w, theirs.x_scale, theirs.w_scale)
    assert torch.equal(result, product(x, operands.w, operands.x_scale, operands.w_scale))
    wide = operands.x_scale[:1].contiguous()
    assert torch.equal(
        torch.ops.mslk.f8f8bf16_blockwise(x, operands.w, wide, operands.w_scale),
        product(x, operands.w, wide.expand(M, -1), operands.w_scale),
    )
    kept._destroy()
    schemas._destroy()


@pytest.mark.parametrize("op", ["groupwise", "blockwise"])
@pytest.mark.parametrize("lead", [(5,), (0,), (2, 3), (300,)], ids=str)
def test_mslk_gives_zeros_for_no_k(op: str, lead: tuple[int, ...], installed: Path) -> None:
    # No kernel and no device is asked.
    call = getattr(importlib.import_module(f"{MSLK}.ops"), f"f8f8bf16_{op}")
    rows = torch.Size(lead).numel()
    fp8 = torch.float8_e4m3fn
    x, w = torch.zeros((*lead, 0), dtype=fp8), torch.zeros((384, 0), dtype=fp8)
    scales = (torch.ones((0, rows)), torch.ones((0, 3)))
    if op == "blockwise":
        scales = (torch.ones((-(-rows // 128), 0)), torch.ones((3, 0)))
    result = call(x, w, *scales)
    assert result.shape == (*lead, 384) and result.dtype == torch.bfloat16 and not result.count_nonzero()
    for bad in ((x, w[:256], *scales), (x, w.view(torch.uint8), *scales), (x, w, scales[0].double(), scales[1])):
        with pytest.raises(ValueError, match=r"WQ|w_scale|x_scale"):
            call(*bad)


def test_mslk_leaves_what_it_refuses_to_the_kernel_before_it(computed: None) -> None:
    seen = []

    def ck(*arguments: Any) -> torch.Tensor:
        seen.append(arguments)
        return torch.full((1,), 7.0)

    schemas, before = torch.library.Library("mslk", "DEF"), torch.library.Library("mslk", "IMPL")
    tensors = "Tensor XQ, Tensor WQ, Tensor x_scale, Tensor w_scale"
    schemas.define(f"f8f8bf16_groupwise({tensors}) -> Tensor")
    schemas.define(f"f8f8bf16_blockwise({tensors}, int block_m=128, int block_n=128, int block_k=128) -> Tensor")
    before.impl("f8f8bf16_groupwise", ck, "CPU")
    kept = importlib.import_module(f"{MSLK}.ops").register("CPU")
    try:
        x, operands = plain()
        theirs = relayout(operands, "ck_plain", "mslk")
        good = (x, theirs.w, theirs.x_scale, theirs.w_scale)
        result = torch.ops.mslk.f8f8bf16_groupwise(*good)
        assert torch.equal(result, product(x, operands.w, operands.x_scale, operands.w_scale)) and not seen
        wide = theirs.x_scale.repeat_interleave(2, 1)[:, ::2]
        for bad in ((x.view(torch.uint8), *good[1:]), (*good[:2], wide, good[3])):
            assert torch.ops.mslk.f8f8bf16_groupwise(*bad).item() == 7.0
            (arguments,) = seen
            seen.clear()
            for got, given in zip(arguments, bad, strict=True):
                assert (got.data_ptr(), got.stride(), got.dtype) == (given.data_ptr(), given.stride(), given.dtype)
        # The other op had no kernel.
        with pytest.raises(ValueError, match="blocks of 1x128x128"):
            torch.ops.mslk.f8f8bf16_blockwise(x, operands.w, operands.x_scale[:1], operands.w_scale, 1)
    finally:
        for library in (kept, before, schemas):
            library._destroy()


MSLK_BAD = [
    ("groupwise", "x_scale", lambda t: t.t(), "x_scale: strides"),
    ("groupwise", "x_scale", lambda t: t.t().contiguous(), "x_scale: shape"),
    ("groupwise", "x_scale", lambda t: t[0], "expected 2 dimensions"),
    ("groupwise", "w_scale", lambda t: t.t(), "w_scale: strides"),
    ("groupwise", "w_scale", lambda t: t.double(), "w_scale: dtype"),
    ("groupwise", "XQ", lambda t: t[0], "XQ: 1 dimensions"),
    ("groupwise", "WQ", lambda t: t.view(torch.uint8), "WQ: dtype"),
    ("blockwise", "x_scale", lambda t: t.t().contiguous(), "x_scale: shape"),
    ("blockwise", "w_scale", lambda t: t.t().contiguous(), "w_scale: shape"),
    ("blockwise", "block_m", lambda t: 1, "blocks of 1x128x128"),
    ("blockwise", "XQ", lambda t: t[:, :0], "x_scale: shape"),
    ("groupwise", "XQ", lambda t: t[:, :0], "WQ: shape"),
    ("blockwise", "XQ", lambda t: t[0, 0], "0 dimensions"),
]


@pytest.mark.parametrize(("op", "name", "change", "message"), MSLK_BAD, ids=[f"{c[0]} {c[3]}" for c in MSLK_BAD])
def test_mslk_refuses_other_operands(op: str, name: str, change: Any, message: str, computed: None) -> None:
    ops: Any = importlib.import_module(f"{MSLK}.ops")
    x, operands = plain(rows=128 if op == "blockwise" else 1)
    theirs = operands if op == "blockwise" else relayout(operands, "ck_plain", "mslk")
    arguments: dict[str, Any] = {"XQ": x, "WQ": theirs.w, "x_scale": theirs.x_scale, "w_scale": theirs.w_scale}
    call = getattr(ops, f"f8f8bf16_{op}")
    call(**arguments)
    with pytest.raises(ValueError, match=message):
        call(**{**arguments, name: change(arguments.get(name))})


@pytest.mark.parametrize("layout", ["primus", "primus_k_major"])
@pytest.mark.parametrize("shape", [(M, N, K), (512, 1024, 256), (3, 384, 384), (1, 128, 128)], ids=str)
def test_primus_forward(layout: Any, shape: tuple[int, int, int], computed: None) -> None:
    ops: Any = importlib.import_module(f"{PRIMUS}.gemm_fp8_blockwise")
    x, operands = plain(*shape)
    theirs = relayout(operands, "ck_plain", layout)
    result = ops.gemm_fp8_blockwise_flydsl_kernel(
        x, theirs.x_scale, theirs.w, theirs.w_scale, trans_a=False, trans_b=True, out_dtype=torch.bfloat16
    )
    assert torch.equal(result, product(x, operands.w, operands.x_scale, operands.w_scale))


PRIMUS_BAD = [
    ({"trans_a": True}, "only the forward"),
    ({"trans_b": False}, "only the forward"),
    ({"trans_c": True}, "only the forward"),
    ({"out_dtype": torch.float16}, "only the forward"),
    ({"a_scale_inv": torch.ones((3, M))}, "x_scale: shape"),
    ({"a_scale_inv": torch.ones((M, 6))[:, ::2]}, "x_scale: strides"),
    ({"b_scale_inv": torch.ones((3, 2))}, "w_scale: shape"),
    ({"b": torch.zeros((K, N)).to(torch.float8_e4m3fn)}, "WQ: shape"),
]


@pytest.mark.parametrize(("change", "message"), PRIMUS_BAD, ids=[f"{c[1]} {next(iter(c[0]))}" for c in PRIMUS_BAD])
def test_primus_refuses_other_calls(change: dict[str, Any], message: str, computed: None) -> None:
    ops: Any = importlib.import_module(f"{PRIMUS}.gemm_fp8_blockwise")
    x, operands = plain()
    arguments: dict[str, Any] = {
        "a": x,
        "a_scale_inv": operands.x_scale,
        "b": operands.w,
        "b_scale_inv": operands.w_scale,
    }
    ops.gemm_fp8_blockwise_flydsl_kernel(**arguments)
    with pytest.raises(ValueError, match=message):
        ops.gemm_fp8_blockwise_flydsl_kernel(**{**arguments, **change})


def test_primus_leaves_what_it_refuses_to_another(computed: None) -> None:
    ops: Any = importlib.import_module(f"{PRIMUS}.gemm_fp8_blockwise")
    seen: list[Any] = []
    serve = ops.with_fallback(
        lambda *arguments, **keywords: seen.append((arguments, keywords)) or torch.full((1,), 7.0)
    )
    x, operands = plain()
    arguments = {"a": x, "a_scale_inv": operands.x_scale, "b": operands.w, "b_scale_inv": operands.w_scale}
    assert torch.equal(serve(**arguments), product(x, operands.w, operands.x_scale, operands.w_scale)) and not seen
    for change, _ in (*PRIMUS_BAD, ({"a": x.view(torch.uint8)}, "")):
        changed = {**arguments, **change}
        assert serve(**changed).item() == 7.0 and seen.pop() == ((), changed) and not seen


@pytest.mark.parametrize("package", [MSLK, PRIMUS])
def test_importing_the_ops_imports_no_flydsl(package: str, installed: Path) -> None:
    ops = "ops" if package == MSLK else "gemm_fp8_blockwise"
    script = f"import sys, {package}.{ops}; print([m for m in sys.modules if m.startswith('flydsl')])"
    done = subprocess.run([sys.executable, "-c", script], cwd=installed, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_only_kernels_that_fit_are_exported(plans: dict[str, ExportPlan], kernels: tuple[Kernel, ...]) -> None:
    left_out = [k for k in kernels if k.spec.family is not Family.PLAIN or k.spec.contract.value != "ck"]
    assert 0 < len(left_out) < len(kernels)
    for plan in plans.values():
        text = "".join(plan.files.values())
        assert plan.notes[0].startswith(f"{len(left_out)} kernels are left out: ")
        for kernel in kernels:
            assert (f'"{kernel.spec.name}"' in text) is (kernel not in left_out)
    for export in (mslk, primus):
        with pytest.raises(InputError, match="no kernel for"):
            export.plan(left_out)


def test_headers_are_those_of_the_downstream(plans: dict[str, ExportPlan]) -> None:
    for package, licence in ((MSLK, "BSD-3-Clause"), (PRIMUS, "MIT")):
        for name, text in plans[package].files.items():
            if not name.endswith(".py"):
                continue
            lines = text.splitlines()
            assert lines[0] == f"# SPDX-License-Identifier: {licence}"
            assert lines[1].endswith(f"run: porter export {plans[package].target}")
