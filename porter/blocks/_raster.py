# SPDX-License-Identifier: Apache-2.0
"""Which tile a workgroup computes."""

from typing import Any

import flydsl.expr as fx

from ._geometry import GROUP_M, Geometry


def tile_of(g: Geometry, M: Any, workgroup: Any) -> tuple[Any, Any]:
    """(row, column) of the workgroup's tile: in launch order, or remapped where SPEC names a number of dies."""
    if not g.spec["xcds"]:
        return workgroup // g.grid_n, workgroup % g.grid_n
    return _by_die(g, M, workgroup, g.spec["xcds"])


def _by_die(g: Geometry, M: Any, workgroup: Any, xcds: int) -> tuple[Any, Any]:
    """Each die, which has an L2, gets a contiguous run of workgroups, in groups of GROUP_M rows of tiles.

    The hardware deals workgroup i to die i % xcds. Remainder-safe: the first `total % xcds` dies hold one more.
    """
    grid_m = (M + (g.tile_m - 1)) // g.tile_m
    total = grid_m * g.grid_n
    die, slot = workgroup % xcds, workgroup // xcds
    workgroup = die * (total // xcds) + fx.min(die, total % xcds) + slot
    first_m = workgroup // (GROUP_M * g.grid_n) * GROUP_M
    local = workgroup % (GROUP_M * g.grid_n)
    height = fx.min(grid_m - first_m, GROUP_M)
    column = local // GROUP_M
    for rows_left in range(1, GROUP_M):
        column = (height == rows_left).select(local // rows_left, column)
    return first_m + local - column * height, column
