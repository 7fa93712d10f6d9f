# SPDX-License-Identifier: Apache-2.0
"""Vector memory requests of a K tile, against counts by hand."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from porter import manifest
from porter.census import RequestCensus
from porter.kernel_spec import KernelSpec
from porter.measure import requests
from porter.measure.census import reference_nk
from tests.porter.kernels import compiled
from tests.porter.specs import DECODE, FOUR_WAVE, FOUR_WAVE_PLAIN

pytestmark = pytest.mark.usefixtures("own_cache")
ROOT = Path(__file__).parents[3]


def counted(spec: KernelSpec) -> dict[str, RequestCensus]:
    n, k = reference_nk(spec)
    return requests.count(spec, compiled(spec, n, k // 2), compiled(spec, n, k))


def test_a_k_tile_of_the_4_wave_core() -> None:
    """64 x 128 bytes of A, 256 x 128 of B in segments of 64; K-major scales: each wave has 4 segments of 16 rows."""
    (found,) = counted(FOUR_WAVE).values()
    assert found.operands == {"A dma": 128, "B loads": 512, "x_scale loads": 16}
    assert found.per_k_tile == 656 and found.per_output == round(656 / (64 * 256), 4)
    # A wave stores 16 columns of a row: half a segment.
    assert found.outside == {"C stores": 2 * 64 * 256 * 2 / 64}


def test_row_major_scales_are_asked_for_once_a_workgroup_and_pair_of_blocks() -> None:
    (found,) = counted(FOUR_WAVE_PLAIN).values()
    assert found.operands == {"A dma": 128, "B loads": 512, "x_scale loads": 64 / 2}


def test_a_pass_that_adds_slices_has_no_k_tile() -> None:
    first, second = counted(replace(DECODE, split_k=2)).values()
    assert first.per_k_tile and not second.per_k_tile
    assert {name.split()[0] for name in second.outside} == {"workspace", "C"} == {"workspace", *_stored(second)}


def _stored(found: RequestCensus) -> set[str]:
    return {name.split()[0] for name in found.outside if name.endswith("stores")}


def test_no_committed_kernel_asks_more_than_it_did() -> None:
    """By the core, the tile and the layout of x_scale, for a K tile."""
    most = {
        "4w_64x256x128 km": 656,
        "4w_64x256x128 rm": 676,
        "8w_128x256x128 km": 800,
        "8w_128x256x128 rm": 1.04 * 800,
        "dec_64x128x128 km": 784,
        "dec_16x128x128 rm": 400,
        "dec_32x128x128 rm": 560,
    }
    for kernel in manifest.read(ROOT / "generated" / manifest.FILE).kernels:
        spec = kernel.spec
        assert kernel.census and kernel.census.kernels[0].requests
        key = f"{spec.core.value}_{spec.tile_m}x{spec.tile_n}x{spec.tile_k} {spec.scale_layout.value}"
        assert kernel.census.kernels[0].requests.per_k_tile <= most[key]
