# SPDX-License-Identifier: Apache-2.0
"""How the partial sums of a scale block get their scales and join the accumulators, in fp32."""

from collections.abc import Callable
from typing import Any

import flydsl.expr as fx

from ._geometry import Geometry
from ._mfma import Mfma


class CkPromote:
    """Contract ck: acc = fma(xs * ws, partial, acc)."""

    def __init__(self, mfma: Mfma) -> None:
        self._mfma = mfma

    def partial(self, w: Any, x: Any) -> Any:
        """What one MFMA tile has of a block, before its promote."""
        return self._mfma.product(w, x)

    def promote(self, scales: Any, mt: int, partials: list[Any], accumulators: list[Any]) -> list[Any]:
        """The accumulators of M tile `mt` with its partials of a block; scales: ([xs of each M tile], ws)."""
        xs, ws = scales
        scale = fx.Vector.filled(4, xs[mt] * ws, fx.Float32)
        return [fx.math.fma(scale, p, acc) for p, acc in zip(partials, accumulators, strict=True)]


class CkTilePromote(CkPromote):
    """Contract cktile: acc = fma(partial * xs, ws, acc)."""

    def promote(self, scales: Any, mt: int, partials: list[Any], accumulators: list[Any]) -> list[Any]:
        xs, ws = scales
        x, w = fx.Vector.filled(4, xs[mt], fx.Float32), fx.Vector.filled(4, ws, fx.Float32)
        return [fx.math.fma(p * x, w, acc) for p, acc in zip(partials, accumulators, strict=True)]


class ChainedPromote(CkPromote):
    """No promote, for measurements: the MFMA runs where the promote would, on top of the accumulator."""

    def partial(self, w: Any, x: Any) -> Any:
        return w, x

    def promote(self, scales: Any, mt: int, partials: list[Any], accumulators: list[Any]) -> list[Any]:
        return [self._mfma.product(w, x, acc) for (w, x), acc in zip(partials, accumulators, strict=True)]


class ScalarCkPromote(CkPromote):
    """Contract ck an element at a time: no vectors for packed fp32, which LLVM must not make of it again."""

    def promote(self, scales: Any, mt: int, partials: list[Any], accumulators: list[Any]) -> list[Any]:
        xs, ws = scales
        scale = xs[mt] * ws
        return _each(lambda p, acc: fx.math.fma(scale, p, acc), partials, accumulators)


class ScalarCkTilePromote(CkPromote):
    """Contract cktile an element at a time."""

    def promote(self, scales: Any, mt: int, partials: list[Any], accumulators: list[Any]) -> list[Any]:
        xs, ws = scales
        return _each(lambda p, acc: fx.math.fma(p * xs[mt], ws, acc), partials, accumulators)


def _each(operation: Callable[[Any, Any], Any], partials: list[Any], accumulators: list[Any]) -> list[Any]:
    """Vectors of the results for each of a lane's four elements."""
    return [
        fx.Vector.from_elements([operation(p[i], acc[i]) for i in range(4)], fx.Float32)
        for p, acc in zip(partials, accumulators, strict=True)
    ]


_PROMOTES = {
    ("ck", "packed"): CkPromote,
    ("cktile", "packed"): CkTilePromote,
    ("ck", "scalar"): ScalarCkPromote,
    ("cktile", "scalar"): ScalarCkTilePromote,
    ("ck", "chained"): ChainedPromote,
    ("cktile", "chained"): ChainedPromote,
}


def promote_of(g: Geometry, mfma: Mfma) -> CkPromote:
    """The promote of a SPEC's contract, in its variant."""
    return _PROMOTES[g.spec["contract"], g.variant.promote](mfma)


def llvm_options(g: Geometry) -> dict[str, bool]:
    """Options that the promote needs: the SLP vectoriser would pair scalar ones in packed fp32 again."""
    return {"vectorize_slp": False} if g.variant.promote == "scalar" else {}
