# SPDX-License-Identifier: Apache-2.0
"""What each data set promises, counted on its operands."""

import math

import pytest
import torch

from oracle.datasets import DATASETS, dataset
from oracle.reference import FINITE_CODES, NAN_CODES, Problem, decode, reference

FLAVOURS = ("e4m3fn", "e4m3fnuz")
GENERAL_X = [187, 64, 37, 41, 44, 9]
GENERAL_XS = [-1079356673, 1048901996]


def all_scales(p: Problem) -> torch.Tensor:
    return torch.cat([p.xs.flatten(), p.ws.flatten()])


def tensors(p: Problem) -> list[torch.Tensor]:
    return [p.x, p.w, p.xs.view(torch.int32), p.ws.view(torch.int32)]


@pytest.mark.parametrize("name", DATASETS)
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_same_arguments_same_bits_other_seed_other_bits(name: str, flavour: str) -> None:
    first, again, other = (dataset(name, 33, 256, 256, flavour, seed=seed) for seed in (7, 7, 8))
    assert all(map(torch.equal, tensors(first), tensors(again)))
    assert not any(map(torch.equal, tensors(first), tensors(other)))
    assert first.flavour == flavour


def test_bits_stay_the_same_between_versions() -> None:
    """Proofs name data sets by seed, so a change here is a change of what was proved."""
    p = dataset("general", 2, 128, 128)
    assert p.x[0, :6].tolist() == GENERAL_X and p.xs.view(torch.int32).flatten().tolist() == GENERAL_XS


def test_x_does_not_depend_on_the_other_sizes() -> None:
    assert torch.equal(dataset("general", 16, 128, 256).x, dataset("general", 16, 512, 256).x)


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_exact(flavour: str) -> None:
    p = dataset("exact", 64, 256, 1024, flavour)
    assert set(decode(p.x, flavour).unique().tolist()) == {-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0}
    assert set(all_scales(p).unique().tolist()) == {0.25, 0.5, 1.0, 2.0, 4.0}


@pytest.mark.parametrize("k", [1024, 7168, 16384])
def test_exact_sums_are_exact(k: int) -> None:
    """Every sum, in any order: all variants agree with the float64 product of the dequantised operands."""
    p = dataset("exact", 32, 256, k)
    x = decode(p.x, p.flavour).view(32, -1, 128) * p.xs[:, :, None]
    w = decode(p.w, p.flavour).view(256, -1, 128) * p.ws.repeat_interleave(128, 0)[:, :, None]
    wanted = (x.view(32, k) @ w.view(256, k).t()).to(torch.bfloat16)
    for options in ({}, {"contract": "cktile"}, {"mfma": "32x32x16"}, {"split_k": 8}, {"fp32_denormals": "flush"}):
        assert torch.equal(reference(p, **options).view(torch.bfloat16), wanted)


@pytest.mark.parametrize("name, low, high", [("general", 2.0**-3, 2.0**3), ("wide", 2.0**-20, 2.0**21)])
@pytest.mark.parametrize("scale_block_m", [1, 128])
def test_scales_are_distinct_signed_and_not_powers_of_two(
    name: str, low: float, high: float, scale_block_m: int
) -> None:
    scales = all_scales(dataset(name, 600, 1024, 2048, scale_block_m=scale_block_m))
    assert len(scales.abs().unique()) == len(scales)
    assert scales.abs().min() >= low and scales.abs().max() < high
    assert scales.abs().min() < 4 * low and scales.abs().max() > high / 4
    assert (scales.view(torch.int32) & 0x7FFFFF != 0).all()
    assert 0.2 < (scales < 0).float().mean() < 0.8


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_general_elements_are_normal(flavour: str) -> None:
    values = decode(dataset("general", 512, 128, 1024, flavour).x, flavour)
    assert abs(values.mean()) < 0.01 and abs(values.std() - 1) < 0.01
    assert 3 < values.abs().max() <= 4.5


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_wide_has_every_finite_code(flavour: str) -> None:
    p = dataset("wide", 64, 128, 256, flavour)
    assert p.x.unique().tolist() == p.w.unique().tolist() == list(FINITE_CODES[flavour])


@pytest.mark.parametrize("scale_block_m", [1, 128])
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_special_has_every_poison_and_finite_results_too(flavour: str, scale_block_m: int) -> None:
    p = dataset("special", 32 * scale_block_m, 512, 512, flavour, scale_block_m)
    scales = all_scales(p)
    assert scales.isnan().any() and (scales == math.inf).any() | (scales == -math.inf).any()
    assert ((scales != 0) & (scales.abs() < 2.0**-126)).sum() > 4
    for codes in (p.x, p.w):
        assert torch.isin(codes, torch.tensor(sorted(NAN_CODES[flavour]), dtype=torch.uint8)).any()
        assert (codes.view(len(codes), -1, 128) == 0).all(2).any()
    assert (p.x == 0).all(1).any()
    result = reference(p).view(torch.bfloat16)
    assert result.isnan().any() and result.isinf().any()
    # Zeros of both signs; and NaN that an addition of 0x7FFF, as kernels round by, turns into a number.
    assert {0, -0x8000} <= set(reference(p).view(torch.int16)[result == 0].tolist())
    full = scales[scales.isnan()].view(torch.int32)
    assert not (full + 0x7FFF + (full >> 16 & 1)).view(torch.float32).isnan().all()
    assert (result.isfinite() & (result != 0)).float().mean() > 0.2
    assert ((result != 0) & (result.abs() < 2.0**-126)).any()
    assert not torch.equal(reference(p), reference(p, fp32_denormals="flush"))


@pytest.mark.parametrize("k", [256, 640, 1024])
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_cancel_leaves_little_but_rounding(flavour: str, k: int) -> None:
    p = dataset("cancel", 64, 256, k, flavour)
    x = decode(p.x, flavour).view(64, -1, 128) * p.xs[:, :, None]
    w = decode(p.w, flavour).view(256, -1, 128) * p.ws.repeat_interleave(128, 0)[:, :, None]
    even = k // 256 * 2
    size = x.abs().flatten(1) @ w.abs().flatten(1).t()
    left = x[:, :even].flatten(1) @ w[:, :even].flatten(1).t()
    assert (left.abs() < 2.0**-44 * size).all()  # float64's own rounding
    result = reference(p).view(torch.bfloat16).double()
    assert ((result.abs() / size) < (2.0**-20 if k // 128 % 2 == 0 else 2.0**-8)).all()
    assert (result != 0).float().mean() > 0.9
    assert (p.xs.view(torch.int32) & 0x7FFFFF != 0).all() and (p.ws.view(torch.int32) & 0x7FFFFF != 0).all()


@pytest.mark.parametrize("shape", [(1, 1, 128), (3, 130, 128), (0, 256, 256), (5, 0, 128)])
@pytest.mark.parametrize("name", DATASETS)
def test_small_and_ragged_sizes(name: str, shape: tuple[int, int, int]) -> None:
    m, n, _ = shape
    assert reference(dataset(name, *shape)).shape == (m, n)


def test_bad_arguments_are_named() -> None:
    with pytest.raises(ValueError, match="'nice'"):
        dataset("nice", 1, 1, 128)
    for shape in ((-1, 1, 128), (1, -1, 128), (1, 1, 0), (1, 1, 100)):
        with pytest.raises(ValueError, match=f"{shape[0]}x{shape[1]}x{shape[2]}"):
            dataset("exact", *shape)
