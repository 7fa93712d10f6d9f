# SPDX-License-Identifier: Apache-2.0
"""`[tool.porter]` of a pyproject.toml: what the gate looks at, and how strictly."""

from __future__ import annotations

import fnmatch
import posixpath
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from oracle.datasets import DATASETS
from porter.ck_parser import ERR_RATIO
from porter.errors import InputError, SourceSpan
from porter.gate.rule import LEVELS
from porter.problem import TARGETS, Family

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib


@dataclass(frozen=True, slots=True)
class Budget:
    """What a kernel may take. All inclusive; None: no limit of its own beside what the chip has.

    spills: VGPRs and SGPRs together; scratch_bytes: a lane; lds_bytes: a workgroup; vgprs: a lane, AGPRs included;
    growth: how much a count of the hot loop may exceed the baseline, as a share (0.02 = 2 %).
    """

    spills: int = 0
    scratch_bytes: int = 0
    lds_bytes: int | None = None
    vgprs: int | None = None
    growth: float = 0.0


@dataclass(frozen=True, slots=True)
class HandWritten:
    """A kernel that porter did not write. declared: its table; where: of that table."""

    path: str
    declared: Mapping[str, Any]
    where: SourceSpan


@dataclass(frozen=True, slots=True)
class GateConfig:
    """Everything that `porter ci` is told.

    root: folder of the pyproject.toml, to which all paths are relative; inputs, out, arch, layout, by_shape, err_ratio,
    select, instances, census, scalar_promotes: as `porter convert` takes them, shape_table as its --shapes; drift:
    whether generated files are compared; shapes: (M, N, K) of the proof, data: its data sets, both empty for the
    default recipe; kernels: hand-written ones; baseline: file with the census that is compared with, the manifest's
    where it is empty; time_limit: seconds for all proofs, 0 for none; compile_timeout: seconds for one kernel;
    allow_missing: `check` or `check:subject` globs that may not run; packed_fp32: level of CKG043, empty for its own.
    """

    root: Path
    where: SourceSpan
    inputs: tuple[str, ...] = ()
    out: str = "generated"
    arch: str = "gfx950"
    layout: Family | None = None
    by_shape: bool = False
    err_ratio: float = ERR_RATIO
    select: tuple[str, ...] = ()
    instances: tuple[str, ...] = ()
    shape_table: str = ""
    census: bool = False
    scalar_promotes: bool = False
    drift: bool = True
    shapes: tuple[tuple[int, int, int], ...] = ()
    data: tuple[str, ...] = ()
    budget: Budget = field(default_factory=Budget)
    baseline: str = ""
    kernels: tuple[HandWritten, ...] = ()
    time_limit: float = 0.0
    compile_timeout: float = 180.0
    allow_missing: tuple[str, ...] = ()
    packed_fp32: str = ""

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


