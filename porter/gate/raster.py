# SPDX-License-Identifier: Apache-2.0
"""Which tile each workgroup of a generated kernel computes: the raster of the templates, in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING

from porter.kernel_spec import KernelSpec

if TYPE_CHECKING:
    from oracle.wrong_kernels import Raster

#: GROUP_M of the templates.
GROUP_M = 4


def raster(spec: KernelSpec, m: int, n: int) -> Raster | None:
    """The remapped raster for M x N, or None for a kernel that takes workgroups in launch order."""
    from oracle.wrong_kernels import Raster

    if not spec.xcds:
        return None
    grid_m, grid_n = -(-m // spec.tile_m), -(-n // spec.tile_n)
    total = grid_m * grid_n
    tiles = []
    for workgroup in range(total):
        die, slot = workgroup % spec.xcds, workgroup // spec.xcds
        first_m, local = divmod(die * (total // spec.xcds) + min(die, total % spec.xcds) + slot, GROUP_M * grid_n)
        height = min(grid_m - first_m * GROUP_M, GROUP_M)
        tiles.append((first_m * GROUP_M + local % height, local // height))
    return Raster(spec.tile_m, spec.tile_n, tuple(tiles))
