# SPDX-License-Identifier: Apache-2.0
"""The matrix product of a lane's fragments of one scale block."""

from typing import Any

import flydsl.expr as fx

from ._geometry import BLOCK, Geometry

_FP8 = {"e4m3fn": fx.Float8E4M3FN, "e4m3fnuz": fx.Float8E4M3FNUZ}


def zero() -> Any:
    """Sums of an MFMA tile before the first block."""
    return fx.Vector.filled(4, 0.0, fx.Float32)


def zeros(g: Geometry) -> list[list[Any]]:
    """Sums of a wave before the first block: [M tile][N tile], four of a lane each."""
    return [[zero() for _ in range(g.n_tiles)] for _ in range(g.m_tiles)]


class Mfma:
    """16 columns of B by 16 rows of A over one scale block.

    The weights are the first operand (CK's TransposeC): a lane's four results are neighbours in N and share one
    x_scale.
    """

    def __init__(self, g: Geometry) -> None:
        self._narrow = g.narrow
        fp8 = _FP8[g.spec["fp8"]]
        # No scale state is set: LLVM emits the unscaled v_mfma_f32_16x16x128_f8f6f4.
        atom = fx.rocdl.MFMA(16, 16, 32, fp8) if g.narrow else fx.rocdl.cdna4.MFMA_Scale(16, 16, BLOCK, fp8)
        self._atom = fx.make_mma_atom(atom)

    def join(self, parts: list[Any]) -> Any:
        """Parts of a fragment as `product` takes them: one MFMA each, or the two halves of one MFMA's operand."""
        return parts if self._narrow else parts[0].shuffle(parts[1], list(range(8)))

    def product(self, w: Any, x: Any, start: Any = None) -> Any:
        """Four fp32 sums of a lane: `start`, or zero, plus the product of two fragments."""
        return self._chained(w, x, start) if self._narrow else self._single(w, x, start)

    def _single(self, w: Any, x: Any, start: Any) -> Any:
        operands = [fx.make_rmem_tensor(8, fx.Int32) for _ in range(2)]
        operands[0].store(w)
        operands[1].store(x)
        before, after = [fx.make_rmem_tensor(4, fx.Float32) for _ in range(2)]
        before.store(zero() if start is None else start)
        fx.gemm(self._atom, after, operands[0], operands[1], before)
        return after.load()

    def _chained(self, w: list[Any], x: list[Any], start: Any) -> Any:
        total = fx.make_rmem_tensor(4, fx.Float32)
        total.store(zero() if start is None else start)
        for parts in zip(w, x, strict=True):
            operands = [fx.make_rmem_tensor(2, fx.Int32) for _ in range(2)]
            for operand, part in zip(operands, parts, strict=True):
                operand.store(part)
            fx.gemm(self._atom, total, operands[0], operands[1], total)
        return total.load()
