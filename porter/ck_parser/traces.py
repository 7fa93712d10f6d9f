# SPDX-License-Identifier: Apache-2.0
"""Kernel traces: calls and times of kernels, from rocprof tables and Chrome traces (torch profiler, rocprof)."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from porter.ck_parser.table import CellError, RowPlace, not_a_number, open_table, read_header, real, required
from porter.ck_parser.text import Source, open_source
from porter.errors import InputError, SourceSpan

#: Columns that name the kernel, by profiler: rocprofv3 and rocprof write Kernel_Name or KernelName, statistics Name.
KERNEL_COLUMNS = ("Kernel_Name", "KernelName", "Name")
_COUNTS = ("Calls", "Count", "Instances")
_TOTALS = {"TotalDurationNs": 1e-3, "Total_Duration_Ns": 1e-3, "TotalDuration": 1e-3, "TotalDurationUs": 1.0}
_DURATIONS = {"DurationNs": 1e-3, "Duration_Ns": 1e-3, "Duration(ns)": 1e-3, "dur": 1.0}
_STARTS_ENDS = (("Start_Timestamp", "End_Timestamp"), ("BeginNs", "EndNs"), ("Start_Ns", "End_Ns"))
#: Chrome traces: categories of events that are kernels on the device.
_KERNEL_CATEGORIES = ("kernel", "gpu_kernel", "kernel_dispatch")
_MAX_CHARS = 512 * 2**20
_MAX_BAD = 1000


@dataclass(frozen=True, slots=True)
class TracedKernel:
    """One kernel of a trace; total_us: microseconds of all calls; where: its first call."""

    name: str
    calls: int
    total_us: float
    where: SourceSpan


@dataclass(frozen=True, slots=True)
class Trace:
    """A trace's kernels, the slowest first; bad: rows or events that could not be read, as (code, message, place)."""

    path: str
    form: str
    kernels: tuple[TracedKernel, ...]
    bad: tuple[tuple[str, str, SourceSpan], ...]


def is_trace_table(head: str) -> bool:
    """A header that names kernels and times, and no shape or tuner column."""
    columns = set(read_header(head))
    timed = set(_COUNTS) | set(_TOTALS) | set(_DURATIONS) | {name for pair in _STARTS_ENDS for name in pair}
    return bool(columns & set(KERNEL_COLUMNS)) and bool(columns & timed)


def is_trace_json(head: str) -> bool:
    """Text that begins a JSON object or list."""
    return head.lstrip("\ufeff \t\r\n").startswith(("{", "["))


def read_trace(path: str | Path) -> Trace:
    """Read a trace of either form; InputError (CKP) where it is none."""
    with open_source(path) as source:
        return read_trace_source(source)


def read_trace_source(source: Source) -> Trace:
    """`read_trace` of text that is open already."""
    if is_trace_json(source.head):
        return _read_json(source)
    if is_trace_table(source.head):
        return _read_table(source)
    hint = f"a table with {' or '.join(KERNEL_COLUMNS)} and times, or a Chrome trace (JSON)"
    raise InputError("CKP004", "not a kernel trace", SourceSpan(source.path, 1), hint)


