# SPDX-License-Identifier: Apache-2.0
"""Tuned CSVs: a shape, a chip, the kernel that won there and its time."""

from __future__ import annotations

import math
import re
import sys
from dataclasses import dataclass
from functools import lru_cache

from porter.ck_parser.instance import CkInstance
from porter.ck_parser.names import parse_kernel_name
from porter.ck_parser.names.grammar import Kernel, OpaqueKernel
from porter.ck_parser.operations import INSTANCE_COLUMNS, TUNED_COLUMNS, of_file_name, of_kernel_name, of_table
from porter.ck_parser.quoting import quote
from porter.ck_parser.readers.contents import FileContents, ReadOptions
from porter.ck_parser.readers.placing import FAMILY_UNKNOWN, Placement, family_of_file, named_family, place_row
from porter.ck_parser.rows import CK_LIBTYPES, MAX_KERNEL_ID, Origin, TunedRow
from porter.ck_parser.table import (
    CellError,
    Reason,
    RowPlace,
    UnsupportedError,
    open_table,
    read_header,
    real,
    required,
    whole,
)
from porter.ck_parser.text import Source
from porter.errors import KernelNameError
from porter.problem import Family

FORM = "tuned table"

#: Damaged or not, a name with it is of this operation.
_PREFIX = "a8w8_blockscale"
_LIBTYPE = re.compile("[A-Za-z0-9_]{1,32}")
#: log2 for CK, a count elsewhere; nothing real comes near.
_MAX_LOG2_SPLIT_K = 16
_MAX_SPLIT_K = 65_536


@dataclass(frozen=True, slots=True)
class _Draft:
    """A tuned row without its family."""

    placement: Placement
    libtype: str
    libtype_origin: Origin
    kernel: Kernel
    kernel_name: str
    kernel_id: int | None
    split_k: int
    us: float | None
    err_ratio: float | None
    err_limit: float
    place: RowPlace

    def settle(self, family: Family, origin: Origin) -> TunedRow:
        return TunedRow(
            shape=self.placement.shape,
            family=family,
            gfx=self.placement.gfx,
            cu_num=self.placement.cu_num,
            libtype=self.libtype,
            kernel=self.kernel,
            kernel_name=self.kernel_name,
            kernel_id=self.kernel_id,
            split_k=self.split_k,
            us=self.us,
            err_ratio=self.err_ratio,
            err_limit=self.err_limit,
            provenance=self.placement.provenance(origin, self.libtype_origin),
            place=self.place,
        )


def recognises(path: str, head: str) -> bool:
    """A header with a tuner's column, and no column of an instance list; not another operation's."""
    columns = set(read_header(head))
    return bool(columns & TUNED_COLUMNS) and not columns & INSTANCE_COLUMNS and not of_table(path, columns)


def read(source: Source, options: ReadOptions) -> FileContents:
    """Read every row; families that rows leave open are settled when all of them are known."""
    table = open_table(source)
    table.require("M", "N", "K", "kernelName")
    contents = FileContents(source.path)
    told: set[Family] = set()
    undecided: list[_Draft] = []
    named_after = of_file_name(source.path)
    ours = not named_after
    for record in table.records():
        place = record.place
        contents.count(place.line)
        try:
            if record.error:
                raise record.error
            if other := _other_operation(record.cells.get("kernelName", ""), named_after):
                contents.leave(place, other)
                continue
            ours = True
            draft = _read_row(place, record.cells, options)
            named = named_family(draft.kernel.family, draft.placement.layout)
        except CellError as error:
            contents.refuse(place, error)
            continue
        except UnsupportedError as error:
            contents.set_aside(place, error.reason, sys.intern(record.cells.get("kernelName", "")))
            continue
        if named:
            told.add(named[0])
        if draft.libtype not in CK_LIBTYPES and not options.by_shape:
            contents.set_aside(place, _not_ck(draft.libtype), draft.kernel_name)
        elif named:
            contents.rows.append(draft.settle(*named))
        else:
            undecided.append(draft)
    _settle(undecided, told, contents, options)
    if not ours:
        contents.leave_damaged(named_after)
    return contents


