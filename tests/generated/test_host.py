# SPDX-License-Identifier: Apache-2.0
"""The host functions of the committed kernels: what they refuse, in which words. No GPU: they stop at the device."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from porter import manifest
from porter.kernel_spec import KernelSpec
from porter.runtime._serving import refusals
from porter.write import emitter
from tests.porter.specs import VARIED

NAMES = {
    "plain": "flydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd8_ks1_rm_bf16",
    "bpreshuffle": (
        "flydsl_a8w8_blockscale_bpreshuffle_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd8_ks1_km_bf16"
    ),
}
ENTRY = {"plain": "gemm_a8w8_blockscale", "bpreshuffle": "gemm_a8w8_blockscale_bpreshuffle"}
M, N, K = 5, 256, 384


@pytest.fixture(scope="module")
def kernels(repository: Path) -> dict[str, Any]:
    sys.path.insert(0, str(repository))
    return {family: importlib.import_module(f"generated.{name}") for family, name in NAMES.items()}


def arguments() -> dict[str, Any]:
    fp8 = torch.float8_e4m3fn
    return {
        "XQ": torch.zeros((M, K), dtype=fp8),
        "WQ": torch.zeros((N, K), dtype=fp8),
        "x_scale": torch.ones((M, K // 128)),
        "w_scale": torch.ones((N // 128, K // 128)),
    }


@pytest.mark.parametrize("family", NAMES)
def test_good_arguments_pass_every_check_but_the_device(family: str, kernels: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"XQ: on cpu, this kernel runs on a ROCm device \(gfx950\)"):
        getattr(kernels[family], ENTRY[family])(**arguments())


def test_k_major_kernels_take_both_spellings_of_k_major_memory(kernels: dict[str, Any]) -> None:
    strided = torch.ones((K // 128, M)).t()
    assert strided.stride() == (1, M)
    with pytest.raises(ValueError, match="XQ: on cpu"):
        kernels["bpreshuffle"].gemm_a8w8_blockscale_bpreshuffle(**{**arguments(), "x_scale": strided})
    with pytest.raises(ValueError, match=r"x_scale: strides \(1, 5\), expected contiguous row-major"):
        kernels["plain"].gemm_a8w8_blockscale(**{**arguments(), "x_scale": strided})


FNUZ = torch.zeros((M, K), dtype=torch.float8_e4m3fnuz)
BAD: list[tuple[dict[str, Any], str]] = [
    ({"XQ": FNUZ}, r"XQ: dtype torch\.float8_e4m3fnuz, expected torch\.float8_e4m3fn"),
    ({"XQ": torch.zeros((M, 400), dtype=torch.float8_e4m3fn)}, "XQ: K = 400, expected a positive multiple of 128"),
    ({"XQ": torch.zeros((1, M, K), dtype=torch.float8_e4m3fn)}, "XQ: 3 dimensions, expected 2"),
    ({"XQ": torch.zeros((K, M), dtype=torch.uint8).view(torch.float8_e4m3fn).t()}, r"XQ: strides \(1, 5\)"),
    ({"WQ": torch.zeros((N, 256), dtype=torch.float8_e4m3fn)}, r"WQ: shape \(256, 256\), expected \(256, 384\)"),
    ({"WQ": torch.zeros((102, K), dtype=torch.float8_e4m3fn)}, "WQ: N = 102, expected a positive multiple of"),
    ({"x_scale": torch.ones((3, M))}, r"x_scale: shape \(3, 5\), expected \(5, 3\)"),
    ({"x_scale": torch.ones((M, 3), dtype=torch.bfloat16)}, r"x_scale: dtype torch\.bfloat16"),
    ({"x_scale": torch.ones((M, 6))[:, ::2]}, r"x_scale: strides \(6, 2\)"),
    ({"w_scale": torch.ones((3, 3))}, r"w_scale: shape \(3, 3\), expected \(2, 3\)"),
    ({"dtype": torch.float16}, r"dtype: torch\.float16, this kernel writes torch\.bfloat16"),
    ({"out": torch.zeros((M, N), dtype=torch.float16)}, r"out: dtype torch\.float16, expected torch\.bfloat16"),
    ({"out": torch.zeros((N, M), dtype=torch.bfloat16)}, r"out: shape \(256, 5\), expected \(5, 256\)"),
    ({"w_scale": torch.ones((2, 3), device="meta")}, "w_scale: on meta, XQ is on cpu"),
]


@pytest.mark.parametrize("family", NAMES)
@pytest.mark.parametrize(("change", "message"), BAD, ids=[message[:40] for _, message in BAD])
def test_bad_arguments_are_refused_with_their_values(
    family: str, change: dict[str, Any], message: str, kernels: dict[str, Any]
) -> None:
    with pytest.raises(ValueError, match=message):
        getattr(kernels[family], ENTRY[family])(**{**arguments(), **change})


@pytest.mark.parametrize(
    ("n", "k", "message"),
    [
        (102, 384, "N 102 is not a multiple of"),
        (0, 384, "N 0 is less than 1"),
        (256, 100, "K 100 is not a multiple of 128"),
        (256, 1 << 23, "a tile of B, 256 rows x 8388608 bytes, is 2147483648 bytes"),
    ],
)
def test_build_refuses_sizes_it_cannot_serve(n: int, k: int, message: str, kernels: dict[str, Any]) -> None:
    for kernel in kernels.values():
        with pytest.raises(ValueError, match=message):
            kernel.build(n, k)


@given(
    spec=st.sampled_from(VARIED),
    m=st.one_of(st.integers(1, 1 << 31), st.sampled_from([1 << 18, 1 << 22, 1 << 24, 1 << 26])),
    n=st.one_of(st.integers(1, 1 << 20), st.sampled_from([1, 4, 16, 64, 1 << 12])).map(lambda n: 16 * n),
    blocks=st.integers(8, 1 << 14),
)
@settings(max_examples=2000, deadline=None)
def test_calls_too_small_to_be_judged_reach_no_limit(spec: KernelSpec, m: int, n: int, blocks: int) -> None:
    """A call asks `refusals` only where M (N + K) reaches 2^30; N and K alone were judged when the kernel was built."""
    k = 128 * blocks
    built = {reason.code for reason in refusals(spec.fields, 1, n, k)}
    if not m * (n + k) >> 30:
        assert {reason.code for reason in refusals(spec.fields, m, n, k)} == built


def test_spec_agrees_with_the_manifest(kernels: dict[str, Any], repository: Path) -> None:
    listed = manifest.read(repository / "generated" / "manifest.json").by_name
    for kernel in kernels.values():
        assert emitter.spec_literal(listed[kernel.SPEC["name"]].spec) == kernel.SPEC