#: TOML key -> the type of its value; list entries are checked too.
_TYPES: dict[str, type] = {
    "inputs": str, "out": str, "arch": str, "layout": str, "by-shape": bool, "err-ratio": float, "select": str,
    "instances": str, "shape-table": str, "census": bool, "drift": bool, "shapes": str, "data": str, "baseline": str,
    "scalar-promotes": bool,
    "time-limit": float, "compile-timeout": float, "allow-missing": str, "packed-fp32": str,
}  # fmt: skip
_LISTS = frozenset({"inputs", "select", "instances", "shapes", "data", "allow-missing"})
_BUDGET: dict[str, type] = {
    "spills": int, "scratch-bytes": int, "lds-bytes": int, "vgprs": int, "growth": float,
}  # fmt: skip
_LARGEST = 10**9
#: Every key, as a user writes it below [tool.porter].
TOML_KEYS = (*_TYPES, *(f"budget.{name}" for name in _BUDGET))


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
    reader = _Reader(path, text)
    values = dict(table)
    budget, kernels = values.pop("budget", {}), values.pop("kernels", {})
    checked = {name.replace("-", "_"): reader.value("", _TYPES, name, value) for name, value in values.items()}
    reader.require(isinstance(budget, dict), "budget", "a table")
    reader.require(
        isinstance(kernels, dict) and all(isinstance(v, dict) for v in kernels.values()), "kernels", "tables"
    )
    limits = {name.replace("-", "_"): reader.value("budget.", _BUDGET, name, value) for name, value in budget.items()}
    if "layout" in checked:
        reader.require(checked["layout"] in [f.value for f in Family], "layout", "plain or bpreshuffle")
        checked["layout"] = Family(checked["layout"])
    reader.require(checked.get("arch", "gfx950") in TARGETS, "arch", " or ".join(TARGETS))
    reader.require(checked.get("packed_fp32", LEVELS[0]) in LEVELS, "packed-fp32", ", ".join(LEVELS))
    shapes = tuple(re.fullmatch(r"(\d+)x(\d+)x(\d+)", text) for text in checked.get("shapes", ()))
    reader.require(all(shapes), "shapes", "MxNxK each, such as 300x512x768")
    checked["shapes"] = tuple((int(s[1]), int(s[2]), int(s[3])) for s in shapes if s)
    unknown = sorted(set(checked.get("data", ())) - set(DATASETS))
    reader.require(not unknown, "data", f"names from {', '.join(DATASETS)}")
    stray = [glob for glob in checked.get("allow_missing", ()) if not _names_a_check(glob)]
    reader.require(
        not stray, "allow-missing", f"a check or check:subject, of {', '.join(_checks())}; got {', '.join(stray)}"
    )
    checked["out"] = _folder(checked.get("out", "generated"))
    hand = tuple(HandWritten(_folder(name), declared, reader.span(name)) for name, declared in kernels.items())
    known = {item.name for item in fields(GateConfig)}
    assert set(checked) <= known, "every TOML key is a field"
    return GateConfig(path.parent, reader.span("porter"), **checked, budget=Budget(**limits), kernels=hand)


def _checks() -> tuple[str, ...]:
    from porter.gate.checks import names  # checks read configurations

    return names()


def _names_a_check(glob: str) -> bool:
    return any(fnmatch.fnmatchcase(check, glob.partition(":")[0]) for check in _checks())


def _folder(path: str) -> str:
    """The path as findings show it: without `./` and double slashes."""
    return posixpath.normpath(path or ".")


class _Reader:
    """Values of one file, and where they stand in it."""

    def __init__(self, path: Path, text: str) -> None:
        self.path, self.lines = path, text.splitlines()

    def span(self, key: str) -> SourceSpan:
        """The line that sets the key, or opens its table; TOML's parser keeps no places, so lines are searched."""
        start = next((n for n, line in enumerate(self.lines) if re.match(r"\s*\[tool\.porter\b", line)), 0)
        name = re.escape(key)
        pattern = re.compile(rf"""\s*(?:["']?{name}["']?\s*=|\[.*[.\["']{name}["']?\])""")
        line = next((n for n, line in enumerate(self.lines) if n >= start and pattern.match(line)), start)
        return SourceSpan(str(self.path), line + 1)

    def require(self, condition: bool, key: str, wanted: str) -> None:
        if not condition:
            raise InputError("CKG111", f"{key}: expected {wanted}", self.span(key.rpartition(".")[2]))

    def value(self, prefix: str, types: Mapping[str, type], key: str, value: Any) -> Any:
        if key not in types:
            hint = f"known keys: {', '.join(sorted(types))}"
            raise InputError("CKG111", f"{prefix}{key}: no such key", self.span(key), hint)
        wanted = types[key]
        if not prefix and key in _LISTS:
            self.require(
                isinstance(value, list) and all(_is(item, wanted) for item in value), key, f"a list of {_words(wanted)}"
            )
            return tuple(value)
        self.require(_is(value, wanted), f"{prefix}{key}", _words(wanted))
        return float(value) if wanted is float else value


def _is(value: Any, wanted: type) -> bool:
    if wanted in (int, float):
        number = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _LARGEST
        return number and (wanted is float or isinstance(value, int))
    # A NUL ends a path for the system, though not for TOML.
    return isinstance(value, wanted) and not (isinstance(value, str) and "\0" in value)


def _words(wanted: type) -> str:
    words = {str: "text", bool: "true or false", int: "whole numbers", float: "numbers"}[wanted]
    return f"{words} from 0 to {_LARGEST}" if wanted in (int, float) else words
