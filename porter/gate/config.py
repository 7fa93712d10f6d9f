# SPDX-License-Identifier: Apache-2.0
"""`[tool.porter]` of a pyproject.toml: what the gate looks at, and how strictly."""

from __future__ import annotations

import fnmatch
import posixpath
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, field

from oracle.datasets import DatasetName
from porter.ck_parser import ERR_RATIO
from porter.errors import InputError, SourceSpan
from porter.problem import Family
from porter.records import Arch, Record, schema

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


_LARGEST = 10**9
Whole = Annotated[int, Meta(ge=0, le=_LARGEST)]
Real = Annotated[float, Meta(ge=0, le=_LARGEST)]
#: A NUL ends a path for the system, though not for TOML.
Text = Annotated[str, Meta(pattern=r"^[^\0]*$")]


class Budget(Record, frozen=True, rename="kebab", omit_defaults=True):
    """What a kernel may take. All inclusive; null: no limit of its own beside what the chip has.

    spills: VGPRs and SGPRs together; scratch-bytes: a lane; lds-bytes: a workgroup; vgprs: a lane, AGPRs included;
    requests: 64-byte vector memory requests of a workgroup and K tile; growth: how much a count of the hot loop, or
    these requests, may exceed the baseline, as a share (0.02 = 2 %).
    """

    spills: Whole = 0
    scratch_bytes: Whole = 0
    lds_bytes: Whole | None = None
    vgprs: Whole | None = None
    requests: Whole | None = None
    growth: Real = 0.0


class Table(Record, frozen=True, rename="kebab", omit_defaults=True):
    """`[tool.porter]`, read by porter ci: what the gate looks at, and how strictly. Paths are relative to the file.
    inputs, out, arch, layout, by-shape, err-ratio, select, instances, census, scalar-promotes: as `porter convert`
    takes them, shape-table as its --shapes; drift: whether generated files are compared; shapes: MxNxK that are proved
    besides each kernel's own, data: sets at the base shapes of the proof, all where it is empty; baseline: file with
    the census that is compared with, the manifest's where it is empty; kernels: a table for each hand-written one;
    time-limit: seconds for all proofs, 0 for none; compile-timeout: seconds for one kernel; allow-missing: `check` or
    `check:subject` globs that need not run; packed-fp32: level of CKG043, empty for its own."""

    inputs: tuple[Text, ...] = ()
    out: Text = "generated"
    arch: Arch = "gfx950"
    layout: Family | None = None
    by_shape: bool = False
    err_ratio: Real = ERR_RATIO
    select: tuple[Text, ...] = ()
    instances: tuple[Text, ...] = ()
    shape_table: Text = ""
    census: bool = False
    scalar_promotes: bool = False
    drift: bool = True
    shapes: tuple[Annotated[str, Meta(pattern=r"^\d+x\d+x\d+$", examples=["300x512x768"])], ...] = ()
    data: tuple[DatasetName, ...] = ()
    budget: Budget = Budget()
    baseline: Text = ""
    kernels: dict[Text, dict[str, Any]] = field(default_factory=dict)
    time_limit: Real = 0.0
    compile_timeout: Real = 180.0
    allow_missing: tuple[Text, ...] = ()
    packed_fp32: Literal["error", "warning", "note", ""] = ""


@dataclass(frozen=True, slots=True)
class HandWritten:
    """A kernel that porter did not write. declared: its table; where: of that table."""

    path: str
    declared: Mapping[str, Any]
    where: SourceSpan


class GateConfig(Table, frozen=True, kw_only=True):
    """Everything that `porter ci` is told.

    root: folder of the pyproject.toml, to which all paths are relative; where: of the table; hand: the hand-written
    kernels.
    """

    root: Path
    where: SourceSpan
    hand: tuple[HandWritten, ...]

    @property
    def sizes(self) -> list[tuple[int, int, int]]:
        """(M, N, K) of `shapes`."""
        return [(int(m), int(n), int(k)) for m, n, k in (shape.split("x") for shape in self.shapes)]

    def place(self, where: SourceSpan) -> SourceSpan:
        """A place with its path relative to the root, with slashes, where it lies below it."""
        try:
            path = Path(where.path).resolve().relative_to(self.root.resolve()).as_posix()
        except (OSError, ValueError):
            path = where.path
        return replace(where, path=path)

    def allowed(self, check: str, subject: str) -> bool:
        """Whether this check of this subject may be left out."""
        names = (check, f"{check}:{subject}")
        return any(fnmatch.fnmatchcase(name, glob) for glob in self.allow_missing for name in names)


