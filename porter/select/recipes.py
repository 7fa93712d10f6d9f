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
from porter.problem import Family, GemmShape, Target
from porter.records import Count, Record, Size, made
from porter.runtime._regimes import SMALL_MAX_N, WIDE_TILE_N, Plan, Regime, decode_tile, plans, split_k
from porter.runtime._serving import SCALE_BLOCK
from porter.select.legality import MFMA_OF_ARCH, Reason
from porter.select.regimes import Verdict, VerdictOutput, classify, situation


@dataclass(frozen=True, slots=True)
class Candidate:
    """A kernel and why it is in the list."""

    spec: KernelSpec
    why: str


@dataclass(frozen=True, slots=True)
class Recipe:
    """What was chosen for a shape, and why.

    candidates: in order of preference, the first being the default; reasons: the verdict of every regime rule; notes:
    what a reader of the row should know of the default.
    """

    regime: Regime
    candidates: tuple[Candidate, ...]
    reasons: tuple[Verdict, ...]
    notes: tuple[str, ...]

    @property
    def spec(self) -> KernelSpec:
        """The default kernel."""
        return self.candidates[0].spec

    def output(self, refused: tuple[Reason, ...]) -> ExplainOutput:
        """What `porter explain` prints; refused: why the default cannot serve the shape."""
        recipe, *alternatives = (made(CandidateOutput, item, item.spec) for item in self.candidates)
        reasons = tuple(map(VerdictOutput.of, self.reasons))
        return made(ExplainOutput, self, recipe=recipe, alternatives=alternatives, reasons=reasons, refused=refused)


class CandidateOutput(Record, frozen=True):
    """A candidate of a recipe; members as in `KernelSpec` and `Candidate`."""

    name: str
    core: Core
    tile: tuple[Size, Size, Size]
    mfma: str
    schedule: Schedule
    waves_per_eu: Size
    xcds: Count
    split_k: Size
    why: str


class ExplainOutput(Record, frozen=True, tag_field="schema", tag="porter/explain/2"):
    """porter explain: regime and recipe of one shape, with the verdict of every rule and the alternatives."""

    regime: Regime
    recipe: CandidateOutput
    alternatives: tuple[CandidateOutput, ...]
    reasons: tuple[VerdictOutput, ...]
    notes: tuple[str, ...]
    refused: tuple[Reason, ...]


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
    decision = classify(shape, target)
    candidates = _candidates(
        plans(decision.regime, shape.n), target, family, scale_block_m, contract, out_dtype, decode_tile(shape.m)
    )
    if decision.regime is Regime.DECODE:
        candidates = tuple(_split(candidate, shape, target, kbatch) for candidate in candidates)
    return Recipe(
        regime=decision.regime,
        candidates=candidates,
        reasons=decision.verdicts,
        notes=(*_small_n_notes(shape), *kbatch_notes(kbatch or 1, candidates[0].spec)),
    )


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
) -> tuple[Candidate, ...]:
    return tuple(
        Candidate(
            KernelSpec(
                family=family,
                arch=target.arch,
                scale_block_m=scale_block_m,
                core=Core(plan.core),
                tile_m=plan.tile_m or decode_rows,
                tile_n=plan.tile_n,
                tile_k=SCALE_BLOCK,
                mfma=MFMA_OF_ARCH[target.arch],
                schedule=Schedule(plan.schedule),
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
    )


def _split(candidate: Candidate, shape: GemmShape, target: Target, kbatch: int | None) -> Candidate:
    spec = candidate.spec
    if spec.core is not Core.DECODE:
        return candidate
    slices = split_k(situation(shape, target), (spec.tile_m, spec.tile_n)) if kbatch is None else kbatch
    return replace(candidate, spec=replace(spec, split_k=slices))


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
