# SPDX-License-Identifier: Apache-2.0
"""A manifest, its modules, the compiler's cache and the proof results, gathered for the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from porter.errors import InputError
from porter.kernel_spec import KernelSpec
from porter.problem import GemmShape
from porter.report import explanations, header, hot_loop, proofs
from porter.report.json_input import Document, Node, load
from porter.report.model import KernelReport, Proof, Report, Shape, ShapeGroup
from porter.runtime._regimes import Regime
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
    census: Node | None


def collect(
    manifest: Path, results: Path | None = None, *, compiling: bool = True, timeout: float = DEFAULT_TIMEOUT
) -> Report:
    """Everything that the page says.

    compiling: take the hot loops from the compiler, through its cache, in at most `timeout` seconds a kernel; False
    shows the manifest's census alone. Raises InputError: CKH001 unreadable or no JSON, CKH002 no manifest of porter,
    CKH003 no results of porter verify, CKH004 a missing module, CKH005 a kernel listed twice; CKP030 a name that is no
    kernel's; ToolchainMissing CKT001 where `compiling` without flydsl.
    """
    document = Document(
        manifest, "porter/manifest/1", "CKH002", "porter convert writes it; name another with --manifest"
    )
    top, digest = load(document)
    digests = [(manifest.name, digest)]
    files = {name: node.text() for name, node in top["files"].fields()}
    entries = [_entry(node, manifest.parent, files) for node in top["kernels"].items()]
    names = [entry.spec.name for entry in entries]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise InputError("CKH005", f"{manifest}: lists {twice[0]} more than once", hint=document.hint)
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
        porter=top["porter"].text(),
        flydsl=top["flydsl"].text(),
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
        unlisted=tuple(sorted(set(proved) - set(names))),
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


def _entry(node: Node, folder: Path, files: dict[str, str]) -> _Entry:
    # The module's name alone: a manifest must not point outside its folder.
    path = folder / Path(node["module"].text()).name
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise hot_loop.unreadable(path, error) from error
    digest = files.get(path.name)
    return _Entry(
        spec=KernelSpec.parse(node["name"].text()),
        path=path,
        text=text,
        as_recorded=None if digest is None else digest == sha256(text),
        shapes=tuple(_shape(item) for item in node["shapes"].items()),
        census=node.get("census"),
    )


def _shape(node: Node) -> Shape:
    notes, assumed = node.get("notes"), node.get("contract_assumed")
    return Shape(
        gfx=node["gfx"].text(),
        cu_num=node["cu_num"].number(1),
        size=GemmShape(node["m"].number(1), node["n"].number(1), node["k"].number(1)),
        regime=node["regime"].one_of([regime.value for regime in Regime]),
        instance=node["instance"].text(),
        source=node["source"].text(),
        notes=tuple(note.text() for note in notes.items()) if notes else (),
        contract_assumed=assumed is not None and assumed.flag(),
    )
