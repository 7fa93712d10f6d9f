# SPDX-License-Identifier: Apache-2.0
"""What wrong kernels of the family write: the five numeric mutants of the contract, as results instead of code.

A proof says something only if these would have failed it: zero output, scales of the neighbouring block, scales rounded
to powers of two, one K block dropped, w scales of the raw instead of the remapped workgroup. Since a proof compares
every bit, a wrong kernel fails exactly where its result differs from the contract's, so nothing has to be compiled, and
kernels that porter did not write can be judged too.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from oracle.reference import SCALE_BLOCK, Problem
from oracle.verify import KernelUnderTest, expected_bits

Bits = npt.NDArray[np.uint16]

ZERO_OUTPUT = "zero-output"
NEIGHBOUR_SCALE = "neighbour-scale"
POWER_OF_TWO_SCALE = "power-of-two-scale"
DROPPED_BLOCK = "dropped-block"
RAW_WORKGROUP = "raw-workgroup"
MUTANTS = (ZERO_OUTPUT, NEIGHBOUR_SCALE, POWER_OF_TWO_SCALE, DROPPED_BLOCK, RAW_WORKGROUP)


@dataclass(frozen=True, slots=True)
class Raster:
    """Which tile each workgroup computes. tile_m, tile_n: rows and columns; tiles: (row, column) of workgroup i."""

    tile_m: int
    tile_n: int
    tiles: Sequence[tuple[int, int]]


def wrong_results(kernel: KernelUnderTest, problem: Problem, raster: Raster | None) -> Iterator[tuple[str, Bits]]:
    """(mutant, bit patterns [M, N]) of every mutant that differs from the kernel as code.

    RAW_WORKGROUP needs the raster of a kernel that remaps its workgroups; without one it is left out. A name comes
    several times where there are several ways to be wrong in its sense.
    """
    yield ZERO_OUTPUT, np.zeros((problem.m, problem.n), np.uint16)
    yield NEIGHBOUR_SCALE, expected_bits(kernel, replace(problem, ws=problem.ws.roll(-1, 1).contiguous()))
    for rounded in rounded_scales(problem):
        yield POWER_OF_TWO_SCALE, expected_bits(kernel, rounded)
    yield DROPPED_BLOCK, _dropped_block(kernel, problem)
    if raster is not None:
        yield RAW_WORKGROUP, _raw_workgroup(kernel, problem, raster)


def rounded_scales(problem: Problem) -> Iterator[Problem]:
    """The problem with powers of two as scales: of x, of w, or of both, to the nearest or towards zero."""
    for rounding in (_nearest_power, _lower_power):
        xs, ws = rounding(problem.xs.numpy()), rounding(problem.ws.numpy())
        yield _with_scales(problem, xs, ws)
        yield _with_scales(problem, problem.xs.numpy(), ws)
        yield _with_scales(problem, xs, problem.ws.numpy())


def _with_scales(problem: Problem, xs: npt.NDArray[np.float32], ws: npt.NDArray[np.float32]) -> Problem:
    import torch

    return replace(problem, xs=torch.from_numpy(xs), ws=torch.from_numpy(ws))


def _nearest_power(scales: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Ties upwards: what adding half of the mantissa to the bits and cutting it off gives."""
    bits = scales.view(np.uint32)
    power: npt.NDArray[np.float32] = ((bits + np.uint32(0x400000)) & np.uint32(0xFF800000)).view(np.float32)
    return np.where(np.isfinite(scales), power, scales)


def _lower_power(scales: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    power: npt.NDArray[np.float32] = (scales.view(np.uint32) & np.uint32(0xFF800000)).view(np.float32)
    return np.where(np.isfinite(scales), power, scales)


def _dropped_block(kernel: KernelUnderTest, problem: Problem) -> Bits:
    """The last K block is left out; a kernel of a single block then writes zeros."""
    blocks = problem.k // SCALE_BLOCK - 1
    if not blocks:
        return np.zeros((problem.m, problem.n), np.uint16)
    k = blocks * SCALE_BLOCK
    shorter = replace(
        problem,
        x=problem.x[:, :k].contiguous(),
        w=problem.w[:, :k].contiguous(),
        xs=problem.xs[:, :blocks].contiguous(),
        ws=problem.ws[:, :blocks].contiguous(),
    )
    return expected_bits(kernel, shorter)


def _raw_workgroup(kernel: KernelUnderTest, problem: Problem, raster: Raster) -> Bits:
    """Every tile with the w scales of the columns that its workgroup would have had without the remap."""
    columns = -(-problem.n // raster.tile_n)
    result = np.zeros((problem.m, problem.n), np.uint16)
    last = problem.ws.shape[0] - 1
    for workgroup, (row, column) in enumerate(raster.tiles):
        m0, n0, raw_n0 = row * raster.tile_m, column * raster.tile_n, workgroup % columns * raster.tile_n
        m1, n1 = min(m0 + raster.tile_m, problem.m), min(n0 + raster.tile_n, problem.n)
        blocks = [min(raw_n0 // SCALE_BLOCK + i, last) for i in range(-(-(n1 - n0) // SCALE_BLOCK))]
        first, end = m0 // problem.scale_block_m, -(-m1 // problem.scale_block_m)
        tile = replace(
            problem,
            x=problem.x[m0:m1].contiguous(),
            w=problem.w[n0:n1].contiguous(),
            xs=problem.xs[first:end].contiguous(),
            ws=problem.ws[blocks].contiguous(),
        )
        result[m0:m1, n0:n1] = expected_bits(kernel, tile)
    return result
