# SPDX-License-Identifier: Apache-2.0
"""aiter: kernel modules, the instance table, CSV rows, and the branch of its dispatch that reaches them.

Measured rows alone do nothing there: no generation of `gemm_op_a8w8.py` takes a `flydsl` row of these chips
(docs/notes/downstream.md#aiter).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from porter.errors import InputError
from porter.export import aiter_dispatch, aiter_instances, aiter_rows, bench, common, peer_names
from porter.export.common import ExportPlan, Kernel, Style
from porter.kernel_spec import KernelSpec

#: The package of our kernels in a checkout. Not below aiter/ops/flydsl: importing that package imports FlyDSL, and
#: fails where there is none; this one is asked about every row.
PACKAGE = "aiter/ops/flydsl_blockscale"


@dataclass(frozen=True, slots=True)
class Options:
    """root: the user's checkout, None = files only; times: a bench CSV; unmeasured: replace rows whatever their time;
    peer: name kernels in a peer tuner's grammar where one is theirs alone; copyright: a header line."""

    root: Path | None = None
    times: Path | None = None
    unmeasured: bool = False
    peer: bool = False
    copyright: str = ""


def plan(kernels: Sequence[Kernel], options: Options) -> ExportPlan:
    """What the export writes; reads the checkout and changes nothing.

    Raises InputError: CKE003 for a checkout without the file to edit, or with one of an unknown generation; CKE005 for
    the bench file; CKP for a table of the checkout.
    """
    style = Style("MIT", "porter export aiter", options.copyright)
    kernels, left_out = common.with_row_scales(kernels, "aiter")
    specs = [kernel.spec for kernel in kernels]
    aliases = peer_names.aliases(specs)
    naming = aiter_rows.Naming(
        {spec: number for number, spec in enumerate(specs)},
        {spec: (aliases.get(spec, "") if options.peer else "") or spec.name for spec in specs},
    )
    times = bench.read(options.times) if options.times else bench.Times()
    files = _modules(kernels, style)
    # FlyDSL renames things in every minor release.
    flydsl = ".".join(kernels[0].flydsl.split(".")[:2])
    files[f"{PACKAGE}/instances.py"] = aiter_instances.table(specs, aliases if options.peer else {}, flydsl, style)
    if options.root is None or (options.root / aiter_instances.TUNER_FOLDER).is_dir():
        path = f"{aiter_instances.TUNER_FOLDER}/{aiter_instances.TUNER_TABLE}"
        files[path] = aiter_instances.tuner_table(PACKAGE.replace("/", "."), style)
    notes = [*left_out, f"the kernels need flydsl {flydsl}; with another one their rows are left to CK"]
    if options.root is None:
        rows = aiter_rows.candidates(kernels, naming, times)
        notes.append("no --aiter-root: neither the dispatch nor a tuned table is edited")
        edited = rows.edited
    else:
        rows = aiter_rows.replace(options.root, kernels, naming, times, unmeasured=options.unmeasured)
        dispatch, said = _dispatch(options.root, specs)
        edited = {**rows.edited, **dispatch}
        notes.append(said)
    served = {
        (name, row.shape)
        for item in kernels
        for row in item.served
        for name in {item.spec.name, naming.names[item.spec]}
    }
    foreign = [(name, shape) for name, shape, _ in times.measured if (name, shape) not in served]
    if foreign:
        first = " ".join(map(str, foreign[0]))
        notes.append(f"{len(foreign)} of {len(times.measured)} times are of no exported kernel and shape: {first}")
    if any(account.us is None for account in rows.accounts):
        notes.append(
            "rows without a time in a --bench file have an empty us: porter measures nothing, and a merge sorts an "
            "empty time behind every other"
        )
    return ExportPlan("aiter", files, edited, rows.tables, tuple(notes), rows.accounts)


def _modules(kernels: Sequence[Kernel], style: Style) -> dict[str, str]:
    texts = {
        "__init__.py": f'{common.LICENCE}"""FlyDSL block-scale GEMMs that were ported from CK."""\n',
        "by_row.py": common.template("aiter_by_row.py"),
    }
    modules = {f"{PACKAGE}/{name}": style.module(text) for name, text in texts.items()}
    modules.update((f"{PACKAGE}/{name}", text) for name, text in common.support(style).items())
    modules.update((f"{PACKAGE}/{kernel.spec.name}.py", style.module(kernel.text)) for kernel in kernels)
    return modules


def _dispatch(root: Path, specs: Sequence[KernelSpec]) -> tuple[dict[str, tuple[str, str]], str]:
    path = root / aiter_dispatch.PATH
    try:
        old = path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(
            "CKE003", f"{path}: cannot read: {error}", hint="--aiter-root is the folder that holds aiter/"
        ) from error
    families = sorted({spec.family for spec in specs}, key=lambda family: family.value)
    edited = aiter_dispatch.edit(old, families, str(path))
    if not edited.generations:
        return {}, f"{aiter_dispatch.PATH} is already patched"
    each = ", ".join(f"{family.value} ({generation})" for family, generation in edited.generations.items())
    return {aiter_dispatch.PATH: (old, edited.text)}, f"{aiter_dispatch.PATH}: branches for {each}"
