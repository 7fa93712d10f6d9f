# SPDX-License-Identifier: Apache-2.0
"""Host functions, called on a stand-in GPU: right ones pass, each planted fault is named."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from porter.errors import ToolchainError
from porter.kernel_spec import KernelSpec
from porter.proof.host import host_differs
from porter.proof.plan import Job, ProofPlan
from porter.proof.shapes import Depth, Run, Work
from porter.proof.verify import prove_job
from porter.toolchain import CompiledKernel, CompileRequest, KernelSource, compile_kernel
from porter.write.emitter import ENTRY_POINTS
from tests.porter.toolchain.test_compile import TRIVIAL

GENERATED = Path(__file__).parents[3] / "generated"
ARGS = '[{"name": "C", "kind": "pointer", "dtype": "fp32"}, {"name": "M", "kind": "i32"}]'
ALL = """[{"name": "C", "kind": "pointer", "dtype": "bf16"}, {"name": "A", "kind": "pointer", "dtype": "fp8"},
     {"name": "B", "kind": "pointer", "dtype": "fp8"}, {"name": "x_scale", "kind": "pointer", "dtype": "fp32"},
     {"name": "w_scale", "kind": "pointer", "dtype": "fp32"}, {"name": "M", "kind": "i32"}]"""
HOST = """

import functools
import torch

P = fx.Pointer


@functools.cache
def compiled(N, K):
    null = flyc.from_c_void_p
    arguments = [null(t, None) for t in (fx.BFloat16, fx.Int8, fx.Int8, fx.Float32, fx.Float32)]
    return flyc.compile(build(N, K), *arguments, 1, fx.Stream(None))


def gemm(XQ, WQ, x_scale, w_scale, dtype=torch.bfloat16):
    out = torch.empty((XQ.shape[0], WQ.shape[0]), dtype=dtype, device=XQ.device)
    types = (fx.BFloat16, fx.Int8, fx.Int8, fx.Float32, fx.Float32)
    operands = (out, XQ, WQ, x_scale, w_scale)
    arguments = [flyc.from_c_void_p(t, o.data_ptr()) for t, o in zip(types, operands)]
    with torch.cuda.device(XQ.device):
        compiled(WQ.shape[0], XQ.shape[1])(*arguments, XQ.shape[0], fx.Stream(torch.cuda.current_stream().cuda_stream))
    return out
"""


def hand_written() -> str:
    """A small kernel of all five operands with a host function of its own."""
    text = TRIVIAL.replace("BODY", "pass").replace(ARGS, ALL)
    text = text.replace("def launch(C: fx.Pointer, M", "def launch(C: P, A: P, B: P, XS: P, WS: P, M")
    return text.replace("fx.Pointer, M: fx.Int32):", "fx.Pointer, M: fx.Int32):") + HOST


def differs(text: str) -> str:
    compiled = compile_kernel(CompileRequest(KernelSource("trivial", text), 256, 256, "gfx950"))
    return host_differs(compiled, "gemm", None)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORTER_CACHE_DIR", str(tmp_path / "cache"))


@pytest.mark.parametrize("kind", ["plain*_4w_*xcd8*bf16", "bpreshuffle*_dec_*", "plain*ks4*"])
def test_host_functions_of_generated_kernels_launch_what_was_proved(kind: str) -> None:
    path = sorted(GENERATED.glob(f"flydsl_a8w8_blockscale_{kind}.py"))[0]
    spec = KernelSpec.parse(path.stem)
    compiled = compile_kernel(CompileRequest(KernelSource.from_file(path), 256, 1024, spec.arch))
    assert host_differs(compiled, ENTRY_POINTS[spec.family], spec) == ""


def test_a_host_function_of_ones_own_passes_and_is_not_called_again(monkeypatch: pytest.MonkeyPatch) -> None:
    assert differs(hand_written()) == ""
    from porter.proof import host

    monkeypatch.setattr(host, "record_host", None)
    assert differs(hand_written()) == ""


WITH, OPERANDS = "    with torch.cuda.device", "    operands = ("
COUNTED = "    gemm.calls = getattr(gemm, 'calls', 0) + 1\n"


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("(out, XQ, WQ, x_scale, w_scale)", "(out, XQ, WQ, w_scale, x_scale)", "C, A, B, w_scale, x_scale"),
        ("(out, XQ, WQ, x_scale, w_scale)", "(out.clone(), XQ, WQ, x_scale, w_scale)", r"hands \(\d+, A"),
        ("*arguments, XQ.shape[0]", "*arguments, max(XQ.shape[0], 2)", "w_scale, 2"),
        ("fx.Stream(torch.cuda.current_stream().cuda_stream)", "fx.Stream(None)", "current stream"),
        ("(WQ.shape[0], XQ.shape[1])(*", "(WQ.shape[0] + 128, XQ.shape[1])(*", "another launcher"),
        ("flyc.compile(build(N, K)", 'flyc.compile[dict(waves_per_eu=2)](build(N, K)', ""),
        ("    return out\n", "    return out.t()\n", "does not return"),
        (WITH, "    if XQ.shape[0] > 1: return out\n" + WITH, "launches 0 times"),
        (WITH, "    raise KeyError(7)\n" + WITH, ""),
        # Right on its first launch only.
        (OPERANDS, COUNTED + "    x_scale = w_scale if gemm.calls > 2 else x_scale\n" + OPERANDS, "w_scale, w_scale"),
    ],
)  # fmt: skip
def test_a_planted_fault_is_named(old: str, new: str, words: str) -> None:
    text = hand_written()
    assert old in text
    if words:
        assert re.search(words, differs(text.replace(old, new, 1)))
    else:
        with pytest.raises(ToolchainError, match=r"CKT01[28]"):
            differs(text.replace(old, new, 1))


SWAPPED = """

