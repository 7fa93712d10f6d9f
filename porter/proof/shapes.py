# SPDX-License-Identifier: Apache-2.0
"""The shapes on which a kernel is proved: boundaries of what it serves, and every (N, K) that a manifest maps to it.

N and K are compiled in, so each (N, K) is code of its own and is compiled, checked and executed; M and the grid are run
time, so their classes are executed on a few (N, K). One axis moves at a time from a base shape, and the smallest values
meet in pairs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import TYPE_CHECKING

from porter.errors import InputError, ToolchainError
from porter.kernel_spec import KernelSpec
from porter.problem import TARGETS, GemmShape, ShapePattern
from porter.proof.raster import last_rows
from porter.runtime._serving import INT32_LIMIT, N_MULTIPLE, SCALE_BLOCK, refusals
from porter.select.legality import legality

if TYPE_CHECKING:
    from oracle.verify import Step, Window


class Depth(str, Enum):
    """How much is executed at one shape.

    recipe: every data set, landing and range rule; boundary: a few runs that differ in all of them; listed: one run
    with late landing, for code that only differs in its N and K; rows: the same for every number of rows that a tile
    may hold; far: on the last rows of a huge M; every_mode: `exact` data in every mode.
    """

    RECIPE = "recipe"
    BOUNDARY = "boundary"
    LISTED = "listed"
    ROWS = "rows"
    FAR = "far"
    EVERY_MODE = "every_mode"


PADDED = "padded"
#: Classes of shapes, in the order of reports, and what each stands for.
CLASSES = {
    Depth.RECIPE.value: "all data sets in all modes of the machine",
    "N": "N from the smallest to one step past a tile",
    "K": "K of 1 to 5 and of 32 scale blocks",
    "M": "one row, and M around a tile",
    "grid": "grids of 1, 7, 8, 9 and over 100 workgroups",
    "smallest": "the smallest M, N and K in pairs",
    Depth.ROWS.value: "every number of rows that a tile may hold",
    Depth.FAR.value: "the last rows of the largest M",
    Depth.LISTED.value: "every other (N, K) of the manifest, at its largest M",
    PADDED: "padded rows",
    Depth.BOUNDARY.value: "M at which a hand-written launcher launches otherwise",
    Depth.EVERY_MODE.value: "shapes of the manifest, exact data in all modes",
}


@dataclass(frozen=True, slots=True)
class Run:
    """Rows of A, and how much is executed on them; window: where that is the last of them only; axis: of a boundary."""

    m: int
    depth: Depth
    window: Window | None = None
    axis: str = ""


@dataclass(frozen=True, slots=True)
class Work:
    """One shape of B, so one compilation, and what is run on it; padding: bytes between rows of A and of B."""

    n: int
    k: int
    runs: tuple[Run, ...]
    padding: tuple[int, int] = (0, 0)

    @property
    def ms(self) -> tuple[int, ...]:
        return tuple(run.m for run in self.runs)

    @property
    def classes(self) -> dict[int, str]:
        """M -> the class of its shape, a key of CLASSES."""
        return {run.m: PADDED if any(self.padding) else run.axis or run.depth.value for run in self.runs}


#: Grids that remainders of the XCD raster divide differently; one of over 100 follows from `MANY_ROWS` rows of tiles.
GRIDS = (1, 7, 8, 9)
#: Rows of tiles of a large grid: no multiple of the raster's group, and with three columns more than 100 workgroups.
MANY_ROWS = 35
#: K blocks of the boundary: prologues and tails of all cores, and a K loop that turns often.
K_BLOCKS = (1, 2, 3, 4, 5, 32)


def recipe_nks(spec: KernelSpec) -> tuple[tuple[int, int], ...]:
    """Two shapes of B: whole tiles with an even K/128, and a partial last tile with an odd one; a block a K slice."""
    even, odd = max(6, spec.split_k + spec.split_k % 2), max(9, spec.split_k + 1 - spec.split_k % 2)
    return ((2 * spec.tile_n, even * SCALE_BLOCK), (2 * spec.tile_n + 48, odd * SCALE_BLOCK))


def recipe_ms(spec: KernelSpec) -> tuple[int, ...]:
    """One tile, two tiles, and five with a ragged last one (five: a whole group of the XCD raster and a rest)."""
    return (spec.tile_m, 2 * spec.tile_m, 5 * spec.tile_m - 13)


def quick(spec: KernelSpec, asked: Sequence[ShapePattern] = ()) -> tuple[Work, ...]:
    """The recipe alone: at the shapes that are asked for, where they leave something open at its own M and (N, K),
    which are legal for any kernel."""
    wanted = [
        (m, n, k)
        for pattern in asked or (ShapePattern(None, None),)
        for n, k in ([pattern.nk] if pattern.nk else recipe_nks(spec))
        for m in ([pattern.m] if pattern.m else recipe_ms(spec))
    ]
    return grouped(wanted, Depth.RECIPE)


def whole(spec: KernelSpec, listed: Iterable[tuple[int, int, int]]) -> tuple[Work, ...]:
    """The recipe, the boundary shapes that follow from what the kernel may serve, the last rows of the largest M, and
    the last rows of the largest M that is listed with each (N, K)."""
    recipe = [(GemmShape(m, work.n, work.k), Run(m, Depth.RECIPE)) for work in quick(spec) for m in work.ms]
    works = _works(spec, [*recipe, *_boundary(spec), *_rows(spec), *_listed(spec, listed)])
    place = recipe_nks(spec)[-1]
    return tuple(
        replace(work, runs=(*work.runs, far(spec, *place))) if (work.n, work.k) == place else work for work in works
    )


def unserved(spec: KernelSpec, listed: Iterable[tuple[int, int, int]]) -> str:
    """Why a kernel cannot serve a listed shape, or any shape at all; empty where it can."""
    target = TARGETS[spec.arch]
    asked = [GemmShape(*shape) for shape in listed] or [GemmShape(recipe_ms(spec)[0], *recipe_nks(spec)[0])]
    reasons = ((shape, legality(spec, shape, target)) for shape in asked)
    return next((f"it cannot serve {shape}: {found[0]}" for shape, found in reasons if found), "")


def demand_served(spec: KernelSpec, asked: Iterable[GemmShape]) -> None:
    """Raises InputError, with the refusal's code (CKS131 and on), for the first shape that the kernel cannot serve.

    Nothing is asked of the kernel itself: one that `legality` refuses may still be proved.
    """
    for shape in asked:
        for code, text, hint in refusals(spec.fields, shape.m, shape.n, shape.k):
            raise InputError(code, f"{spec.name} cannot serve {shape}: {text}", hint=hint)


def padded(spec: KernelSpec, listed: Iterable[tuple[int, int, int]], padding: tuple[int, int]) -> tuple[Work, ...]:
    """The recipe's shapes and every listed (N, K), with so many bytes between rows of A and of B; nothing for none.

    The code differs from that without padding in the strides alone.
    """
    if padding == (0, 0):
        return ()
    base = grouped([(m, n, k) for n, k in recipe_nks(spec) for m in (1, *recipe_ms(spec))], Depth.BOUNDARY)
    rows = grouped(((spec.tile_m, n, k) for n, k in sorted({(n, k) for _, n, k in listed})), Depth.LISTED)
    works = {(work.n, work.k): work for work in (*rows, *base)}
    return tuple(replace(work, padding=padding) for work in works.values())


def far(spec: KernelSpec, n: int, k: int) -> Run:
    """The last tile of rows, ragged, of the largest M that is legal, so that offsets into A, C and a workspace need
    more than 32 bits."""
    target = TARGETS[spec.arch]
    legal, illegal = 1, INT32_LIMIT + 1
    while illegal - legal > 1:
        middle = (legal + illegal) // 2
        if legality(spec, GemmShape(middle, n, k), target):
            illegal = middle
        else:
            legal = middle
    m = legal // spec.tile_m * spec.tile_m - 3
    step = max(spec.tile_m, spec.scale_block_m)
    return Run(m, Depth.FAR, last_rows(spec, m, n, m // step * step))


def grouped(shapes: Iterable[tuple[int, int, int]], depth: Depth) -> tuple[Work, ...]:
    """(M, N, K) as they are given, by (N, K), all at one depth."""
    by_b: dict[tuple[int, int], list[Run]] = {}
    for m, n, k in shapes:
        by_b.setdefault((n, k), []).append(Run(m, depth))
    return tuple(Work(n, k, tuple(runs)) for (n, k), runs in by_b.items())


def _boundary(spec: KernelSpec) -> Iterator[tuple[GemmShape, Run]]:
    base_n, base_k = recipe_nks(spec)[0]
    wide_n, odd_k = recipe_nks(spec)[1]
    tile_m, tile_n, step = spec.tile_m, spec.tile_n, N_MULTIPLE[spec.family.value]
    base_m = 2 * tile_m - 3
    least_k = spec.split_k * SCALE_BLOCK
    axes = {
        "N": [(base_m, n, base_k) for n in (step, 2 * step, 16, 32, 48, 64, tile_n - step, tile_n, tile_n + step)],
        "K": [(base_m, base_n, k) for k in (least_k, *(SCALE_BLOCK * blocks for blocks in K_BLOCKS))],
        "M": [(m, base_n, base_k) for m in (1, tile_m - 1, tile_m, tile_m + 1)],
        "grid": [*((grid * tile_m, tile_n, base_k) for grid in GRIDS), (MANY_ROWS * tile_m - 13, wide_n, odd_k)],
        "smallest": [(1, step, base_k), (1, base_n, least_k), (base_m, step, least_k), (1, step, least_k)],
    }
    for axis, shapes in axes.items():
        for shape in shapes:
            yield GemmShape(*shape), Run(shape[0], Depth.BOUNDARY, axis=axis)


def _rows(spec: KernelSpec) -> Iterator[tuple[GemmShape, Run]]:
    """Every number of rows that a tile may hold, at the smallest B."""
    n, k = N_MULTIPLE[spec.family.value], spec.split_k * SCALE_BLOCK
    for m in range(1, spec.tile_m + 1):
        yield GemmShape(m, n, k), Run(m, Depth.ROWS)


def _listed(spec: KernelSpec, listed: Iterable[tuple[int, int, int]]) -> Iterator[tuple[GemmShape, Run]]:
    """The largest M of each (N, K), and several tiles of rows where that is none: what is listed there may be padded or
    looked up for more. Of each the last tile of rows alone: what the others compute is the same code."""
    step = max(spec.tile_m, spec.scale_block_m)
    largest = {(n, k): m for m, n, k in sorted(listed)}
    for (n, k), most in sorted(largest.items()):
        for m in [most] if most > spec.tile_m else [most, 3 * spec.tile_m - 5]:
            first = (m - 1) // step * step
            yield GemmShape(m, n, k), Run(m, Depth.LISTED, last_rows(spec, m, n, first) if first else None)


def _works(spec: KernelSpec, shapes: Iterable[tuple[GemmShape, Run]]) -> tuple[Work, ...]:
    """Grouped by (N, K) in the order given; illegal shapes are left out, and the first run of an (M, N, K) wins."""
    target = TARGETS[spec.arch]
    grouped: dict[tuple[int, int], dict[int, Run]] = {}
    for shape, run in shapes:
        runs = grouped.get((shape.n, shape.k), {})
        # A listed M shows nothing new where the same code ran on the classes of M.
        classes = run.depth is Depth.LISTED and any(known.depth is not Depth.LISTED for known in runs.values())
        if legality(spec, shape, target) or classes:
            continue
        grouped.setdefault((shape.n, shape.k), runs).setdefault(shape.m, run)
    return tuple(Work(n, k, tuple(runs.values())) for (n, k), runs in grouped.items())


#: Rows of A up to which a launcher that nothing else is known of is asked what it launches.
_SCANNED = 4096
#: Rows of a tile where a launcher never launches more: a wrong one, or one that serves a few rows only.
_TILE = 128
#: Workgroups of a large grid.
_MANY = 101


def boundary_ms(steps: Callable[[int], Sequence[Step]]) -> tuple[int, ...]:
    """Rows of A at which what a launcher launches changes: a tile and its neighbours, a ragged fifth one, both sides of
    every M where other kernels are launched, and rows for more than 100 workgroups. steps: launches for M."""

    def launched(m: int) -> list[tuple[str, int]]:
        try:
            return [(step.kernel, math.prod(step.grid)) for step in steps(m)]
        except ToolchainError:
            return []  # the proof of this M says what is wrong with it

    rows = range(1, _SCANNED)
    seen = {m: launched(m) for m in range(1, _SCANNED + 1)}
    names = {m: [name for name, _ in seen[m]] for m in seen}
    tile = next((m for m in rows if seen[m] != seen[m + 1]), _TILE)
    found = {1, tile - 1, tile, tile + 1, max(1, 5 * tile - 13)} - {0}
    found |= {m + side for m in rows if names[m] != names[m + 1] for side in (0, 1)}
    # From the first row of tiles, not from what is launched for so many: that may be what is wrong.
    found.add(tile * -(-_MANY // max(1, sum(size for _, size in seen[1]))))
    return tuple(sorted(found))
