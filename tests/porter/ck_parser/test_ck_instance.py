# SPDX-License-Identifier: Apache-2.0
"""What follows from an instance: waves, MFMA, contract."""

from __future__ import annotations

import ck_samples as samples
import pytest

from porter.ck_parser import CkInstance, CkTileInstance, NumericContract, parse_kernel_name
from porter.ck_parser.instance import assumed_xdl_per_wave
from porter.kernel_spec import Contract
from porter.problem import Family


def _instance(name: str) -> CkInstance:
    instance = parse_kernel_name(name)
    assert isinstance(instance, CkInstance)
    return instance


@pytest.mark.parametrize(
    ("name", "gfx950", "gfx942"),
    [
        (samples.PLAIN, "32x32x64", "32x32x16"),
        (samples.BPRESHUFFLE, "16x16x128", "16x16x32"),
        (samples.CKTILE, "16x16x128", "16x16x32"),
        (samples.CKTILE.replace("16x16x128", "16x16x64"), "16x16x32", "16x16x32"),
        (samples.CKTILE_2025, "32x32x16", "32x32x16"),
    ],
)
def test_mfma(name: str, gfx950: str, gfx942: str) -> None:
    assert (_instance(name).mfma("gfx950"), _instance(name).mfma("gfx942")) == (gfx950, gfx942)


@pytest.mark.parametrize(
    ("name", "family", "contract"),
    [
        (samples.PLAIN, Family.PLAIN, NumericContract(Contract.CK)),
        (samples.BPRESHUFFLE, Family.BPRESHUFFLE, NumericContract(Contract.CK)),
        (samples.CKTILE, Family.PLAIN, NumericContract(Contract.CKTILE)),
        (samples.CKTILE, Family.BPRESHUFFLE, NumericContract(Contract.CKTILE, assumed=True)),
        (samples.CKTILE_EIGHT_WAVES, Family.PLAIN, NumericContract(Contract.CK)),
        (samples.CKTILE_2025, Family.PLAIN, NumericContract(Contract.CKTILE, assumed=True)),
    ],
)
def test_contract(name: str, family: Family, contract: NumericContract) -> None:
    assert _instance(name).contract(family) == contract


def test_cktile_threads_and_waves() -> None:
    instance = _instance(samples.CKTILE_EIGHT_WAVES)
    assert isinstance(instance, CkTileInstance)
    assert (instance.block_size, instance.waves_mn) == (512, (4, 2))


@pytest.mark.parametrize(
    ("tile", "xdl", "version", "per_wave"),
    [
        ((128, 128), (32, 32), 3, (2, 2)),
        ((64, 128), (32, 32), 3, (1, 2)),
        ((64, 128), (32, 32), 1, (2, 1)),
        ((64, 64), (32, 32), 1, (1, 1)),
        ((16, 256), (16, 16), 1, (1, 4)),
    ],
)
def test_plain_wave_map_that_a_name_leaves_out(
    tile: tuple[int, int], xdl: tuple[int, int], version: int, per_wave: tuple[int, int]
) -> None:
    assert assumed_xdl_per_wave(Family.PLAIN, 256, tile, xdl, version) == per_wave