def tool_table(text: str) -> Any:
    """`[tool.porter]` of a pyproject.toml's text, None without one. Raises ValueError where it is not TOML."""
    try:
        tool = tomllib.loads(text).get("tool")
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return tool.get("porter") if isinstance(tool, dict) else None


def read_config(path: Path) -> GateConfig:
    """Read `[tool.porter]`.

    Raises InputError: CKG110 no file, no table or no TOML, CKG111 an unknown key or a value of the wrong kind, each
    with its line.
    """
    try:
        text = path.read_bytes().decode("utf-8")
        table = tool_table(text)
    except OSError as error:
        hint = "name another with --config"
        raise InputError("CKG110", f"{path}: cannot read: {error.strerror}", hint=hint) from error
    except ValueError as error:
        raise InputError("CKG110", f"{path}: not TOML: {error}") from error
    if not isinstance(table, dict):
        hint = 'add [tool.porter] with inputs = ["tuned.csv"] and out = "generated"'
        raise InputError("CKG110", f"{path}: has no table [tool.porter]", hint=hint)
    places = _Places(path, text)
    try:
        read = msgspec.convert(table, Table)
    except msgspec.ValidationError as error:
        raise _wrong(str(error), places) from error
    if stray := [glob for glob in read.allow_missing if not _names_a_check(glob)]:
        known = f"expected a check or check:subject, of {', '.join(_checks())}; got {', '.join(stray)}"
        raise InputError("CKG111", f"allow-missing: {known}", places.span("allow-missing"))
    values = {name: getattr(read, name) for name in Table.__struct_fields__}
    values["out"] = _folder(read.out)
    hand = tuple(HandWritten(_folder(name), declared, places.span(name)) for name, declared in read.kernels.items())
    return GateConfig(**values, root=path.parent, where=places.span("porter"), hand=hand)


def _wrong(said: str, places: _Places) -> InputError:
    """The error of a value: its key, what msgspec says, and what the schema wants there."""
    unknown = re.search(r"unknown field `(.*?)`", said)
    *_, place = re.findall(r"`\$\.?(.*?)`", said) or [""]
    parts = [part for part in re.sub(r"\[.*?\]", "", place).split(".") if part] + ([unknown[1]] if unknown else [])
    key, known = ".".join(parts), schema(Budget if len(parts) > 1 else Table)
    if unknown:
        hint = f"known keys: {', '.join(sorted(known['properties']))}"
        return InputError("CKG111", f"{key}: no such key", places.span(parts[-1]), hint)
    wanted = str(known["properties"].get(parts[-1]) if parts else "")
    for name, definition in known.get("$defs", {}).items():
        wanted = wanted.replace(f"#/$defs/{name}", str(definition))
    listed = re.search(r"'(enum|examples)': \[(.*?)\]", wanted)
    hint = f"{'one of' if listed[1] == 'enum' else 'such as'} {listed[2]}" if listed else "docs/gate.md lists the keys"
    return InputError("CKG111", f"{key}: {said.partition(' - at ')[0]}", places.span(parts[-1] if parts else ""), hint)


def _checks() -> tuple[str, ...]:
    from porter.gate.checks import names  # checks read configurations

    return names()


def _names_a_check(glob: str) -> bool:
    return any(fnmatch.fnmatchcase(check, glob.partition(":")[0]) for check in _checks())


def _folder(path: str) -> str:
    """The path as findings show it: without `./` and double slashes."""
    return posixpath.normpath(path or ".")


class _Places:
    """Where the keys of one file stand."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.lines = path, text.splitlines()

    def span(self, key: str) -> SourceSpan:
        """The line that sets the key, or opens its table; TOML's parser keeps no places, so lines are searched."""
        start = next((n for n, line in enumerate(self.lines) if re.match(r"\s*\[tool\.porter\b", line)), 0)
        name = re.escape(key)
        pattern = re.compile(rf"""\s*(?:["']?{name}["']?\s*=|\[.*[.\["']{name}["']?\])""")
        line = next((n for n, line in enumerate(self.lines) if n >= start and pattern.match(line)), start)
        return SourceSpan(str(self.path), line + 1)
