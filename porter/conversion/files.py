# SPDX-License-Identifier: Apache-2.0
"""The files of a conversion: kernels with their provenance, support files, dispatch and the manifest."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

import porter
from porter import manifest
from porter.ck_parser import TunedRow
from porter.kernel_spec import KernelSpec
from porter.manifest import Kernel, Manifest, Row
from porter.measure.compiled import Measured
from porter.select.choice import Converted
from porter.toolchain import flydsl_version
from porter.write import dispatch, emitter
from porter.write.output import sha256

#: flydsl that the templates are written for; named in generated headers where flydsl is not installed.
TEMPLATE_FLYDSL = "0.5"
#: What the manifest says where nothing was compiled.
GUARD_NOT_APPLIED = "not applied: nothing was compiled; with --census, kernels that spill are replaced or refused"


def render(
    kernels: tuple[KernelSpec, ...],
    converted: list[Converted],
    measured: Mapping[KernelSpec, Measured] | None,
    departure: emitter.Departure | None = None,
) -> dict[str, str]:
    """Every file of the output folder; measured: None where nothing was compiled; departure: of every kernel."""
    served: dict[KernelSpec, list[Converted]] = {spec: [] for spec in kernels}
    for item in converted:
        served[item.spec].append(item)
    files = dict(emitter.support_files()) if kernels else {}
    for spec in kernels:
        files[f"{spec.name}.py"] = emitter.render(spec, _provenance(served[spec]), departure)
    if kernels:
        rows = [
            dispatch.Row(item.row.gfx, item.row.cu_num, item.row.family, item.row.shape, item.spec)
            for item in converted
            if item.kept
        ]
        files.update(dispatch.files(kernels, rows, porter.__version__))
    made = Manifest(
        porter=porter.__version__,
        flydsl=flydsl_version() or TEMPLATE_FLYDSL,
        files={name: sha256(text) for name, text in sorted(files.items())},
        kernels=tuple(_kernel(spec, served[spec], measured) for spec in kernels),
        guard=GUARD_NOT_APPLIED if measured is None else "",
    )
    return {**files, manifest.FILE: manifest.text(made)}


def _kernel(spec: KernelSpec, items: list[Converted], measured: Mapping[KernelSpec, Measured] | None) -> Kernel:
    rows = (
        Row(
            gfx=item.row.gfx,
            cu_num=item.row.cu_num,
            shape=item.row.shape,
            regime=item.recipe.regime,
            instance=item.row.kernel_name,
            source=_file(item.row),
            line=item.row.where.line,
            notes=item.notes,
            contract_assumed=item.row.contract.assumed,
        )
        for item in items
        if item.kept
    )
    return Kernel.of(spec, rows, measured[spec].census if measured else None)


def _file(row: TunedRow) -> str:
    # The file's name alone: a generated file must not depend on where the input lies.
    return Path(row.where.path).name


def _provenance(items: list[Converted]) -> emitter.Provenance:
    first = items[0]
    rows = f"source: {_file(first.row)}:{first.row.where.line}" + (
        f" and {len(items) - 1} more rows, see manifest.json" if len(items) > 1 else ""
    )
    lines = [rows]
    if first.row.kernel_name:
        lines.append(f"instance: {first.row.kernel_name}")
    regimes = sorted({item.recipe.regime.value for item in items})
    lines.append(f"regime: {', '.join(regimes)}")
    reasons: dict[str, None] = {}
    for item in items:
        candidate = next(c for c in item.recipe.candidates if c.spec == item.spec)
        reasons.setdefault(f"{item.recipe.regime.value}: {candidate.why}")
        for sentence in item.measured:
            reasons.setdefault(sentence)
    lines += [line for reason in reasons for line in textwrap.wrap(f"reason: {reason}", 116, subsequent_indent="  ")]
    return emitter.Provenance(porter.__version__, flydsl_version() or TEMPLATE_FLYDSL, tuple(lines))
