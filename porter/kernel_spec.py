# SPDX-License-Identifier: Apache-2.0
"""The decision: everything a template needs to write one kernel, and its spelling as a kernel name."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from porter.errors import KernelNameError
from porter.problem import Family
from porter.runtime._serving import GRAMMAR, TWIN_MARK, KernelName, read_name
from porter.runtime._serving import Schedule as Schedule  # a kernel's name spells it


class Core(str, Enum):
    """The loop structure that hides the promote; the value is its token in the kernel name."""

    FOUR_WAVE = "4w"
    EIGHT_WAVE = "8w"
    DECODE = "dec"


class ScaleLayout(str, Enum):
    """Memory order of x_scale: row-major [M, K/128] or K-major [K/128, M]."""

    ROW_MAJOR = "rm"
    K_MAJOR = "km"


#: The order in which each family stores x_scale; `Family` says it in words.
SCALE_LAYOUTS = {Family.PLAIN: ScaleLayout.ROW_MAJOR, Family.BPRESHUFFLE: ScaleLayout.K_MAJOR}


class Contract(str, Enum):
    """Order of the two fp32 roundings of a promote.

    ck: `acc = fma(xs * ws, partial, acc)`; cktile: `acc = fma(partial * xs, ws, acc)` (CK-Tile, 1x4 warps).
    """

    CK = "ck"
    CKTILE = "cktile"


@dataclass(frozen=True, slots=True, order=True)
class KernelSpec:
    """One kernel, independent of any shape.

    scale_block_m: rows that share one x_scale, 1 or 128; tile_m, tile_n, tile_k: elements per workgroup tile;
    mfma: `MxNxK` of the instruction; waves_per_eu: waves per SIMD that the register allocator is held to;
    xcds: dies that the raster is remapped over, 0 = the launch order; split_k: K slices, 1 = none.
    """

    family: Family
    arch: str
    scale_block_m: int
    core: Core
    tile_m: int
    tile_n: int
    tile_k: int
    mfma: str
    schedule: Schedule
    waves_per_eu: int
    xcds: int
    split_k: int
    scale_layout: ScaleLayout
    out_dtype: str
    contract: Contract = Contract.CK

    @property
    def tile(self) -> tuple[int, int, int]:
        return self.tile_m, self.tile_n, self.tile_k

    @property
    def threads(self) -> int:
        """Work-items of a workgroup."""
        return self.fields.threads

    @property
    def accumulators(self) -> int:
        """fp32 accumulators of a lane, one register each."""
        return self.tile_m * self.tile_n // self.threads

    @property
    def fields(self) -> KernelName:
        """The fields of the name, which are all fields of the spec."""
        return KernelName(
            *(self.family.value, self.arch, self.scale_block_m, self.core.value, self.tile_m, self.tile_n, self.tile_k),
            *(self.mfma, self.schedule.value, self.waves_per_eu, self.xcds, self.split_k, self.scale_layout.value),
            *(self.out_dtype, self.contract.value),
        )

    @property
    def name(self) -> str:
        """The kernel's name; `KernelSpec.parse(spec.name) == spec`."""
        return str(self.fields)

    @classmethod
    def parse(cls, name: str) -> KernelSpec:
        """Read a kernel name back.

        Raises KernelNameError (CKP030) naming the first token that does not fit, counted from the left.
        """
        try:
            fields = read_name(name)
        except ValueError as error:
            raise KernelNameError("CKP030", f"kernel name {name!r}: {error}", hint=f"grammar: {GRAMMAR}") from error
        tokens: dict[str, Any] = fields._asdict()
        return cls(**tokens | {field: kind(tokens[field]) for field, kind in _KINDS.items()})

    @classmethod
    def of_kernel_or_twin(cls, name: str) -> KernelSpec:
        """Like `parse`, and of a twin's name the spec of its kernel, whose geometry it has."""
        return cls.parse(name.partition(TWIN_MARK)[0])


#: Fields of a name that are words of a closed set.
_KINDS: dict[str, type[Enum]] = {
    "family": Family,
    "core": Core,
    "schedule": Schedule,
    "scale_layout": ScaleLayout,
    "contract": Contract,
}
