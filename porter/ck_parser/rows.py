# SPDX-License-Identifier: Apache-2.0
"""What reading gives back: rows ready for selection, instances, and why everything else is not among them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum

from porter.ck_parser.instance import CkInstance, NumericContract, XdlInstance
from porter.ck_parser.names.grammar import Kernel
from porter.ck_parser.operations import file_name_family
from porter.ck_parser.table import Reason, RowPlace
from porter.errors import SourceSpan
from porter.kernel_spec import Contract
from porter.problem import TARGETS, Family, GemmShape

#: libtypes that are Composable Kernel.
CK_LIBTYPES = ("ck", "cktile")

#: Ids are small; more than this is damage.
MAX_KERNEL_ID = 10**9

#: Fraction of failing elements over which aiter's own tuner drops a kernel.
ERR_RATIO = 0.05


class Origin(str, Enum):
    """Where a value of a row comes from, strongest first."""

    CELL = "the row"
    NAME = "kernelName"
    OTHER_ROWS = "the other rows of the file"
    FILE_NAME = "the file name"
    INSTANCE_LIST = "the instance's list"
    LAYOUT_ARGUMENT = "the layout argument"
    ARCH_ARGUMENT = "the arch argument"
    CU_NUM = "cu_num"
    CHIP = "the chip"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where the four values that a file may leave out come from."""

    family: Origin
    gfx: Origin
    cu_num: Origin
    libtype: Origin


@dataclass(frozen=True, slots=True)
class TunedRow:
    """One row that selection can use.

    gfx: chip; cu_num: its compute units; kernel: what the row names, None in an untuned row; kernel_name: as written;
    kernel_id: as written, never used to resolve; split_k: as written (see `kbatch`), 0 where absent; us: microseconds
    that the tuner measured, None where it measured nothing; err_ratio: fraction of failing elements, None where the
    tuner did not say; err_limit: what err_ratio may be; place: excluded from equality; instance_at: where the kernel
    was written, when it was joined to a shape of another file.
    """

    shape: GemmShape
    family: Family
    gfx: str
    cu_num: int
    libtype: str
    kernel: Kernel | None
    kernel_name: str
    kernel_id: int | None
    split_k: int
    us: float | None
    err_ratio: float | None
    provenance: Provenance
    place: RowPlace = field(compare=False, repr=False)
    instance_at: SourceSpan | None = field(default=None, compare=False)
    err_limit: float = ERR_RATIO

    @property
    def errs(self) -> bool:
        """More elements failed in the tuner's own check than may."""
        return self.err_ratio is not None and self.err_ratio > self.err_limit

    @property
    def key(self) -> tuple[Family, str, int, int, int, int]:
        """What a tuned row answers for, as in aiter's look-up: duplicates of one key compete by `us`."""
        return (self.family, self.gfx, self.cu_num, self.shape.m, self.shape.n, self.shape.k)

    @property
    def instance(self) -> CkInstance | None:
        """The CK instance, or None where the row names another library's kernel or none."""
        return self.kernel if isinstance(self.kernel, CkInstance) else None

    @property
    def split_k_is_dead(self) -> bool:
        """aiter's bpreshuffle ck dispatch never passes splitK on (docs/notes/ck.md#split-k)."""
        return self.split_k != 0 and self.family is Family.BPRESHUFFLE and isinstance(self.kernel, XdlInstance)

    @property
    def kbatch(self) -> int:
        """K slices: splitK is log2 for ck and cktile, a count for asm, without effect elsewhere.

        Source: docs/notes/ck.md#split-k.
        """
        if self.libtype == "asm":
            return max(1, self.split_k)
        if self.libtype not in CK_LIBTYPES or self.split_k_is_dead:
            return 1
        return 1 << self.split_k

    @property
    def contract(self) -> NumericContract:
        """The rounding order of the named instance; `ck` where the row names no CK instance."""
        return self.instance.contract(self.family) if self.instance else NumericContract(Contract.CK)

    @property
    def where(self) -> SourceSpan:
        """The row's line."""
        return self.place.span()

    def span(self, column: str) -> SourceSpan:
        """Where the value of a column stands; the whole line where the row has no such cell."""
        return self.place.span(column)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader of the result should know about this row."""
        return tuple(self._notes())

    def _notes(self) -> Iterator[str]:
        origins = self.provenance
        if self.instance_at:
            yield f"the instance is written at {self.instance_at}"
        if origins.gfx is not Origin.CELL:
            number = f" {self.cu_num}" if origins.gfx is Origin.CU_NUM else ""
            yield f"gfx is missing: {self.gfx} from {origins.gfx.value}{number}"
        if origins.cu_num is not Origin.CELL:
            yield f"cu_num is missing: {self.cu_num} from {origins.cu_num.value}"
        elif origins.gfx is not Origin.CELL and self.gfx in TARGETS and TARGETS[self.gfx].cus != self.cu_num:
            yield f"cu_num {self.cu_num} is not that of {self.gfx} ({TARGETS[self.gfx].cus})"
        if origins.family not in (Origin.NAME, Origin.CELL):
            yield f"family {self.family.value} from {origins.family.value}"
        elif self.instance_at is None and file_name_family(self.where.path) not in (None, self.family):
            yield f"family {self.family.value} from {origins.family.value}, although the file's name tells the other"
        if self.kernel is None:
            yield "untuned: no kernel is named, the shape alone decides"
        elif self.libtype not in CK_LIBTYPES:
            yield f"libtype {self.libtype} is not CK: the shape alone decides"
        elif origins.libtype is not Origin.CELL:
            yield f"libtype {self.libtype} from {origins.libtype.value}"
        if self.split_k_is_dead:
            yield f"splitK {self.split_k} is dead: the bpreshuffle ck dispatch ignores it, KBatch is 1"
        if self.us is None and self.kernel is not None and self.instance_at is None:
            yield "no measured time"
        if self.errs:
            yield f"errRatio {self.err_ratio} is over {self.err_limit}: the tuner found the named kernel wrong"
        if isinstance(self.kernel, XdlInstance) and self.kernel.wave_map_assumed and self.family is Family.PLAIN:
            waves = "x".join(map(str, self.kernel.waves_mn))
            yield f"the name leaves the wave map out: {waves} waves assumed"
        cells, columns = len(self.place.cuts) // 2, len(self.place.header.columns)
        if cells < columns:
            yield f"the row ends early: {cells} of {columns} cells"
        if self.contract.assumed:
            yield f"contract {self.contract.order.value} is assumed for this CK-Tile warp layout"


@dataclass(frozen=True, slots=True)
class Superseded:
    """A readable row that lost to another of its key: to one that errs less, a faster one, or the first of equals."""

    row: TunedRow
    winner: TunedRow

    @property
    def note(self) -> str:
        """Why, with the winner's place."""
        if self.row.errs and not self.winner.errs:
            errs = f"errRatio {self.row.err_ratio} is over {self.row.err_limit}"
            return f"duplicate key: {self.winner.where} wins, as {errs}"
        if self.winner.us == self.row.us:
            return f"duplicate key: {self.winner.where} comes first"
        if self.row.us is None:
            return f"duplicate key: {self.winner.where} has a measured time"
        return f"duplicate key: {self.winner.where} has the lower us ({self.winner.us} against {self.row.us})"


