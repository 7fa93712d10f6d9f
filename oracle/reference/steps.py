# SPDX-License-Identifier: Apache-2.0
"""The two steps of the contract's inner loop, twice: in torch, to be read, and compiled, to be run.

Both take the place of the tensors that they are given. A test holds them equal on every data set.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Protocol

from oracle.reference.rounding import flush32, fma32, mfma_add

if TYPE_CHECKING:
    import torch

StepsName = Literal["compiled", "torch"]


class Steps(Protocol):
    """acc, partial: contiguous fp32 [r, c]; dot: float64 [r, c], exact; xs [r], ws [c]: contiguous fp32.

    tile: the order of the contract `cktile`; flush: results lose their denormals (xs and ws have none then).
    """

    def add_dot(self, partial: torch.Tensor, dot: torch.Tensor) -> None:
        """partial = RN32(partial + dot): one MFMA instruction."""

    def promote(
        self, acc: torch.Tensor, partial: torch.Tensor, xs: torch.Tensor, ws: torch.Tensor, tile: bool, flush: bool
    ) -> None:
        """acc = RN32(RN32(xs * ws) * partial + acc), or with `tile` RN32(RN32(partial * xs) * ws + acc)."""


class TorchSteps:
    """The definition."""

    def add_dot(self, partial: torch.Tensor, dot: torch.Tensor) -> None:
        partial.copy_(mfma_add(partial, dot))  # RNE

    def promote(
        self, acc: torch.Tensor, partial: torch.Tensor, xs: torch.Tensor, ws: torch.Tensor, tile: bool, flush: bool
    ) -> None:
        rows, columns = xs[:, None], ws[None, :]
        settle = flush32 if flush else lambda values: values
        if tile:
            acc.copy_(settle(fma32(settle(partial * rows), columns.expand_as(partial), acc)))  # RNE, then RNE
        else:
            acc.copy_(settle(fma32(settle(rows * columns), partial, acc)))  # RNE, then RNE


class CompiledSteps:
    """`_exact.c`: one pass over memory a step."""

    def __init__(self) -> None:
        try:
            from oracle.reference import _exact
        except ImportError as error:
            raise ImportError(
                f"the reference's compiled steps cannot be loaded: {error} [CKM017]\n"
                "  hint: in a checkout `python -m pip install -e .`, else install porter anew",
                name="oracle.reference._exact",
            ) from error
        self._exact = _exact

    def add_dot(self, partial: torch.Tensor, dot: torch.Tensor) -> None:
        self._exact.add_dot(partial.numpy(), dot.numpy())

    def promote(
        self, acc: torch.Tensor, partial: torch.Tensor, xs: torch.Tensor, ws: torch.Tensor, tile: bool, flush: bool
    ) -> None:
        self._exact.promote(acc.numpy(), partial.numpy(), xs.numpy(), ws.numpy(), tile, flush)
