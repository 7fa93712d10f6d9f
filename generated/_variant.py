# SPDX-License-Identifier: Apache-2.0
"""How a kernel may depart from what its SPEC says: for measurements, wrong on purpose, or as an idea that was rejected.

A variant stands in SPEC["variant"]; a kernel in use has none.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

#: What may be computed wrong: MUTANTS of `oracle.wrong_kernels`, which a kernel cannot import, and one row's scale for
#: all rows.
FAULTS = (
    "zero-output",
    "neighbour-scale",
    "power-of-two-scale",
    "dropped-block",
    "raw-workgroup",
    "one-row-scale",
)


@dataclass(frozen=True)
class Variant:
    """The defaults are the kernel itself. Raises ValueError for a fault that no block knows.

    promote: `packed`; `scalar`, an element at a time; `chained`: none, all of K goes through the MFMAs. row_scale: the
    epilogue multiplies by the scales of the first block. loads: whether the loop reads global memory. dma_wait: `use`
    of a load behind the DMA, FlyDSL's `asyncmark`, or a number of loads `counted` in the source. stages: scale blocks
    that the decode core loads ahead, 0 for its own number. pin_tail: hold the sums of the 8-wave core's tail.
    tell_rows_apart: keep LLVM from merging the 8-wave core's loads of scales. fault: one of FAULTS.
    """

    promote: str = "packed"
    row_scale: bool = False
    loads: bool = True
    dma_wait: str = "use"
    stages: int = 0
    pin_tail: bool = True
    tell_rows_apart: bool = True
    fault: str = ""

    def __post_init__(self) -> None:
        if self.fault and self.fault not in FAULTS:
            raise ValueError(f"fault {self.fault!r}: expected one of {', '.join(FAULTS)}")

    def changed(self) -> dict[str, Any]:
        """The options that are not the kernel's, by name."""
        return {f.name: getattr(self, f.name) for f in fields(self) if getattr(self, f.name) != f.default}

    @classmethod
    def of(cls, spec: Mapping[str, Any]) -> "Variant":
        """A SPEC's variant. Raises TypeError for an option that there is not."""
        return cls(**spec.get("variant", {}))
