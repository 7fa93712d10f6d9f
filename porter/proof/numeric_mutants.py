# SPDX-License-Identifier: Apache-2.0
"""The five numeric mutants of the contract, as variants of a generated kernel.

A data set proves something only if these wrong kernels fail on it: zero output, a neighbouring scale block, scales
rounded to powers of two, one K block dropped, and a scale index from the raw instead of the remapped workgroup.
"""

from __future__ import annotations

from enum import Enum

from porter.blocks._variant import Variant
from porter.kernel_spec import KernelSpec
from porter.write.emitter import Departure


class NumericMutant(str, Enum):
    """What is made wrong: a fault of `porter.blocks._variant`."""

    ZERO_OUTPUT = "zero-output"
    NEIGHBOUR_SCALE = "neighbour-scale"
    POWER_OF_TWO_SCALE = "power-of-two-scale"
    DROPPED_BLOCK = "dropped-block"
    RAW_WORKGROUP = "raw-workgroup"

    @property
    def departure(self) -> Departure:
        """What `emitter.render` takes to write the wrong kernel."""
        return Departure(Variant(fault=self.value))


def applicable(spec: KernelSpec) -> tuple[NumericMutant, ...]:
    """The mutants that differ from the kernel: RAW_WORKGROUP needs a raster that remaps workgroups."""
    return tuple(m for m in NumericMutant if m is not NumericMutant.RAW_WORKGROUP or spec.xcds)
