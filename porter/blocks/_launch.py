# SPDX-License-Identifier: Apache-2.0
"""Launchers: what `build` returns."""

from typing import Any

import flydsl.expr as fx

from . import _shim
from ._geometry import LANES, Geometry
from ._promote import llvm_options


def launcher(g: Geometry, gemm: Any, attributes: dict[str, Any]) -> Any:
    """launch(C, A, B, x_scale, w_scale, M, stream): a workgroup for every tile of C."""
    block = (g.waves * LANES, 1, 1)

    @_shim.jit(**llvm_options(g))
    def launch(
        C: fx.Pointer,
        A: fx.Pointer,
        B: fx.Pointer,
        XS: fx.Pointer,
        WS: fx.Pointer,
        M: fx.Int32,
        stream: fx.Stream = fx.Stream(None),
    ) -> None:
        workgroups = (M + (g.tile_m - 1)) // g.tile_m * g.grid_n
        gemm(C, A, B, XS, WS, M, value_attrs=attributes).launch(grid=(workgroups, 1, 1), block=block, stream=stream)

    return launch
