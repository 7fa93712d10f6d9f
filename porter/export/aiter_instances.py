# SPDX-License-Identifier: Apache-2.0
"""The table that aiter's tuner reads (docs/notes/downstream.md#aiter): id -> kernel, and which shapes it fits."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from porter.export.common import LICENCE, Style
from porter.kernel_spec import KernelSpec
from porter.problem import Family
from porter.write import emitter

#: Where aiter's tuner has the tables of its own FlyDSL kernels, whose form this one has.
TUNER_FOLDER = "aiter/ops/flydsl/gemm_tune"
TUNER_TABLE = "flydsl_gemm_a8w8_blockscale_ck_common.py"


def table(specs: Sequence[KernelSpec], aliases: Mapping[KernelSpec, str], flydsl: str, style: Style) -> str:
    """The module's text; the id of a kernel is its place in `specs`; flydsl: the minor release that they need."""
    text = (
        emitter.environment()
        .get_template("export/aiter_instances.py.jinja")
        .render(
            kernels=[_arguments(spec, aliases.get(spec, "")) for spec in specs],
            flydsl=flydsl,
        )
    )
    return style.module(text)


def tuner_table(package: str, style: Style) -> str:
    """The table as a module of the tuner's folder; `package` is where it really is."""
    names = ("PIPELINES", "kernel_fits_shape", "kernelInstance", "kernels_by_name", "kernels_list", "parse_kernel_name")
    imported = "".join(f"    {name},\n" for name in names)
    listed = ", ".join(f'"{name}"' for name in names)
    text = f'{LICENCE}"""Tune table of the FlyDSL block-scale GEMMs that were ported from CK."""\n\n'
    return style.module(f"{text}from {package}.instances import (\n{imported})\n\n__all__ = [{listed}]\n")


def _arguments(spec: KernelSpec, alias: str) -> str:
    values = {
        "name": spec.name,
        "alias": alias,
        "gfx": spec.arch,
        "preshuffle_b": spec.family is Family.BPRESHUFFLE,
        "core": spec.core.value,
        "tile_m": spec.tile_m,
        "tile_n": spec.tile_n,
        "tile_k": spec.tile_k,
        "scheduler": spec.schedule.value,
        "waves_per_eu": spec.waves_per_eu,
        "xcd_swizzle": spec.xcds,
        "split_k": spec.split_k,
        "scale_block_m": spec.scale_block_m,
        "dtype": spec.out_dtype,
    }
    return ", ".join(
        f"{field}={json.dumps(value) if isinstance(value, str) else value}" for field, value in values.items()
    )
