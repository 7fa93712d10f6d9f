# SPDX-License-Identifier: Apache-2.0
"""Every kernel worth a look for one shape: the recipe's candidates and their neighbours, judged and compiled.

A neighbour differs from the recipe's first choice in one thing. Nothing is timed: the list says what can run, not what
is fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import astuple, dataclass, replace
from typing import Literal

from porter.census import KernelCensus, Loop, Resources
from porter.errors import ExitCode, ToolchainError
from porter.kernel_spec import Core, KernelSpec, Schedule
from porter.measure.compiled import measure
from porter.problem import Family, GemmShape, Target
from porter.records import Amount, Count, Record, Size, made
from porter.runtime._regimes import DECODE_TILES, Regime
from porter.select import recipes, rejected
from porter.select.legality import CORE_ARCHS, EIGHT_WAVE_TILES, FOUR_WAVE_TILE_KS, Reason, legality
from porter.toolchain import CompileRequest

#: Rows and columns of the tiles that each core is tried with, legal or not.
TILES: dict[Core, tuple[tuple[int, int], ...]] = {
    Core.FOUR_WAVE: tuple((m, n) for m in (16, 32, 64, 128) for n in (64, 128, 256)),
    Core.EIGHT_WAVE: (*EIGHT_WAVE_TILES, (256, 256)),
    Core.DECODE: tuple((m, n) for m in DECODE_TILES for n in (64, 128, 256)),
}
#: The tile that a core is first tried with; docs/notes/tuning.md#tuned-shapes.
FIRST_TILE = {Core.FOUR_WAVE: (64, 256), Core.EIGHT_WAVE: (128, 256), Core.DECODE: (64, 128)}
WAVES_PER_EU = (1, 2, 3)
#: Refusals that docs/rejected.md speaks of: registers, before and after compiling.
REGISTER_CODES = frozenset({"CKS122", "CKS124", "CKS125", "CKS160", "CKS161", "CKS162"})


@dataclass(frozen=True, slots=True)
class Judged:
    """One candidate.

    origin: `recipe` or `neighbour`; why: the recipe's reason, or what the neighbour changes; reasons: why it is
    refused, empty when it may be used; entry: its place in docs/rejected.md, empty where it has none; census: what was
    compiled, None where legality refused before or the compiler failed; workgroups: of the shape, `cus` CUs take them.
    """

    spec: KernelSpec
    origin: str
    why: str
    reasons: tuple[Reason, ...]
    entry: str
    census: KernelCensus | None
    workgroups: int
    cus: int

    @property
    def rounds(self) -> float:
        """How often the shape's workgroups fill all CUs; 0 where that is not known."""
        fit = self.census.resources.workgroups_per_cu if self.census else 0
        return round(self.workgroups / (fit * self.cus), 3) if fit else 0.0


class JudgedOutput(Record, frozen=True):
    """A candidate of `porter inspect --candidates`; members as in `KernelSpec` and `Judged`."""

    name: str
    core: Core
    tile: tuple[Count, Count, Count]
    schedule: Schedule
    waves_per_eu: Count
    xcds: Count
    split_k: Count
    origin: Literal["recipe", "neighbour"]
    why: str
    usable: bool
    reasons: tuple[Reason, ...]
    rejected: str
    workgroups: Count
    cus: Count
    rounds: Amount
    resources: Resources | None
    loop: Loop | None

    @classmethod
    def of(cls, item: Judged) -> JudgedOutput:
        compiled = {"resources": item.census.resources, "loop": item.census.loop} if item.census else _NOT_COMPILED
        return made(cls, item, item.spec, usable=not item.reasons, rejected=item.entry, **compiled)


_NOT_COMPILED = {"resources": None, "loop": None}


class CandidatesOutput(Record, frozen=True, tag_field="schema", tag="porter/candidates/1"):
    """porter inspect --candidates: every kernel worth a look for one shape, compiled, with the verdict of the guard."""

    shape: tuple[Size, Size, Size]
    regime: Regime
    candidates: tuple[JudgedOutput, ...]