@dataclass(frozen=True, slots=True)
class InstanceEntry:
    """One instance as a file lists it.

    kernel_id: its id there, None where the form has no ids; arch: the chip that the list is for, empty where it does
    not say; list_name: the Python name or C++ alias that holds it; written: what the form says beyond the instance (C++
    layouts, types and padding), as pairs; refusal: why it cannot be ported whatever the shape; notes: what was assumed.
    """

    instance: CkInstance
    kernel_id: int | None
    arch: str
    where: SourceSpan
    list_name: str = ""
    written: tuple[tuple[str, str], ...] = ()
    refusal: Reason | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Unsupported:
    """A row that is good but not for us: a code and a reason."""

    code: str
    reason: str
    where: SourceSpan
    hint: str = ""
    kernel_name: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.reason} [{self.code}]"


@dataclass(frozen=True, slots=True)
class OtherOperation:
    """Rows of one file that belong to another operation of aiter; where: the first of them."""

    operation: str
    rows: int
    where: SourceSpan

    code = "CKP051"

    def __str__(self) -> str:
        return f"{self.where.path}: {self.rows} rows of {self.operation} [{self.code}]"


@dataclass(frozen=True, slots=True)
class BadRow:
    """A damaged row: a code, a place, what was found and expected, and a way out."""

    code: str
    message: str
    where: SourceSpan
    hint: str = ""

    def __str__(self) -> str:
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{self.where}: {self.message} [{self.code}]{hint}"


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A kernelId that names another kernel than the kernelName beside it; the name wins.

    listed_name: what the list holds under that id, empty where it holds nothing; listed_at: that entry, or the list's
    file; name_ids: the ids that the list gives the kernelName.
    """

    row: TunedRow
    listed_name: str
    listed_at: SourceSpan
    name_ids: tuple[int, ...]

    code = "CKP050"

    @property
    def message(self) -> str:
        """Both readings."""
        listed = self.listed_name or "no kernel"
        ids = " and ".join(map(str, self.name_ids)) if self.name_ids else "no id"
        return (
            f"kernelId {self.row.kernel_id} is {listed} in {self.listed_at}, but kernelName is {self.row.kernel_name} "
            f"({ids} there); the name wins"
        )

    @property
    def where(self) -> SourceSpan:
        return self.row.span("kernelId")

    def __str__(self) -> str:
        return f"{self.where}: {self.message} [{self.code}]"


@dataclass(frozen=True, slots=True)
class FileReport:
    """The account of one file: read + unsupported + other + bad = data_rows; read includes superseded rows.

    form: which reader took it.
    """

    path: str
    form: str
    data_rows: int
    read: int
    unsupported: int
    other: int
    bad: int


@dataclass(frozen=True, slots=True)
class ReadResult:
    """Everything that one call read, in the order of the files and of their lines.

    rows: one per key, ready for selection; superseded: the duplicates that lost; instances: entries of instance lists;
    others: rows of other operations; disagreements: of kernelId and kernelName, where lists were given.
    """

    rows: tuple[TunedRow, ...]
    superseded: tuple[Superseded, ...]
    instances: tuple[InstanceEntry, ...]
    unsupported: tuple[Unsupported, ...]
    others: tuple[OtherOperation, ...]
    bad: tuple[BadRow, ...]
    disagreements: tuple[Disagreement, ...]
    files: tuple[FileReport, ...]

    @property
    def data_rows(self) -> int:
        """Rows of all files: `read + len(unsupported) + other + len(bad)`."""
        return sum(report.data_rows for report in self.files)

    @property
    def other(self) -> int:
        """Rows of other operations."""
        return sum(item.rows for item in self.others)

    @property
    def read(self) -> int:
        """Rows that were read, the superseded among them."""
        return len(self.rows) + len(self.superseded)
