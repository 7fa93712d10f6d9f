# SPDX-License-Identifier: Apache-2.0
"""Which workgroup of a generated kernel computes which tile: `porter.blocks._raster`, in plain Python."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from porter.blocks._geometry import GROUP_M
from porter.kernel_spec import KernelSpec
from porter.runtime._serving import REDUCED_COLUMNS

if TYPE_CHECKING:
    from oracle.verify import Window
    from oracle.wrong_kernels import Raster


def workgroup(spec: KernelSpec, tile: tuple[int, int], grid: tuple[int, int]) -> int:
    """The workgroup of a tile (row, column) in a grid of rows x columns of tiles; of split-K its first K slice."""
    (row, column), (rows, columns) = tile, grid
    if not spec.xcds:
        return (row * columns + column) * spec.split_k
    first = row // GROUP_M * GROUP_M
    walked = first * columns + column * min(rows - first, GROUP_M) + row - first
    share, rest = divmod(rows * columns, spec.xcds)  # the first `rest` dies hold one more
    if walked < rest * (share + 1):
        die, slot = divmod(walked, share + 1)
    else:
        die, slot = divmod(walked - rest * (share + 1), share)
        die += rest
    return die + spec.xcds * slot


def last_rows(spec: KernelSpec, m: int, n: int, first: int) -> Window:
    """The rows of M x N from `first` on, the start of a tile, and the workgroups that compute them."""
    from oracle.verify import Window

    grid = (-(-m // spec.tile_m), -(-n // spec.tile_n))
    tiles = product(range(first // spec.tile_m, grid[0]), range(grid[1]))
    starts = sorted(workgroup(spec, tile, grid) for tile in tiles)
    launches = [tuple(start + k_slice for start in starts for k_slice in range(spec.split_k))]
    if spec.split_k > 1:
        pieces = -(-n // (REDUCED_COLUMNS * spec.threads))
        launches.append(tuple(range(first * pieces, m * pieces)))
    return Window(first, tuple(launches))


def raster(spec: KernelSpec, m: int, n: int) -> Raster | None:
    """The remapped raster for M x N, or None for a kernel that takes workgroups in launch order."""
    from oracle.wrong_kernels import Raster

    if not spec.xcds:
        return None
    grid = (-(-m // spec.tile_m), -(-n // spec.tile_n))
    tiles = product(range(grid[0]), range(grid[1]))
    return Raster(spec.tile_m, spec.tile_n, tuple(sorted(tiles, key=lambda tile: workgroup(spec, tile, grid))))