class _Sums:
    """Calls and times by name."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.found: dict[str, list[float]] = {}
        self.places: dict[str, SourceSpan] = {}
        self.bad: list[tuple[str, str, SourceSpan]] = []

    def add(self, name: str, calls: float, total_us: float, where: SourceSpan) -> None:
        sums = self.found.setdefault(name, [0, 0.0])
        sums[0] += calls
        sums[1] += total_us
        self.places.setdefault(name, where)

    def refuse(self, code: str, message: str, where: SourceSpan) -> None:
        if len(self.bad) == _MAX_BAD:
            raise InputError("CKP008", f"more than {_MAX_BAD} bad rows; the first: {self.bad[0][1]}", where)
        self.bad.append((code, message, where))

    def trace(self, form: str) -> Trace:
        if not self.found and not self.bad:
            raise InputError("CKP026", "the trace has no kernel events", SourceSpan(self.path, 1))
        kernels = [
            TracedKernel(name, int(calls), total, self.places[name]) for name, (calls, total) in self.found.items()
        ]
        kernels.sort(key=lambda kernel: (-kernel.total_us, kernel.name))
        return Trace(self.path, form, tuple(kernels), tuple(self.bad))


def _read_table(source: Source) -> Trace:
    """A rocprof kernel trace (a row a call) or its statistics (a row a kernel)."""
    table = open_table(source)
    columns = table.header.columns
    named = next(column for column in KERNEL_COLUMNS if column in columns)
    sums = _Sums(source.path)
    for record in table.records():
        place: RowPlace = record.place
        try:
            if record.error:
                raise record.error
            if record.cells.get("Kind", "KERNEL_DISPATCH") != "KERNEL_DISPATCH":
                continue
            name = required(record.cells, named)
            calls, total = _times(record.cells)
        except CellError as error:
            sums.refuse(error.code, error.message, place.span(error.column))
            continue
        sums.add(name, calls, total, place.span(named))
    return sums.trace("kernel trace table")


def _times(cells: Mapping[str, str]) -> tuple[float, float]:
    """Calls and microseconds of one row; CellError CKP014 or CKP015."""
    calls = next((_number(cells, column) for column in _COUNTS if cells.get(column)), 1.0)
    for column, factor in _TOTALS.items():
        if column in cells:
            return calls, _number(cells, column) * factor
    for column, factor in _DURATIONS.items():
        if column in cells:
            return calls, _number(cells, column) * factor * calls
    for start, end in _STARTS_ENDS:
        if start in cells and end in cells:
            nanoseconds = _number(cells, end) - _number(cells, start)
            if nanoseconds < 0:
                raise CellError("CKP014", f"{end} is before {start}", end)
            return calls, nanoseconds * 1e-3
    raise CellError("CKP015", "the row ends before its times")


def _number(cells: Mapping[str, str], column: str) -> float:
    cell = required(cells, column)
    value = real(cells, column) if len(cell) <= 40 else None
    if value is None or not 0 <= value < math.inf:
        raise not_a_number(cell, column)
    return value


def _read_json(source: Source) -> Trace:
    """A Chrome trace: complete events of the kernel category; times are microseconds."""
    text = source.whole(_MAX_CHARS).removeprefix("\ufeff")
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        where = SourceSpan(source.path, error.lineno, error.colno)
        raise InputError("CKP020", f"not JSON: {error.msg}", where) from error
    except (RecursionError, ValueError) as error:
        raise InputError(
            "CKP020", "not JSON: nested too deeply or a number too long", SourceSpan(source.path, 1)
        ) from error
    events = value.get("traceEvents") if isinstance(value, dict) else value
    if not isinstance(events, list):
        raise InputError("CKP026", "no list of traceEvents", SourceSpan(source.path, 1))
    sums = _Sums(source.path)
    # JSON keeps no places: an event is told by its number.
    where = SourceSpan(source.path, 1)
    for number, event in enumerate(events):
        if not isinstance(event, dict) or not _is_kernel(event):
            continue
        name, duration = event.get("name"), event.get("dur")
        if not isinstance(name, str) or not isinstance(duration, (int, float)) or not 0 <= duration < math.inf:
            sums.refuse("CKP014", f"event {number}: a kernel without a name or a duration", where)
            continue
        sums.add(name, 1, float(duration), where)
    return sums.trace("Chrome trace")


def _is_kernel(event: Mapping[str, object]) -> bool:
    if event.get("ph", "X") != "X":
        return False
    category = event.get("cat")
    if isinstance(category, str):
        return category.lower() in _KERNEL_CATEGORIES
    # rocprof's own Chrome traces have no categories: their kernels say where they ran.
    arguments = event.get("args")
    return isinstance(arguments, dict) and ("KernelName" in arguments or "queue-index" in arguments)
