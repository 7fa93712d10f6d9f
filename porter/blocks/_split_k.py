# SPDX-License-Identifier: Apache-2.0
"""Split-K: which blocks a slice of K has, and the pass that adds the slices up."""

from dataclasses import dataclass
from typing import Any

import flydsl.compiler as flyc
import flydsl.expr as fx

from . import _shim
from ._geometry import LANES, Geometry
from ._promote import llvm_options
from ._store import converted, out_type, store_four


@dataclass(frozen=True)
class SplitK:
    """The first `blocks % slices` slices take one block more than the others."""

    g: Geometry

    @property
    def slices(self) -> int:
        return int(self.g.spec["split_k"])

    @property
    def count(self) -> int:
        """Blocks that every slice has."""
        return self.g.blocks // self.slices

    @property
    def extra(self) -> int:
        """Slices that have one more."""
        return self.g.blocks % self.slices

    @property
    def columns(self) -> int:
        """Columns that a workgroup of the second pass adds up."""
        return 4 * self.g.waves * LANES

    @property
    def reduce_n(self) -> int:
        """Workgroups of the second pass for a row of C."""
        return -(-self.g.N // self.columns)

    def first(self, k_slice: Any) -> Any:
        """First block of a slice."""
        return k_slice * self.count + fx.min(k_slice, self.extra)

    def launcher(self, gemm: Any, attributes: dict[str, Any]) -> Any:
        """launch(C, A, B, x_scale, w_scale, workspace, M, stream): a workgroup for every tile and slice, then the sum.

        workspace: fp32 [slices, M, N], one partial result per slice; its contents do not matter.
        """
        g, slices, reduce_n, reduce = self.g, self.slices, self.reduce_n, self._reduce_kernel()
        block = (g.waves * LANES, 1, 1)

        @_shim.jit(**llvm_options(g))
        def launch(
            C: fx.Pointer,
            A: fx.Pointer,
            B: fx.Pointer,
            XS: fx.Pointer,
            WS: fx.Pointer,
            W: fx.Pointer,
            M: fx.Int32,
            stream: fx.Stream = fx.Stream(None),
        ) -> None:
            workgroups = (M + (g.tile_m - 1)) // g.tile_m * (g.grid_n * slices)
            gemm(W, A, B, XS, WS, M, value_attrs=attributes).launch(grid=(workgroups, 1, 1), block=block, stream=stream)
            reduce(C, W, M).launch(grid=(M * reduce_n, 1, 1), block=block, stream=stream)

        return launch

    def _reduce_kernel(self) -> Any:
        """The second pass, reduce(C, W, M): slices are added in ascending order, in fp32, and converted once."""

        @flyc.kernel(name=self.g.spec["name"] + "_reduce")  # type: ignore[untyped-decorator]
        def reduce(C: fx.Pointer, W: fx.Pointer, M: fx.Int32) -> None:
            m = fx.block_idx.x // self.reduce_n
            column = fx.block_idx.x % self.reduce_n * self.columns + fx.thread_idx.x * 4
            self._store_row(C, m, column, self._sum_of_slices(W, M, m, column))

        return reduce

    def _sum_of_slices(self, W: Any, M: Any, m: Any, column: Any) -> Any:
        N = self.g.N
        atom = fx.make_copy_atom(fx.rocdl.BufferCopy128b(), fx.Float32)

        def load(k_slice: int) -> Any:
            w_row = W + (fx.Int64(M) * k_slice + fx.Int64(m)) * N
            w_rsrc = fx.rocdl.make_buffer_ptr(w_row, num_records_bytes=4 * N)
            sums = fx.make_rmem_tensor(4, fx.Float32)
            fx.copy(atom, fx.make_view(w_rsrc + fx.min(column, N - 4), fx.make_layout(4, 1)), sums)
            return sums.load()

        total, *others = [load(k_slice) for k_slice in range(self.slices)]
        for addend in others:
            total = total + addend
        return total

    def _store_row(self, C: Any, m: Any, column: Any, total: Any) -> None:
        N = self.g.N
        c_rsrc = fx.rocdl.make_buffer_ptr(C + fx.Int64(m) * N, num_records_bytes=2 * N)
        # Columns past N lie past the descriptor, where stores drop.
        atom = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), out_type(self.g))
        store_four(atom, c_rsrc + column, converted(self.g, total), out_type(self.g))
