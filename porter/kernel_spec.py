# SPDX-License-Identifier: Apache-2.0
"""The decision: everything a template needs to write one kernel, and its spelling as a kernel name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from porter.errors import KernelNameError
from porter.problem import SCALE_BLOCK, TARGETS, Family


class Core(str, Enum):
    """The loop structure that hides the promote; the value is its token in the kernel name."""

    FOUR_WAVE = "4w"
    EIGHT_WAVE = "8w"
    DECODE = "dec"


class Schedule(str, Enum):
    """Where the promotes stand: beside their MFMAs, all after the last MFMA of the K block, or one tile row late."""

    INLINE = "inline"
    CLUSTER = "cluster"
    SKEW = "skew"


class ScaleLayout(str, Enum):
    """Memory order of x_scale: row-major [M, K/128] or K-major [K/128, M]."""

    ROW_MAJOR = "rm"
    K_MAJOR = "km"


#: The order in which each family stores x_scale; `Family` says it in words.
SCALE_LAYOUTS = {Family.PLAIN: ScaleLayout.ROW_MAJOR, Family.BPRESHUFFLE: ScaleLayout.K_MAJOR}

#: What stands between the name of a kernel and the kind of its measurement twin; no kernel's own name has it.
TWIN_MARK = "_twin_"


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
    def threads(self) -> int:
        """Work-items of a workgroup."""
        return 512 if self.core is Core.EIGHT_WAVE else 256

    @property
    def accumulators(self) -> int:
        """fp32 accumulators of a lane, one register each."""
        return self.tile_m * self.tile_n // self.threads

    @property
    def name(self) -> str:
        """The kernel's name; `KernelSpec.parse(spec.name) == spec`."""
        suffix = "" if self.contract is Contract.CK else f"_{self.contract.value}"
        return (
            f"flydsl_a8w8_blockscale_{self.family.value}_{self.arch}"
            f"_{self.scale_block_m}x{SCALE_BLOCK}x{SCALE_BLOCK}"
            f"_{self.core.value}_{self.tile_m}x{self.tile_n}x{self.tile_k}_{self.mfma}_{self.schedule.value}"
            f"_wpe{self.waves_per_eu}_xcd{self.xcds}_ks{self.split_k}"
            f"_{self.scale_layout.value}_{self.out_dtype}{suffix}"
        )

    @classmethod
    def parse(cls, name: str) -> KernelSpec:
        """Read a kernel name back.

        Raises KernelNameError (CKP030) naming the first token that does not fit, counted from the left.
        """
        rest = name
        values: dict[str, str] = {}
        for field, pattern in _GRAMMAR:
            match = re.match(pattern, rest)
            if match is None:
                token = rest.split("_", 1)[0] or "end of name"
                raise KernelNameError(
                    "CKP030",
                    f"kernel name {name!r}: {token!r} where {field} was expected",
                    hint=f"grammar: {GRAMMAR_TEXT}",
                )
            values.update(match.groupdict())
            rest = rest[match.end() :]
        return cls(
            family=Family(values["family"]),
            arch=values["arch"],
            scale_block_m=int(values["scale_block_m"]),
            core=Core(values["core"]),
            tile_m=int(values["tile_m"]),
            tile_n=int(values["tile_n"]),
            tile_k=int(values["tile_k"]),
            mfma=values["mfma"],
            schedule=Schedule(values["schedule"]),
            waves_per_eu=int(values["waves_per_eu"]),
            xcds=int(values["xcds"]),
            split_k=int(values["split_k"]),
            scale_layout=ScaleLayout(values["scale_layout"]),
            out_dtype=values["out_dtype"],
            contract=Contract(values["contract"] or "ck"),
        )

    @classmethod
    def of_kernel_or_twin(cls, name: str) -> KernelSpec:
        """Like `parse`, and of a twin's name the spec of its kernel, whose geometry it has."""
        return cls.parse(name.partition(TWIN_MARK)[0])


GRAMMAR_TEXT = (
    "flydsl_a8w8_blockscale_{plain|bpreshuffle}_{arch}_{sbm}x128x128_{4w|8w|dec}_{tm}x{tn}x{tk}_{mfma}"
    "_{inline|cluster|skew}_wpe{n}_xcd{n}_ks{n}_{rm|km}_{bf16|fp16}[_cktile]"
)

_NUMBER = r"(?:0|[1-9][0-9]{0,5})"
_GRAMMAR: tuple[tuple[str, str], ...] = (
    ("the prefix flydsl_a8w8_blockscale", r"flydsl_a8w8_blockscale_"),
    ("the family (plain or bpreshuffle)", r"(?P<family>plain|bpreshuffle)_"),
    (f"the arch ({' or '.join(TARGETS)})", rf"(?P<arch>{'|'.join(TARGETS)})_"),
    ("the scale block (1x128x128 or 128x128x128)", r"(?P<scale_block_m>1|128)x128x128_"),
    ("the core (4w, 8w or dec)", r"(?P<core>4w|8w|dec)_"),
    ("the tile MxNxK", rf"(?P<tile_m>{_NUMBER})x(?P<tile_n>{_NUMBER})x(?P<tile_k>{_NUMBER})_"),
    ("the MFMA shape MxNxK", rf"(?P<mfma>{_NUMBER}x{_NUMBER}x{_NUMBER})_"),
    ("the schedule (inline, cluster or skew)", r"(?P<schedule>inline|cluster|skew)_"),
    ("wpe and a number", rf"wpe(?P<waves_per_eu>{_NUMBER})_"),
    ("xcd and a number", rf"xcd(?P<xcds>{_NUMBER})_"),
    ("ks and a number", rf"ks(?P<split_k>{_NUMBER})_"),
    ("the x_scale layout (rm or km)", r"(?P<scale_layout>rm|km)_"),
    ("the output dtype (bf16 or fp16)", r"(?P<out_dtype>bf16|fp16)(?=_|\Z)"),
    ("the end of the name, or _cktile", r"(?:_(?P<contract>cktile))?\Z"),
)
