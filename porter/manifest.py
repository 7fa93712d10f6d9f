# SPDX-License-Identifier: Apache-2.0
"""The manifest of a generated folder: its files, and every kernel with the rows of CK's tables that it serves.

Rows that differ in shape and line alone stand together, so that what they share is written once; a line of the file
holds the rows of one B.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec

from porter import records
from porter.census import Census
from porter.errors import InputError, KernelNameError, SourceSpan
from porter.kernel_spec import KernelSpec
from porter.problem import GemmShape
from porter.records import Digest, Record, Size
from porter.runtime._regimes import Regime

Chip = Annotated[str, msgspec.Meta(pattern=r"^\w+$")]

FILE = "manifest.json"

FORM = "porter/manifest/2"

#: In place of a row's own shape.
_ANY = GemmShape(0, 0, 0)
_HINT = "porter convert writes it; name another with --manifest"


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a table that a kernel serves.

    gfx, cu_num: chip that it was tuned on; instance: of CK, empty where the row names none; source: name of the file;
    line: 1-based; notes: what a reader should know; contract_assumed: nothing in the row tells the order of roundings.
    """

    gfx: str
    cu_num: int
    shape: GemmShape
    regime: Regime
    instance: str
    source: str
    line: int
    notes: tuple[str, ...] = ()
    contract_assumed: bool = False

    @property
    def place(self) -> str:
        return f"{self.source}:{self.line}"


class OfB(Record, array_like=True, frozen=True):
    """Rows of one B: its N and K, and of every row M and the line of the table."""

    n: Size
    k: Size
    rows: tuple[tuple[Size, Size], ...]


class Served(Record, frozen=True, omit_defaults=True):
    """Rows that differ in shape and line alone; the other members are those of `Row`."""

    gfx: Chip
    cu_num: Size
    regime: Regime
    instance: str
    source: str
    shapes: tuple[OfB, ...]
    notes: tuple[str, ...] = ()
    contract_assumed: bool = False

    @classmethod
    def of(cls, rows: list[Row]) -> Served:
        """Rows that share all that they may."""
        shapes: dict[tuple[int, int], list[tuple[int, int]]] = {}
        for row in rows:
            shapes.setdefault((row.shape.n, row.shape.k), []).append((row.shape.m, row.line))
        shared = {field: getattr(rows[0], field) for field in cls.__struct_fields__ if field != "shapes"}
        return cls(**shared, shapes=tuple(OfB(n, k, tuple(items)) for (n, k), items in shapes.items()))

    @property
    def rows(self) -> Iterator[Row]:
        shared = {field: getattr(self, field) for field in self.__struct_fields__ if field != "shapes"}
        for of_b in self.shapes:
            for m, line in of_b.rows:
                yield Row(shape=GemmShape(m, of_b.n, of_b.k), line=line, **shared)


class Kernel(Record, frozen=True, omit_defaults=True):
    """A kernel: its name, which is its decision; the rows that it serves; and its census where it was compiled."""

    name: str
    served: tuple[Served, ...]
    census: Census | None = None

    @classmethod
    def of(cls, spec: KernelSpec, rows: Iterable[Row], census: Census | None = None) -> Kernel:
        """A kernel of these rows; what is shared comes in the order in which the rows first have it."""
        together: dict[Row, list[Row]] = {}
        for row in rows:
            together.setdefault(replace(row, shape=_ANY, line=0), []).append(row)
        return cls(spec.name, tuple(map(Served.of, together.values())), census)

    @property
    def spec(self) -> KernelSpec:
        return KernelSpec.parse(self.name)

    @property
    def module(self) -> str:
        """The module's file, beside the manifest."""
        return f"{self.name}.py"

    @property
    def rows(self) -> tuple[Row, ...]:
        """Every row, those that share most beside each other."""
        return tuple(row for served in self.served for row in served.rows)

    @property
    def shapes(self) -> list[tuple[int, int, int]]:
        """(M, N, K) of every row, sorted, each once."""
        return sorted({(row.shape.m, row.shape.n, row.shape.k) for row in self.rows})

    @property
    def nks(self) -> list[tuple[int, int]]:
        """(N, K) of every B, sorted."""
        return sorted({(of_b.n, of_b.k) for served in self.served for of_b in served.shapes})