def _other_operation(name: str, named_after: str) -> str:
    """The other operation that a row is of, by its kernelName or else by what its file is named after."""
    if _is_of_this_operation(name):
        return ""
    return of_kernel_name(name) or ("" if _PREFIX in name else named_after)


@lru_cache(maxsize=4096)
def _is_of_this_operation(name: str) -> bool:
    try:
        kernel = _known_kernel(name)
    except KernelNameError:
        return False
    return isinstance(kernel, CkInstance) or kernel.family is not None


def _settle(undecided: list[_Draft], told: set[Family], contents: FileContents, options: ReadOptions) -> None:
    """Put the undecided rows where they belong, in the order of their lines."""
    if not undecided:
        return
    decided = family_of_file(told, contents.path, options)
    if decided:
        contents.rows.extend(draft.settle(*decided) for draft in undecided)
        contents.rows.sort(key=lambda row: row.place.line)
        return
    for draft in undecided:
        contents.set_aside(draft.place, FAMILY_UNKNOWN, draft.kernel_name)
    contents.unsupported.sort(key=lambda row: row.where.line)


def _read_row(place: RowPlace, cells: dict[str, str], options: ReadOptions) -> _Draft:
    placement = place_row(cells, options)
    weights = cells.get("q_dtype_w", "")
    if weights and "float8" not in weights and "fp8" not in weights:
        raise UnsupportedError(Reason("CKP044", f"q_dtype_w is {quote(weights)}: the weights are not fp8"))
    written = cells.get("libtype", "")
    if written and not _LIBTYPE.fullmatch(written):
        raise CellError("CKP014", f"libtype: {quote(written)} where a word such as ck was expected", "libtype")
    kernel = _read_kernel(written, cells)
    libtype = kernel.libtype
    most = _MAX_LOG2_SPLIT_K if libtype in CK_LIBTYPES else _MAX_SPLIT_K
    return _Draft(
        placement=placement,
        libtype=libtype,
        libtype_origin=Origin.CELL if written == libtype else Origin.NAME,
        kernel=kernel,
        kernel_name=sys.intern(cells.get("kernelName", "")),
        kernel_id=whole(cells, "kernelId", -MAX_KERNEL_ID, MAX_KERNEL_ID),
        split_k=whole(cells, "splitK", 0, most) or 0,
        us=_measured(cells),
        err_ratio=_err_ratio(cells),
        err_limit=options.err_ratio,
        place=place,
    )


def _read_kernel(libtype: str, cells: dict[str, str]) -> Kernel:
    """The kernel that kernelName names; the name wins over libtype, and only CK names must be known."""
    name = cells.get("kernelName", "")
    if libtype and libtype not in CK_LIBTYPES:
        try:
            return _known_kernel(name)
        except KernelNameError:
            return OpaqueKernel(libtype, sys.intern(name))
    try:
        return _known_kernel(required(cells, "kernelName"))
    except KernelNameError as error:
        raise CellError(error.code, error.message, "kernelName", error.hint) from error


@lru_cache(maxsize=4096)
def _known_kernel(name: str) -> Kernel:
    return parse_kernel_name(name)


def _measured(cells: dict[str, str]) -> float | None:
    """Microseconds; None where the tuner measured nothing (empty, 0, -1 for unsupported, inf for a time-out)."""
    us = real(cells, "us")
    return us if us is not None and 0 < us < math.inf else None


def _err_ratio(cells: dict[str, str]) -> float | None:
    """Fraction of failing elements; some tuners write `err_ratio`, some percent."""
    column = "errRatio" if "errRatio" in cells else "err_ratio"
    percent = cells.get(column, "").endswith("%")
    if percent:
        cells = {column: cells[column].removesuffix("%")}
    ratio = real(cells, column)
    if ratio is None or math.isnan(ratio):
        return None
    return ratio / 100 if percent else ratio


@lru_cache(maxsize=64)
def _not_ck(libtype: str) -> Reason:
    hint = "--by-shape converts the row from its shape alone"
    return Reason("CKP040", f"libtype {libtype} is not Composable Kernel", hint)
