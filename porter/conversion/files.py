# SPDX-License-Identifier: Apache-2.0
"""The files of a conversion: kernels with their provenance, support files, dispatch and the manifest."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import porter
from porter.ck_parser import TunedRow
from porter.kernel_spec import KernelSpec
from porter.measure.compiled import Measured
from porter.select.choice import Converted
from porter.toolchain import flydsl_version
from porter.write import dispatch, emitter
from porter.write.output import MANIFEST, sha256

#: flydsl that the templates are written for; named in generated headers where flydsl is not installed.
TEMPLATE_FLYDSL = "0.5"
#: What the manifest says where nothing was compiled.
GUARD_NOT_APPLIED = "not applied: nothing was compiled; with --census, kernels that spill are replaced or refused"


def render(
    kernels: tuple[KernelSpec, ...], converted: list[Converted], measured: Mapping[KernelSpec, Measured] | None
) -> dict[str, str]:
    """Every file of the output folder; measured: None where nothing was compiled."""
    served: dict[KernelSpec, list[Converted]] = {spec: [] for spec in kernels}
    for item in converted:
        served[item.spec].append(item)
    files = dict(emitter.support_files()) if kernels else {}
    for spec in kernels:
        files[f"{spec.name}.py"] = emitter.render(spec, _provenance(served[spec]))
    if kernels:
        rows = [
            dispatch.Row(item.row.gfx, item.row.cu_num, item.row.family, item.row.shape, item.spec)
            for item in converted
            if item.kept
        ]
        files.update(dispatch.files(kernels, rows, porter.__version__))
    manifest = {
        "schema": "porter/manifest/1",
        "porter": porter.__version__,
        "flydsl": flydsl_version() or TEMPLATE_FLYDSL,
        **({"guard": GUARD_NOT_APPLIED} if measured is None else {}),
        "files": {name: sha256(text) for name, text in sorted(files.items())},
        "kernels": [
            {
                "name": spec.name,
                "module": f"{spec.name}.py",
                "spec": emitter.spec_literal(spec),
                "shapes": [_shape_entry(item) for item in served[spec] if item.kept],
                **({} if measured is None else {"census": measured[spec].to_json()}),
            }
            for spec in kernels
        ],
    }
    files[MANIFEST] = json.dumps(manifest, indent=1) + "\n"
    return files


def _shape_entry(item: Converted) -> dict[str, Any]:
    row = item.row
    return {
        "gfx": row.gfx,
        "cu_num": row.cu_num,
        "m": row.shape.m,
        "n": row.shape.n,
        "k": row.shape.k,
        "regime": item.recipe.regime.value,
        "instance": row.kernel_name,
        "source": _place(row),
        **({"contract_assumed": True} if row.contract.assumed else {}),
        **({"notes": list(item.notes)} if item.notes else {}),
    }


def _place(row: TunedRow) -> str:
    # The file's name alone: a generated file must not depend on where the input lies.
    return f"{Path(row.where.path).name}:{row.where.line}"


def _provenance(items: list[Converted]) -> emitter.Provenance:
    first = items[0]
    rows = f"source: {_place(first.row)}" + (
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
