# SPDX-License-Identifier: Apache-2.0
"""The five numeric mutants of the contract, applied to a generated kernel's source.

A data set proves something only if these wrong kernels fail on it: zero output, a neighbouring scale block, scales
rounded to powers of two, one K block dropped, and a scale index from the raw instead of the remapped workgroup.
"""

from __future__ import annotations

from enum import Enum

from porter.errors import PorterError
from porter.kernel_spec import KernelSpec
from porter.write.source_edits import Edit


class NumericMutant(str, Enum):
    """What is made wrong."""

    ZERO_OUTPUT = "zero-output"
    NEIGHBOUR_SCALE = "neighbour-scale"
    POWER_OF_TWO_SCALE = "power-of-two-scale"
    DROPPED_BLOCK = "dropped-block"
    RAW_WORKGROUP = "raw-workgroup"


#: The places of each mutant; which of them a kernel has depends on its core.
_EDITS: dict[NumericMutant, tuple[Edit, ...]] = {
    NumericMutant.ZERO_OUTPUT: (Edit(r"store\(([\w\[\]]+)\.to\(", r"store((\1 * 0.0).to("),),
    NumericMutant.NEIGHBOUR_SCALE: (
        Edit(r"ws_rsrc, ws_row \* blocks \+ kb\)", "ws_rsrc, ws_row * blocks + (kb + 1) % blocks)"),
    ),
    # What E8M0 keeps of an fp32 scale is its exponent.
    NumericMutant.POWER_OF_TWO_SCALE: (
        Edit(r"fx\.Vector\.filled\(1, bits, fx\.Int32\)", "fx.Vector.filled(1, bits & -0x800000, fx.Int32)"),
    ),
    NumericMutant.DROPPED_BLOCK: (
        Edit(r"b, scales, acc = multiply\([01], b, scales, acc, None\)", "pass"),
        Edit(r"left = blocks - kb\n", "left = blocks - 1 - kb\n"),
        Edit(r"in range_constexpr\(2 \* pairs, blocks\):", "in range_constexpr(2 * pairs, blocks - 1):"),
        Edit(r"in range_constexpr\(trips \* STAGES, count\):", "in range_constexpr(trips * STAGES, count - 1):"),
    ),
    NumericMutant.RAW_WORKGROUP: (Edit(r"ws_row = \(n0 \+", "ws_row = (fx.block_idx.x % grid_n * TILE_N +"),),
}


def applicable(spec: KernelSpec) -> tuple[NumericMutant, ...]:
    """The mutants that differ from the kernel: RAW_WORKGROUP needs a raster that remaps workgroups."""
    return tuple(m for m in NumericMutant if m is not NumericMutant.RAW_WORKGROUP or spec.xcds)


def apply(mutant: NumericMutant, source: str) -> str:
    """The module's text with the mutant in it.

    Raises PorterError CKV090 when no edit finds a place, so that a changed template cannot silently disarm a mutant.
    """
    places = 0
    for edit in _EDITS[mutant]:
        source, count = edit.apply(source)
        places += count
    if not places:
        raise PorterError("CKV090", f"mutant {mutant.value}: no place for it in the kernel's source")
    return source
