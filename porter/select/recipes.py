# SPDX-License-Identifier: Apache-2.0
"""From a regime to kernels: an ordered list of candidates, because published rules disagree.

GEAK#386 and aiter's branch `ganyi` (docs/notes/tuning.md) each tuned such kernels on MI355X and came to different tiles
for wide and for narrow N; their kernels differ too. So a recipe is a first choice and what a user re-sweeps near it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache

from porter.kernel_spec import SCALE_LAYOUTS, Contract, Core, KernelSpec, Schedule
from porter.problem import SCALE_BLOCK, Family, GemmShape, Target
from porter.select.legality import BUILT_CORES, MFMA_OF_ARCH
from porter.select.regimes import Regime, Verdict, classify

__all__ = ["BUILT_CORES", "Candidate", "Recipe", "choose"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kernel and why it is in the list. built: porter can write its core today."""

    spec: KernelSpec
    why: str

    @property
    def built(self) -> bool:
        return self.spec.core in BUILT_CORES

    def to_json(self) -> dict[str, object]:
        spec = self.spec
        return {
            "name": spec.name,
            "core": spec.core.value,
            "tile": [spec.tile_m, spec.tile_n, spec.tile_k],
            "mfma": spec.mfma,
            "schedule": spec.schedule.value,
            "waves_per_eu": spec.waves_per_eu,
            "xcds": spec.xcds,
            "split_k": spec.split_k,
            "built": self.built,
            "why": self.why,
        }


