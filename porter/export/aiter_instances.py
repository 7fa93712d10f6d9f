# SPDX-License-Identifier: Apache-2.0
"""The instance table that aiter's tuner reads: id -> kernel, and which shapes a kernel fits (style.md 4.1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from porter import emitter
from porter.export.common import Style
from porter.kernel_spec import KernelSpec
from porter.legality import N_MULTIPLE
from porter.problem import Family

#: Beside the tables of aiter's own FlyDSL kernels, whose shape it has.
PATH = "aiter/ops/flydsl/gemm_tune/flydsl_gemm_a8w8_blockscale_ck_common.py"


def table(specs: Sequence[KernelSpec], aliases: Mapping[KernelSpec, str], style: Style) -> str:
    """The module's text; the id of a kernel is its place in `specs`."""
    text = (
        emitter.environment()
        .get_template("export/aiter_instances.py.jinja")
        .render(
            kernels=[_arguments(spec, aliases.get(spec, "")) for spec in specs],
            n_multiple={family.value: N_MULTIPLE[family] for family in Family},
        )
    )
    return style.module(text)


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
    return ", ".join(f"{field}={value!r}" for field, value in values.items())
