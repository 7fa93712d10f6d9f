# SPDX-License-Identifier: Apache-2.0
"""Names under which others tune kernels like ours, for tables that are already written in them.

Source: docs/notes/downstream.md#names-of-other-tuners.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from porter.kernel_spec import Contract, Core, KernelSpec
from porter.problem import Family
from porter.runtime._serving import SCALE_BLOCK


def aliases(specs: Iterable[KernelSpec]) -> dict[KernelSpec, str]:
    """Kernel -> its name in a peer tuner's grammar, for every kernel that such a name means alone.

    The grammars say nothing of schedule, split and contract: a name that fits two of the kernels is nobody's.
    """
    named = {spec: name for spec in specs if (name := _alias(spec))}
    count = Counter(named.values())
    return {spec: name for spec, name in named.items() if count[name] == 1}


def _alias(spec: KernelSpec) -> str:
    usual = (Family.BPRESHUFFLE, 1, 1, "bf16", Contract.CK)
    if (spec.family, spec.scale_block_m, spec.split_k, spec.out_dtype, spec.contract) != usual:
        return ""
    if spec.core is Core.FOUR_WAVE:
        # The 4-wave template: no epilogue through LDS, A by DMA where the chip has it, a fused promote.
        dma = int(spec.arch == "gfx950")
        return (
            f"flydsl_blockscale_bpreshuffle_{spec.tile_m}x{spec.tile_n}x{spec.tile_k}_sbk{SCALE_BLOCK}"
            f"_0x{dma}x{spec.waves_per_eu}x{spec.xcds}x1"
        )
    if spec.core is Core.EIGHT_WAVE and spec.tile_n == 256:
        return (
            f"flydsl8w_blockscale_bpreshuffle_{spec.tile_m}x{spec.tile_n}"
            f"_wpe{spec.waves_per_eu}_xcd{int(spec.xcds > 0)}"
        )
    return ""