class Manifest(Record, tag_field="schema", tag=FORM, frozen=True, omit_defaults=True):
    """manifest.json, written by porter convert: every generated kernel with its rows and their places in the source,
    and the hashes of all files. The rows of one B stand together: N, K, and of every row M and its line."""

    porter: str
    flydsl: str
    files: dict[str, Digest]
    kernels: tuple[Kernel, ...]
    guard: str = ""

    @property
    def by_name(self) -> dict[str, Kernel]:
        return {kernel.name: kernel for kernel in self.kernels}


def read(path: Path) -> Manifest:
    """Read a manifest. Raises InputError CKP062 for one that cannot be used, as `parse` does."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise InputError("CKP062", f"{path}: cannot read: {error.strerror}", hint=_HINT) from error
    return parse(content, str(path))


def parse(content: bytes, path: str = FILE) -> Manifest:
    """A manifest's content; path: as messages show it.

    Raises InputError CKP062, with what was expected and where: no JSON, another form or version, a name that is no
    kernel's, a kernel that is listed twice, a shape that is served twice.
    """
    try:
        found = records.read(Manifest, content)
        _require_once(found)
    except records.OtherForm as error:
        hint = f"run porter convert again: this porter reads and writes {FORM}"
        raise InputError("CKP062", f"not a manifest of this porter: {error}", SourceSpan(path, 1), hint) from error
    except (ValueError, RecursionError, KernelNameError) as error:
        said, where = _told(error, content, path)
        raise InputError("CKP062", f"not a manifest of this porter: {said}", where, _HINT) from error
    return found


def text(manifest: Manifest) -> str:
    """The manifest's file; equal manifests have equal texts."""
    return records.laid_out(records.plain(manifest)) + "\n"


def listed_files(content: bytes) -> dict[str, str]:
    """File name -> sha256 that a manifest of any version lists; nothing of a damaged one, no name with a path in it."""
    try:
        files = msgspec.json.decode(content, type=_Files).files
    except (ValueError, RecursionError):
        return {}
    return {name: digest for name, digest in files.items() if Path(name).name == name}


class _Files(msgspec.Struct):
    files: dict[str, str]


def _require_once(manifest: Manifest) -> None:
    """Raises ValueError for a kernel that is listed twice or a shape that is served twice, KernelNameError for a name
    that is none."""
    names: set[str] = set()
    keys: set[tuple[str, str, int, int, int, int]] = set()
    for kernel in manifest.kernels:
        if kernel.name in names:
            raise ValueError(f"{kernel.name} is listed twice")
        names.add(kernel.name)
        for key in _keys(kernel):
            if key in keys:
                family, gfx, cu_num, *shape = key
                at = f"{'x'.join(map(str, shape))} ({family}) on {gfx} with {cu_num} CUs"
                raise ValueError(f"{at} is served twice, the second time by {kernel.name}")
            keys.add(key)


def _keys(kernel: Kernel) -> Iterator[tuple[str, str, int, int, int, int]]:
    """What a row answers for: family, chip, compute units, M, N and K."""
    family = kernel.spec.family.value
    for served in kernel.served:
        for of_b in served.shapes:
            for m, _ in of_b.rows:
                yield family, served.gfx, served.cu_num, m, of_b.n, of_b.k


def _told(error: Exception, content: bytes, path: str) -> tuple[str, SourceSpan]:
    """What an error says, and the line where it says so."""
    said = error.message if isinstance(error, KernelNameError) else str(error) or type(error).__name__
    at = re.search(r" \(byte (\d+)\)$", said)
    line = content.count(b"\n", 0, int(at[1])) + 1 if at else 1
    return said.removesuffix(at[0] if at else ""), SourceSpan(path, line)
