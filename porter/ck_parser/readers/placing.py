# SPDX-License-Identifier: Apache-2.0
"""What tuned and untuned rows share: the shape, the chip, and the family that the tensors belong to."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache

from porter.ck_parser.operations import file_name_family
from porter.ck_parser.quoting import quote
from porter.ck_parser.readers.contents import ReadOptions
from porter.ck_parser.rows import Origin, Provenance
from porter.ck_parser.table import CellError, Reason, UnsupportedError, size, whole, word
from porter.problem import ARCH_OF_CUS, TARGETS, Family, GemmShape

_MAX_CU_NUM = 4096
_LAYOUTS = tuple(family.value for family in Family)
#: How a chip is spelt.
GFX = re.compile("gfx[0-9a-f]{2,8}")
FAMILY_UNKNOWN = Reason(
    "CKP042",
    "nothing tells the family: not the kernelName, not the other rows, not the file name",
    hint="pass --layout plain or --layout bpreshuffle, or add a layout column",
)


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a row belongs: its shape, its chip, and the family that its layout cell says, if it says one."""

    shape: GemmShape
    gfx: str
    gfx_origin: Origin
    cu_num: int
    cu_num_origin: Origin
    layout: Family | None

    def provenance(self, family: Origin, libtype: Origin) -> Provenance:
        """The origins of the row's values; equal ones are one object."""
        return _provenance(family, self.gfx_origin, self.cu_num_origin, libtype)


def place_row(cells: dict[str, str], options: ReadOptions) -> Placement:
    """Read M, N, K, gfx, cu_num and layout (the last is ours; aiter's files do not have it).

    cu_num missing: that of the chip, 256 for gfx950 and 304 for gfx942; gfx missing: the chip that has this cu_num
    (`ARCH_OF_CUS`), else the arch argument.
    Raises CellError for damage, UnsupportedError CKP043 where cu_num is missing for another chip.
    """
    shape = GemmShape(size(cells, "M"), size(cells, "N"), size(cells, "K"))
    gfx = cells.get("gfx", "")
    if gfx and not GFX.fullmatch(gfx):
        raise CellError("CKP014", f"gfx: {quote(gfx)} where a chip such as gfx950 was expected", "gfx")
    cu_num = whole(cells, "cu_num", 1, _MAX_CU_NUM)
    layout = word(cells, "layout", _LAYOUTS)
    told = ARCH_OF_CUS.get(cu_num or 0, "")
    chip = gfx or told or options.arch
    if cu_num is None and chip not in TARGETS:
        raise UnsupportedError(Reason("CKP043", f"cu_num is missing and {chip} is not a chip that porter knows"))
    return Placement(
        shape=shape,
        gfx=chip,
        gfx_origin=Origin.CELL if gfx else Origin.CU_NUM if told else Origin.ARCH_ARGUMENT,
        cu_num=TARGETS[chip].cus if cu_num is None else cu_num,
        cu_num_origin=Origin.CHIP if cu_num is None else Origin.CELL,
        layout=Family(layout) if layout else None,
    )


def named_family(name_family: Family | None, layout: Family | None) -> tuple[Family, Origin] | None:
    """The family that the row itself tells; CellError CKP018 where its layout cell contradicts its kernelName."""
    if name_family and layout and name_family is not layout:
        message = f"layout: {layout.value} where the kernelName is {name_family.value}"
        raise CellError("CKP018", message, "layout")
    if name_family:
        return name_family, Origin.NAME
    return (layout, Origin.CELL) if layout else None


def family_of_file(told: Collection[Family], path: str, options: ReadOptions) -> tuple[Family, Origin] | None:
    """The family of rows that do not tell it: the other rows where they agree, the file name, the argument.

    None where none of them decides (`FAMILY_UNKNOWN`). Users read of it in docs/concepts.md#layouts.
    """
    if len(told) == 1:
        return next(iter(told)), Origin.OTHER_ROWS
    named = file_name_family(path)
    if named:
        return named, Origin.FILE_NAME
    return (options.layout, Origin.LAYOUT_ARGUMENT) if options.layout else None


@lru_cache(maxsize=256)
def _provenance(family: Origin, gfx: Origin, cu_num: Origin, libtype: Origin) -> Provenance:
    return Provenance(family, gfx, cu_num, libtype)