right = {0}


def {0}(XQ, WQ, x_scale, w_scale, dtype=None, **named):
    if x_scale.shape == w_scale.shape:
        x_scale, w_scale = w_scale, x_scale
    return right(XQ, WQ, x_scale, w_scale, dtype, **named)
"""


@pytest.mark.parametrize("more", ["", SWAPPED], ids=["right", "swapped"])
def test_verify_fails_for_a_host_function_that_swaps_the_scales(more: str, tmp_path: Path) -> None:
    (path,) = GENERATED.glob("flydsl_a8w8_blockscale_plain_*_dec_16x128x128_*_ks1_*_bf16.py")
    for source in (path, *GENERATED.glob("_*.py")):
        (tmp_path / source.name).write_text(source.read_text())
    spec = KernelSpec.parse(path.stem)
    with open(tmp_path / path.name, "a", encoding="utf-8") as module:
        module.write(more.format(ENTRY_POINTS[spec.family]))
    # At one row, with one row of weight scales, both have the same shape.
    job = Job(tmp_path / path.name, spec, Work(128, 256, (Run(1, Depth.RECIPE),)))
    outcome = prove_job(job, ProofPlan((job,), ("exact",), 1, 180.0), 1)
    assert outcome.proved is not bool(more) and all(case.proved for case in outcome.cases)
    assert not more or "w_scale, x_scale" in outcome.error


DECODE = "flydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16"
#: Appended to a module: the host function anew, around the right one.
AROUND = """

def gemm_a8w8_blockscale(XQ, WQ, x_scale, w_scale, dtype=None, *, out=None):
    right = HOST.gemm_a8w8_blockscale
    return {}
"""
#: Appended to a module: what dispatch calls fills a copy of the output.
COPIES = """

class Copies:
    def run(self, XQ, WQ, x_scale, w_scale, out):
        right.run(XQ, WQ, x_scale, w_scale, out.clone())


right, HOST = HOST, Copies()
"""
#: Appended to a module: what it launches comes from a function that agrees with `build` here and elsewhere does not.
OTHER = """

def other(N, K, a_stride=None, b_stride=None):
    return build(768 if N == 640 else N, K, a_stride, b_stride)


HOST = _host.HostFunction(SPEC, other, _shim.compile_launcher, __package__)
prepare, gemm_a8w8_blockscale = HOST.prepare, HOST.gemm_a8w8_blockscale
"""
#: In `build`: the geometry as it was when N was first seen.
KEEPS_K = "    g = SPEC.setdefault(f'kept for {N}', g)\n    run = "


@pytest.fixture(scope="module")
def proved(tmp_path_factory: pytest.TempPathFactory) -> CompiledKernel:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PORTER_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        source = KernelSource.from_file(GENERATED / f"{DECODE}.py")
        return compile_kernel(CompileRequest(source, 256, 512, "gfx950"))


def differs_from_proved(proved: CompiledKernel, text: str, spec: dict[str, Any] | None = None) -> str:
    """What is said of another text of the module, whose kernel is the proved one."""
    source = replace(proved.request.source, text=text)
    compiled = replace(proved, request=replace(proved.request, source=source), spec={**proved.spec, **(spec or {})})
    return host_differs(compiled, "gemm_a8w8_blockscale", KernelSpec.parse(DECODE))


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("", AROUND.format("right(XQ, WQ, x_scale, w_scale, dtype, out=out)"), ""),
        ("", AROUND.format("right(XQ, WQ, x_scale, w_scale, dtype)"), r"with out: hands \(\d+, A"),
        ("", AROUND.format("right(XQ, WQ, x_scale, w_scale, None, out=out)"), "it does not write: launches"),
        ("", AROUND.format("XQ if len(XQ) > 4096 else right(XQ, WQ, x_scale, w_scale, dtype)"), "70001x.*0 times"),
        ("", COPIES, r"as dispatch calls it: hands \(\d+, A"),
        ("    run = ", KEEPS_K, "1x256x512 .*another launcher"),
    ],
)  # fmt: skip
def test_a_host_function_is_held_to_all_that_dispatch_and_users_call(
    old: str, new: str, words: str, proved: CompiledKernel
) -> None:
    text = proved.request.source.text
    assert not old or text.count(old) == 1
    said = differs_from_proved(proved, text.replace(old, new) if old else text + new)
    assert re.search(words, said) if words else said == ""


def test_what_is_launched_comes_from_build(proved: CompiledKernel) -> None:
    with pytest.raises(ToolchainError, match=r"another function than the module's build.*CKT018"):
        differs_from_proved(proved, proved.request.source.text + OTHER)


@pytest.mark.parametrize(
    ("key", "value"), [("out_dtype", "fp16"), ("split_k", 2), ("scale_layout", "km"), ("n_multiple", 1)]
)
def test_spec_must_say_what_the_name_says(key: str, value: object, proved: CompiledKernel) -> None:
    assert f"SPEC says {key} = {value!r}" in differs_from_proved(proved, proved.request.source.text, {key: value})


def test_padded_rows_reach_the_launcher_that_is_proved_for_them(own_cache: None) -> None:
    source = KernelSource.from_file(GENERATED / f"{DECODE}.py")
    for a_stride, b_stride in ((512 + 16, None), (512 + 32, 512 + 64)):
        request = CompileRequest(source, 256, 512, "gfx950", a_stride=a_stride, b_stride=b_stride)
        assert host_differs(compile_kernel(request), "gemm_a8w8_blockscale", KernelSpec.parse(DECODE)) == ""
