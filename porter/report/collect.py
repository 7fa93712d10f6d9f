# SPDX-License-Identifier: Apache-2.0
"""A manifest, its modules, the compiler's cache and the proof results, gathered for the page."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from porter import manifest as manifests
from porter.census import Census
from porter.kernel_spec import KernelSpec
from porter.manifest import Kernel, Manifest, Row
from porter.report import explanations, header, hot_loop, proofs
from porter.report.model import KernelReport, Proof, Report, Shape, ShapeGroup
from porter.toolchain.compile import DEFAULT_TIMEOUT
from porter.write.output import sha256


@dataclass(frozen=True, slots=True)
class _Entry:
    """A kernel of the manifest and its module. as_recorded: as in KernelReport; census: the manifest's."""

    spec: KernelSpec
    path: Path
    text: str
    as_recorded: bool | None
    shapes: tuple[Shape, ...]
    census: Census | None


def collect(
    manifest: Path, results: Path | None = None, *, compiling: bool = True, timeout: float = DEFAULT_TIMEOUT
) -> Report:
    """Everything that the page says.

    compiling: take the hot loops from the compiler, through its cache, in at most `timeout` seconds a kernel; False
    shows the manifest's census alone. Raises InputError: CKP062 bad manifest, CKH001 results that are unreadable or no
    JSON, CKH003 no results of porter verify, CKH004 a missing module; ToolchainMissing CKT001 where `compiling` without
    flydsl.
    """
    found = manifests.read(manifest)
    digests = [(manifest.name, hashlib.sha256(manifest.read_bytes()).hexdigest())]
    entries = [_entry(kernel, found, manifest.parent) for kernel in found.kernels]
    proved: dict[str, tuple[Proof, ...]] = {}
    if results is not None:
        proved, digest = proofs.read(results)
        digests.append((results.name, digest))
    if compiling and entries:
        modules = [(entry.path, entry.spec) for entry in entries]
        codes = hot_loop.compiled(modules, [entry.census for entry in entries], timeout)
    else:
        codes = [hot_loop.from_manifest(entry.census) for entry in entries]
    return Report(
        porter=found.porter,
        flydsl=found.flydsl,
        digests=tuple(digests),
        kernels=tuple(
            KernelReport(
                spec=entry.spec,
                module=entry.path.name,
                as_recorded=entry.as_recorded,
                header=header.read(entry.text),
                shapes=entry.shapes,
                groups=group(entry.shapes),
                explanations=explanations.explain(entry.spec, entry.shapes),
                code=code,
                proofs=proved.get(entry.spec.name, ()),
            )
            for entry, code in zip(entries, codes, strict=True)
        ),
        results=results is not None,
        unlisted=tuple(sorted(set(proved) - set(found.by_name))),
    )


def group(shapes: Iterable[Shape]) -> tuple[ShapeGroup, ...]:
    """Rows that differ in M alone as one, by chip, N and K."""
    grouped: dict[tuple[str, int, int, int, str], list[Shape]] = {}
    for shape in shapes:
        key = (shape.gfx, shape.cu_num, shape.size.n, shape.size.k, shape.regime)
        grouped.setdefault(key, []).append(shape)
    return tuple(
        ShapeGroup(
            *key,
            rows=len(items),
            least_m=min(item.size.m for item in items),
            most_m=max(item.size.m for item in items),
            source=items[0].source,
        )
        for key, items in sorted(grouped.items())
    )


def _entry(listed: Kernel, manifest: Manifest, folder: Path) -> _Entry:
    path = folder / listed.module
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise hot_loop.unreadable(path, error) from error
    digest = manifest.files.get(path.name)
    return _Entry(
        spec=listed.spec,
        path=path,
        text=text,
        as_recorded=None if digest is None else digest == sha256(text),
        shapes=tuple(map(_shape, listed.rows)),
        census=listed.census,
    )


def _shape(row: Row) -> Shape:
    return Shape(
        gfx=row.gfx,
        cu_num=row.cu_num,
        size=row.shape,
        regime=row.regime.value,
        instance=row.instance,
        source=row.place,
        notes=row.notes,
        contract_assumed=row.contract_assumed,
    )
