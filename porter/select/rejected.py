# SPDX-License-Identifier: Apache-2.0
"""Ideas that were tried and rejected, as data: the source of docs/rejected.md and of what `porter inspect` names.

`python -m porter.select.rejected FILE` writes the page. An entry with a reproduction is compiled again by a test,
so that a new compiler which cures it is noticed.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from porter.blocks._variant import Variant
from porter.kernel_spec import Core, KernelSpec, ScaleLayout, Schedule
from porter.problem import Family

PAGE = "docs/rejected.md"
#: flydsl with which every compiled number was taken.
FLYDSL = "0.5.0"

#: compiled: LLVM's own numbers; executed: bits from the machine in oracle/machine, or times on hardware that somebody
#: published; published: said by others, not seen by us.
Evidence = Literal["compiled", "executed", "published"]


@dataclass(frozen=True, slots=True)
class Reproduction:
    """How to see it again: render `spec` as `variant` has it, compile for N and K.

    The numbers are those of flydsl 0.5.0: spilled VGPRs, bytes of scratch a lane, v_accvgpr moves and instructions of
    the hot loop.
    """

    spec: KernelSpec
    n: int
    k: int
    vgpr_spills: int
    scratch_bytes: int
    agpr_moves: int
    instructions: int
    variant: Variant = Variant()  # noqa: RUF009


@dataclass(frozen=True, slots=True)
class Rejected:
    """One entry of the page.

    slug: its anchor; idea and configuration: what was tried; evidence and numbers: what came of it; source: who saw it;
    instead: what porter does; covers: whether a kernel that was refused is refused for this.
    """

    slug: str
    idea: str
    configuration: str
    evidence: Evidence
    numbers: str
    source: str
    instead: str
    covers: Callable[[KernelSpec], bool] = lambda spec: False
    reproduction: Reproduction | None = None

    @property
    def place(self) -> str:
        """Where the page says it."""
        return f"{PAGE}#{self.slug}"


def entry(spec: KernelSpec) -> Rejected | None:
    """The entry that a refused kernel falls under, or None."""
    return next((item for item in REJECTED if item.covers(spec)), None)


_FOUR = KernelSpec.parse(
    "flydsl_a8w8_blockscale_bpreshuffle_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd8_ks1_km_bf16"
)
_EIGHT = replace(_FOUR, core=Core.EIGHT_WAVE, tile_m=128, xcds=0)
_DECODE = KernelSpec.parse(
    "flydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_32x128x128_16x16x128_cluster_wpe2_xcd0_ks1_rm_bf16"
)
_GFX942_INLINE = replace(_FOUR, arch="gfx942", mfma="16x16x32", schedule=Schedule.INLINE, xcds=0)
_GFX942_WIDE_K = KernelSpec.parse(
    "flydsl_a8w8_blockscale_plain_gfx942_1x128x128_4w_64x256x256_16x16x32_cluster_wpe2_xcd0_ks1_rm_bf16"
)
_US = "porter's own template"
_PROTOTYPE = (
    "prototypes of the same loops (docs/notes/flydsl.md#registers-and-spills); porter's template cannot write it"
)

REJECTED: tuple[Rejected, ...] = (
    Rejected(
        "native-e8m0",
        "Fold CK's scales into the scaled MFMA",
        "v_mfma_scale_f32_16x16x128_f8f6f4 with E8M0 scales, 4-wave 64x256x128",
        "executed",
        "163676 of 163840 results differ on `general`, 0 on `exact`, whose scales are powers of two: any test with "
        "such scales passes. Users of another kernel with such scales saw 25 % error and 12 points of GSM8K less "
        "(sglang#39193, vLLM#38083).",
        "the mutant `power-of-two-scale`, 320x512x768, in the machine",
        "unscaled MFMA and a software promote in fp32",
    ),
    Rejected(
        "three-waves-per-simd",
        "Three waves per SIMD for more latency hiding",
        "4-wave 64x256x128, waves_per_eu 3 (168 registers)",
        "compiled",
        "156 spills, 300 bytes of scratch, 325 instructions in the loop instead of 186, 94 of them scratch",
        _US,
        "waves_per_eu 2, or a tile with half the accumulators",
        covers=lambda spec: spec.waves_per_eu > 2 and spec.core is not Core.DECODE,
        reproduction=Reproduction(replace(_FOUR, waves_per_eu=3), 512, 4096, 156, 300, 0, 325),
    ),
    Rejected(
        "wide-4-wave-tile-512-registers",
        "One wave per SIMD with 512 registers for a 128x256 tile",
        "4-wave 128x256x128, waves_per_eu 1",
        "compiled",
        "no spill, but 150 AGPRs and 323 of 660 instructions of the loop move them; 1 wave per SIMD hides nothing",
        _US,
        "64x256 at 2 waves per SIMD, or the 8-wave core for 128x256",
        covers=lambda spec: spec.core is Core.FOUR_WAVE and spec.waves_per_eu == 1 and spec.accumulators > 64,
        reproduction=Reproduction(replace(_FOUR, tile_m=128, waves_per_eu=1), 512, 4096, 0, 0, 323, 660),
    ),
    Rejected(
        "wide-4-wave-tile",
        "A 4-wave tile with 128 accumulator registers",
        "4-wave 128x256x128, waves_per_eu 2",
        "compiled",
        "358 spills, 584 bytes of scratch, 227 scratch instructions among 665 of the loop",
        _US,
        "at most 64 accumulator registers of 256 (CKS122)",
        covers=lambda spec: spec.core is Core.FOUR_WAVE and spec.accumulators > 64,
        reproduction=Reproduction(replace(_FOUR, tile_m=128), 512, 4096, 358, 584, 0, 665),
    ),
    Rejected(
        "256x256-with-promote",
        "The 256x256 tile of rowwise fp8 kernels",
        "8-wave 256x256x128, any schedule",
        "compiled",
        "362 (inline) and 439 (cluster) spills, over 1 KiB of scratch; without promotes none. On 4096x2048 it is 128 "
        "workgroups for 256 CUs, and MI355X tuning found it 14 times slower (GEAK#386).",
        _PROTOTYPE,
        "128x256 or 256x128",
        covers=lambda spec: spec.core is Core.EIGHT_WAVE and spec.accumulators > 64,
    ),
    Rejected(
        "16-waves",
        "Sixteen waves, for more waves per SIMD",
        "16-wave 256x256x128",
        "compiled",
        "1024 work-items leave 128 registers: 234 (inline) and 266 (cluster) spills, 19 even without promotes",
        _PROTOTYPE,
        "8 waves, two per SIMD",
    ),
    Rejected(
        "asyncmark",
        "Let asyncmark count the outstanding LDS DMAs",
        "4-wave 64x256x128 with fx.rocdl.asyncmark and wait_asyncmark",
        "compiled",
        "its intrinsics read as unknown calls: 19 hidden arguments, 122 AGPRs, and 143 of 332 instructions of the loop "
        "move them",
        _US,
        "a use of a load that is issued behind the DMA, held there by a scheduling fence and checked by the machine",
        reproduction=Reproduction(
            _FOUR,
            512,
            4096,
            0,
            0,
            143,
            332,
            Variant(dma_wait="asyncmark"),
        ),
    ),
    Rejected(
        "synchronous-lds-copy",
        "The synchronous LDS copy atom beside scalar loads",
        "BufferCopyLDS128b with s_buffer_load in the loop",
        "compiled",
        "LLVM waits for vmcnt(0) right behind the prefetch, so nothing overlaps",
        "prototypes of the same loops (docs/notes/flydsl.md#silent-failures)",
        "the asynchronous atom",
    ),
    Rejected(
        "neutral-scale-operand",
        "The scaled MFMA with a neutral scale 0x7F7F7F7F",
        "v_mfma_scale_f32_16x16x128_f8f6f4, as the removed public block-scale kernel had it",
        "compiled",
        "the same values, but 16 bytes an instruction instead of 8 and a register for the scale",
        "prototypes of the same loops (docs/notes/flydsl.md#choice-of-mfma)",
        "no scale state: LLVM then emits the unscaled instruction, and the guard checks it (CKS164)",
    ),
    Rejected(
        "deep-decode-prefetch",
        "Four scale blocks ahead in the decode core's 32x128 tile",
        "decode 32x128x128 of preshuffled B, 128 registers of prefetch",
        "compiled",
        "182 spills, 328 bytes of scratch, 52 scratch instructions among 398 of the loop; 3 blocks: none, 109",
        _US,
        "as many blocks as fit 96 registers, 2 to 4",
        reproduction=Reproduction(
            replace(_DECODE, family=Family.BPRESHUFFLE, scale_layout=ScaleLayout.K_MAJOR),
            *(256, 4096, 182, 328, 0, 398),
            Variant(stages=4),
        ),
    ),
    Rejected(
        "unpinned-tail",
        "Leave the unrolled tail of the K loop to LLVM",
        "8-wave 128x256x128 cluster, K 1152, whose last three blocks are straight-line code",
        "compiled",
        "LLVM sinks promotes towards their last use, keeps every partial alive and spills 42 registers (172 bytes); a "
        "scheduling fence does not stop it",
        _US,
        "an empty asm statement that uses the accumulators (`_shim.pin`): 0 spills, same instructions",
        reproduction=Reproduction(
            _EIGHT,
            560,
            1152,
            42,
            172,
            0,
            229,
            Variant(pin_tail=False),
        ),
    ),
    Rejected(
        "inline-promotes",
        "Promotes beside their MFMAs as the default order",
        "4-wave 64x256x128 and 8-wave 128x256x128, schedule inline",
        "compiled",
        "146 nop wait states per two K blocks in the 8-wave loop instead of 6, 131 in the 4-wave loop instead of 2. "
        "Never timed: kept as a candidate, not as the default.",
        _US,
        "schedule cluster",
    ),
    Rejected(
        "inline-promotes-gfx942",
        "Promotes beside their MFMAs in a full tile on gfx942",
        "4-wave 64x256x128 and 128x128x128, schedule inline, x_scale a row, MFMA 16x16x32",
        "compiled",
        "9 spills, 40 bytes of scratch, 7 scratch instructions among 355 of the loop; 11 spills at 128x128. With 48 "
        "accumulators, with 512 registers, with ScaleBlockM 128, or in the orders cluster and skew: none.",
        _US,
        "schedule cluster or skew (CKS124)",
        covers=lambda spec: spec.arch == "gfx942" and spec.schedule is Schedule.INLINE and spec.core is Core.FOUR_WAVE,
        reproduction=Reproduction(_GFX942_INLINE, 512, 4096, 9, 40, 0, 355),
    ),
    Rejected(
        "wide-k-tile-gfx942",
        "A 256-wide K tile for the 4-wave core's full tile on gfx942",
        "4-wave 64x256x256, schedule cluster, MFMA 16x16x32",
        "compiled",
        "63 spills, 224 bytes of scratch, 27 scratch instructions among 701 of the loop: B of two blocks and the next "
        "A, which passes through registers, stand beside the accumulators. On gfx950, where A goes straight into LDS, "
        "the same tile takes 362 instructions for four scale blocks, with 128 of K it takes 372, and nothing spills.",
        _US,
        "tile K 128, or 48x256x256 or 128x128x256 (CKS125)",
        covers=lambda spec: spec.arch == "gfx942" and spec.tile_k == 256,
        reproduction=Reproduction(_GFX942_WIDE_K, 512, 4096, 63, 224, 0, 701),
    ),
    Rejected(
        "split-k-by-n",
        "Choose the K slices from a table over N",
        "decode kernels, 18 tuned points of (N, K, M)",
        "published",
        "13 of 18 points in sample, 3 of 18 when a shape is left out; k-work per slice with a cap on workgroups: 15",
        "timed on another part, RDNA4 (docs/notes/tuning.md#split-k)",
        "k-work per slice and workgroups per CU; the constants are not fitted for CDNA",
    ),
)

_HEAD = f"""# Rejected ideas

Generated by `python -m porter.select.rejected {PAGE}` from porter/select/rejected.py; do not edit.
`porter inspect --candidates` names an entry when it refuses a kernel for it. Compiled numbers are those of
flydsl {FLYDSL}; nothing here was timed by us.

*compiled*: numbers of the compiler. *executed*: bits from porter's machine. *published*: said by others.
"""


def page() -> str:
    """docs/rejected.md."""
    return "\n".join([_HEAD, *(_section(item) for item in REJECTED)])


def _section(item: Rejected) -> str:
    again = ""
    if item.reproduction is not None:
        made = item.reproduction
        options = ", ".join(f"`{name}={value!r}`" for name, value in made.variant.changed().items())
        departing = f", with {options}" if options else ""
        again = f"- again: `{made.spec.name}` at N {made.n}, K {made.k}{departing}\n"
    return (
        f'<a id="{item.slug}"></a>\n\n## {item.idea}\n\n- configuration: {item.configuration}\n'
        f"- evidence: {item.evidence}; {item.source}\n- numbers: {item.numbers}\n- instead: {item.instead}\n{again}"
    )


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