@dataclass(frozen=True, slots=True)
class Recipe:
    """What was chosen for a shape, and why.

    candidates: those that porter can write today in order of preference, the first being the default, then those whose
    core is not built yet; reasons: the verdict of every regime rule; fallback: why the default is not the regime's own
    first choice, empty if it is; notes: what a reader of the row should know of the default.
    """

    regime: Regime
    candidates: tuple[Candidate, ...]
    reasons: tuple[Verdict, ...]
    fallback: str
    notes: tuple[str, ...]

    @property
    def spec(self) -> KernelSpec:
        """The default kernel."""
        return self.candidates[0].spec

    def to_json(self) -> dict[str, object]:
        """Plain data for `porter explain --format json`."""
        recipe, *alternatives = (candidate.to_json() for candidate in self.candidates)
        return {
            "regime": self.regime.value,
            "recipe": recipe,
            "alternatives": alternatives,
            "reasons": [verdict.to_json() for verdict in self.reasons],
            "fallback": self.fallback,
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class Plan:
    """A candidate before the shape's family, chip and types are known.

    tile_m: None is the smallest of DECODE_TILES that holds all rows; remap: raster over all dies of the chip.
    """

    core: Core
    tile_m: int | None
    tile_n: int
    why: str
    schedule: Schedule = Schedule.CLUSTER
    remap: bool = False


_FOUR, _EIGHT, _DECODE = Core.FOUR_WAVE, Core.EIGHT_WAVE, Core.DECODE

# The fenced `cluster` order is first for the 4-wave core: two K blocks take 186 instructions and 2 nop wait states,
# where `inline` takes 256 and 131 (docs/notes/flydsl.md#registers-and-spills; compiled, not timed).
_INLINE = "promotes beside their MFMAs: more instructions and waits; which wins was never timed"

PLANS: dict[Regime, tuple[Plan, ...]] = {
    Regime.WIDE_N: (
        Plan(_FOUR, 64, 256, "tuned on 4096x65536x1536: about 1.23 times faster than without the remap", remap=True),
        Plan(_FOUR, 64, 256, "the remap off: on 4096x65536x1536 it lost to CK (0.96 to 0.97)"),
        Plan(_FOUR, 128, 128, "aiter's branch ganyi found 128x128 with a swizzle best at N = 12288", remap=True),
        Plan(_FOUR, 64, 256, _INLINE, Schedule.INLINE, remap=True),
    ),
    Regime.K_LIGHT: (
        Plan(_FOUR, 64, 256, "tuned on 16384x7168x768: about 129 us, 8-wave 147 us; the remap is not load-bearing"),
        Plan(_FOUR, 64, 256, "GEAK quotes its best time on 16384x7168x768 with the remap on", remap=True),
        Plan(_FOUR, 64, 256, _INLINE, Schedule.INLINE),
        Plan(_FOUR, 64, 128, "CK's own best tile on 16384x7168x768"),
    ),
    Regime.NARROW_N_DEEP_K: (
        Plan(_EIGHT, 128, 256, "tuned on 4096x2048x7168: 1.05 to 1.10 times CK, no promote between barriers"),
        Plan(_EIGHT, 128, 256, "promotes one quadrant late, under the next MFMAs; never timed", Schedule.SKEW),
        Plan(_EIGHT, 256, 128, "the same loop turned by a quarter, for N that 256 does not divide; never timed"),
        Plan(_FOUR, 64, 256, "19 % slower on 4096x2048x7168, but aiter's branch ganyi and CK both chose this tile"),
        Plan(_FOUR, 64, 256, _INLINE, Schedule.INLINE),
        Plan(_FOUR, 64, 128, "twice the workgroups, for grids that leave CUs idle; never timed"),
    ),
    Regime.DECODE: (
        Plan(_DECODE, None, 128, "the smallest M tile that holds the rows; not timed"),
        Plan(_DECODE, None, 64, "twice the workgroups, for small N; not timed"),
        Plan(_FOUR, 64, 256, "the tuned 4-wave geometry; rows past M are computed and dropped"),
        Plan(_FOUR, 32, 128, "half the rows and twice the workgroups of 64x256; not timed"),
        Plan(_FOUR, 16, 128, "a decode tile with one LDS copy of A for four waves; not timed"),
        Plan(_FOUR, 32, 64, "four times the workgroups, for small N; not timed"),
    ),
    Regime.GENERAL: (
        Plan(_FOUR, 64, 256, "won on two of the three tuned shapes; CK's own best tile on five shapes of MI355X"),
        Plan(_FOUR, 64, 256, "the remap on, if L2 misses turn out to matter", remap=True),
        Plan(_FOUR, 128, 128, "aiter's branch ganyi found it best at 8192x8192x8192", remap=True),
        Plan(_FOUR, 64, 128, "twice the workgroups, for grids that leave CUs idle; never timed"),
        Plan(_FOUR, 64, 256, _INLINE, Schedule.INLINE),
    ),
}

#: Columns up to which no tile of WIDE_TILE_N is a first choice, as three quarters of its MFMAs would be for columns
#: that do not exist, and no remap, which has one column of tiles to move. Both stay legal.
SMALL_MAX_N, WIDE_TILE_N = 64, 256

#: M tiles of the decode core.
DECODE_TILES = (16, 32, 64)
#: K slices that the split-K rule chooses from.
SPLITS = (8, 4, 2, 1)
#: Scale blocks that every slice must keep, and workgroups on a CU up to which K is split. The form of the rule (largest
#: split with enough k-work each, under a cap on workgroups) was fitted on another part, RDNA4
#: (docs/notes/tuning.md#split-k); these two constants are not fitted for CDNA.
MIN_BLOCKS_PER_SLICE = 4
MAX_SPLIT_WORKGROUPS_PER_CU = 2
#: waves_per_eu of every candidate: 2 is what the tuned kernels use, 3 spills
#: (docs/notes/flydsl.md#registers-and-spills).
WAVES_PER_EU = 2


def choose(
    shape: GemmShape,
    target: Target,
    family: Family,
    *,
    scale_block_m: int = 1,
    contract: Contract = Contract.CK,
    out_dtype: str = "bf16",
    kbatch: int | None = None,
) -> Recipe:
    """The recipe for a shape with positive sizes; whether its kernel can serve the shape is for `select.legality`.

    kbatch: K slices that the row's CK instance used; None where nothing says, then the split-K rule decides for the
    decode core. Other cores do not split K, and a note says so.
    """
    decision = classify(shape, target, family)
    decode_rows = next((rows for rows in DECODE_TILES if shape.m <= rows), DECODE_TILES[-1])
    preferred, candidates = _candidates(
        plans(decision.regime, shape.n), target, family, scale_block_m, contract, out_dtype, decode_rows
    )
    if decision.regime is Regime.DECODE:
        candidates = tuple(_split(candidate, shape, target, kbatch) for candidate in candidates)
        preferred = _split(preferred, shape, target, kbatch)
    return Recipe(
        regime=decision.regime,
        candidates=candidates,
        reasons=decision.verdicts,
        fallback=_fallback(decision.regime, preferred, candidates[0]),
        notes=(*_small_n_notes(shape), *kbatch_notes(kbatch or 1, candidates[0].spec)),
    )


def plans(regime: Regime, n: int) -> tuple[Plan, ...]:
    """The plans of a regime in the order of preference for N columns."""
    if n > SMALL_MAX_N:
        return PLANS[regime]
    return tuple(sorted(PLANS[regime], key=lambda plan: (plan.tile_n >= WIDE_TILE_N, plan.remap)))


def _small_n_notes(shape: GemmShape) -> Iterable[str]:
    if shape.n <= SMALL_MAX_N:
        yield f"N {shape.n} <= {SMALL_MAX_N}: tiles of {WIDE_TILE_N} columns and remaps stand behind the others"


@cache
def _candidates(
    wanted: tuple[Plan, ...],
    target: Target,
    family: Family,
    scale_block_m: int,
    contract: Contract,
    out_dtype: str,
    decode_rows: int,
) -> tuple[Candidate, tuple[Candidate, ...]]:
    """The plans' own first choice, and all candidates with those that can be written today in front."""
    candidates = [
        Candidate(
            KernelSpec(
                family=family,
                arch=target.arch,
                scale_block_m=scale_block_m,
                core=plan.core,
                tile_m=plan.tile_m or decode_rows,
                tile_n=plan.tile_n,
                tile_k=SCALE_BLOCK,
                mfma=MFMA_OF_ARCH[target.arch],
                schedule=plan.schedule,
                waves_per_eu=WAVES_PER_EU,
                xcds=target.xcds if plan.remap else 0,
                split_k=1,
                scale_layout=SCALE_LAYOUTS[family],
                out_dtype=out_dtype,
                contract=contract,
            ),
            plan.why,
        )
        for plan in wanted
    ]
    return candidates[0], tuple(sorted(candidates, key=lambda candidate: not candidate.built))


def split_k(shape: GemmShape, target: Target, tile_m: int, tile_n: int) -> int:
    """K slices for a decode kernel when nobody tuned them: see MIN_BLOCKS_PER_SLICE."""
    blocks = shape.k // SCALE_BLOCK
    workgroups = shape.tiles(tile_m, tile_n)
    cap = MAX_SPLIT_WORKGROUPS_PER_CU * target.cus
    return next(
        (s for s in SPLITS if blocks >= s * MIN_BLOCKS_PER_SLICE and workgroups * s <= cap),
        1,
    )


def _split(candidate: Candidate, shape: GemmShape, target: Target, kbatch: int | None) -> Candidate:
    spec = candidate.spec
    if spec.core is not Core.DECODE:
        return candidate
    slices = split_k(shape, target, spec.tile_m, spec.tile_n) if kbatch is None else kbatch
    return replace(candidate, spec=replace(spec, split_k=slices))


def _fallback(regime: Regime, wanted: Candidate, got: Candidate) -> str:
    if wanted == got:
        return ""
    return (
        f"{regime.value} asks for the {wanted.spec.core.value} core ({wanted.spec.name}), which is not built yet; "
        f"the {got.spec.core.value} core stands in"
    )


def kbatch_notes(kbatch: int, spec: KernelSpec) -> Iterable[str]:
    """What becomes of a row's K slices in this kernel; nothing where it had one."""
    if kbatch == 1:
        return
    if spec.split_k == kbatch:
        yield (
            f"KBatch {kbatch}: fp32 slices, added in ascending order and converted once; CK adds bf16 slices "
            "atomically in any order, so compare with CK by tolerance"
        )
    else:
        yield (
            f"the row's KBatch {kbatch} is ported with split_k {spec.split_k}: all of K is accumulated in fp32 in one "
            "pass; CK adds bf16 slices atomically in any order, which nobody can reproduce bit for bit"
        )