@dataclass(frozen=True, slots=True)
class Candidates:
    """All candidates of one shape, those of the recipe first and in its order."""

    shape: GemmShape
    regime: Regime
    judged: tuple[Judged, ...]

    @property
    def exit_code(self) -> ExitCode:
        """1 where no candidate can be used."""
        return ExitCode.GOOD if any(not item.reasons for item in self.judged) else ExitCode.FINDINGS

    @property
    def output(self) -> CandidatesOutput:
        return CandidatesOutput(astuple(self.shape), self.regime, tuple(map(JudgedOutput.of, self.judged)))


def judge(
    shape: GemmShape,
    target: Target,
    family: Family,
    *,
    neighbours: bool = True,
    jobs: int | None = None,
    progress: Callable[[CompileRequest], None] | None = None,
) -> Candidates:
    """Judge every candidate of a shape with positive sizes; what legality passes is compiled at the shape's N and K.

    Raises ToolchainMissing (CKT001) without flydsl.
    """
    recipe = recipes.choose(shape, target, family)
    listed = {candidate.spec: ("recipe", candidate.why) for candidate in recipe.candidates}
    if neighbours:
        for spec, change in _neighbours(recipe.spec, target):
            listed.setdefault(spec, ("neighbour", change))
    before = {spec: legality(spec, shape, target) for spec in listed}
    legal = [spec for spec, reasons in before.items() if not reasons]
    census: dict[KernelSpec, KernelCensus] = {}
    after: dict[KernelSpec, tuple[Reason, ...]] = {}
    results = measure([(spec, shape.n, shape.k) for spec in legal], jobs=jobs, progress=progress)
    for spec, measured in zip(legal, results, strict=True):
        if isinstance(measured, ToolchainError):
            after[spec] = (Reason("CKS166", f"does not compile: {measured}"),)
        else:
            census[spec], after[spec] = measured.census.kernels[0], measured.reasons
    judged = []
    for spec, (origin, why) in listed.items():
        reasons = before[spec] or after[spec]
        entry = rejected.entry(spec) if REGISTER_CODES & {reason.code for reason in reasons} else None
        judged.append(
            Judged(
                spec=spec,
                origin=origin,
                why=why,
                reasons=reasons,
                entry=entry.place if entry else "",
                census=census.get(spec),
                workgroups=shape.tiles(spec.tile_m, spec.tile_n) * spec.split_k,
                cus=target.cus,
            )
        )
    return Candidates(shape, recipe.regime, tuple(judged))


def _neighbours(base: KernelSpec, target: Target) -> Iterator[tuple[KernelSpec, str]]:
    """Every spec that differs from `base` in tile (M and N by at most a factor of two), order, raster, waves or
    core, and what it changes."""
    for tile_m, tile_n in TILES[base.core]:
        if max(tile_m, base.tile_m) <= 2 * min(tile_m, base.tile_m) and (
            max(tile_n, base.tile_n) <= 2 * min(tile_n, base.tile_n)
        ):
            yield replace(base, tile_m=tile_m, tile_n=tile_n), f"tile {tile_m}x{tile_n}"
    if base.core is Core.FOUR_WAVE:
        for tile_k in FOUR_WAVE_TILE_KS:
            yield replace(base, tile_k=tile_k), f"tile K {tile_k}"
    for schedule in Schedule:
        yield replace(base, schedule=schedule), f"schedule {schedule.value}"
    for xcds in (0, target.xcds):
        yield replace(base, xcds=xcds), f"raster over {xcds} dies" if xcds else "no raster remap"
    for waves in WAVES_PER_EU:
        yield replace(base, waves_per_eu=waves), f"waves_per_eu {waves}"
    for core, (tile_m, tile_n) in FIRST_TILE.items():
        if core is not base.core and target.arch in CORE_ARCHS.get(core, {target.arch}):
            yield replace(base, core=core, tile_m=tile_m, tile_n=tile_n, split_k=1), f"core {core.value}"
