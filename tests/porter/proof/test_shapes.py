# SPDX-License-Identifier: Apache-2.0
"""The shapes of a proof follow from what a kernel may serve."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from porter.errors import InputError
from porter.kernel_spec import KernelSpec
from porter.problem import TARGETS, GemmShape, ShapePattern
from porter.proof.plan import Request, plan
from porter.proof.shapes import Depth, quick, whole
from porter.runtime._serving import N_MULTIPLE
from porter.select.legality import legality
from tests.porter.kernels import written
from tests.porter.manifests import manifest_of
from tests.porter.specs import DECODE, EIGHT_WAVE, FOUR_WAVE, VARIED


def every(spec: KernelSpec) -> set[tuple[int, int, int]]:
    return {(m, work.n, work.k) for work in whole(spec, ()) for m in work.ms}


@pytest.mark.parametrize("spec", VARIED, ids=lambda spec: spec.name)
def test_the_boundaries_of_every_axis_are_there_and_legal(spec: KernelSpec) -> None:
    shapes = every(spec)
    target = TARGETS[spec.arch]
    assert not [shape for shape in shapes if legality(spec, GemmShape(*shape), target)]
    step = N_MULTIPLE[spec.family.value]
    wanted_n = {step, 2 * step, 16, 32, 48, 64, spec.tile_n - step, spec.tile_n, spec.tile_n + step}
    assert {n for n in wanted_n if n % step == 0} <= {n for _, n, _ in shapes}
    wanted_k = {128 * blocks for blocks in (1, 2, 3, 4, 5, 32) if blocks >= spec.split_k}
    assert wanted_k <= {k for _, _, k in shapes}
    assert min(k for _, _, k in shapes) == 128 * spec.split_k
    tile_m = spec.tile_m
    assert {1, tile_m - 1, tile_m, tile_m + 1} <= {m for m, _, _ in shapes}
    assert any(m > tile_m and m % tile_m for m, _, _ in shapes)
    tiles = {GemmShape(*shape).tiles(spec.tile_m, spec.tile_n) for shape in shapes}
    assert {1, 7, 8, 9} <= tiles and max(tiles) > 100
    least_n, least_k = min(n for _, n, _ in shapes), 128 * spec.split_k
    for pair in ((1, least_n, None), (1, None, least_k), (None, least_n, least_k)):
        assert any(all(w in (None, s) for w, s in zip(pair, shape, strict=True)) for shape in shapes), pair


def test_every_listed_shape_is_run_at_its_last_rows_and_costs_no_second_compilation() -> None:
    tile_m, tile_n = EIGHT_WAVE.tile_m, EIGHT_WAVE.tile_n
    listed = [(4096, 640, 512), (7, 640, 512), (4096, 640, 512), (300, 2 * tile_n, 768), (5, 704, 512)]
    works = whole(EIGHT_WAVE, listed)
    assert len({(work.n, work.k) for work in works}) == len(works)
    runs = {(work.n, work.k): work.runs for work in works}
    (only,) = runs[640, 512]
    assert (only.m, only.depth) == (4096, Depth.LISTED) and only.window is not None
    assert only.window.first == 4096 - tile_m and len(only.window.workgroups[0]) == 3
    # Of fewer rows than a tile all, and then several tiles.
    few, more = runs[704, 512]
    assert (few.m, few.window, more.m > 2 * tile_m) == (5, None, True)
    assert more.window is not None and more.window.first == 2 * tile_m
    recipe, *_ = works
    assert (recipe.n, recipe.k) == (512, 768) and recipe.runs[0].depth is Depth.RECIPE
    assert Depth.LISTED not in {run.depth for run in recipe.runs}


def test_every_number_of_rows_of_a_tile_is_run_at_the_smallest_b() -> None:
    for spec in (DECODE, FOUR_WAVE):
        (work,) = [work for work in whole(spec, ()) if any(run.depth is Depth.ROWS for run in work.runs)]
        assert (work.n, work.k) == (N_MULTIPLE[spec.family], 128)
        assert set(range(1, spec.tile_m + 1)) <= set(work.ms)


def mapping(folder: Path, *shapes: tuple[int, int, int], spec: KernelSpec = DECODE) -> Path:
    """A folder's manifest that maps shapes to a kernel, whose module is beside it."""
    written(spec, folder)
    path = folder / "manifest.json"
    path.write_text(manifest_of({spec: shapes}))
    return path


def test_a_listed_shape_that_cannot_be_served_is_an_error_and_so_is_a_kernel_that_serves_nothing(
    tmp_path: Path,
) -> None:
    with pytest.raises(InputError, match=r"cannot serve 8x641x512: N 641 is not a multiple of 4.* \[CKV070\]"):
        plan(Request((), mapping(tmp_path, (8, 640, 512), (8, 641, 512))))
    with pytest.raises(InputError, match=r"cannot serve 64x512x768: .*accumulator.*CKV070"):
        plan(Request((), mapping(tmp_path, spec=replace(FOUR_WAVE, waves_per_eu=8))))


def test_shapes_belong_to_the_module_wherever_it_lies(tmp_path: Path) -> None:
    folder, elsewhere = tmp_path / "kernels", tmp_path / "elsewhere"
    folder.mkdir()
    elsewhere.mkdir()
    manifest = mapping(folder, (8, 640, 512))
    module = folder / f"{DECODE.name}.py"
    module.rename(elsewhere / module.name)
    module.symlink_to(elsewhere / module.name)
    for kernels in ((), (DECODE.name,), (str(module),)):
        jobs = plan(Request(kernels, manifest)).jobs
        assert (640, 512) in {(job.work.n, job.work.k) for job in jobs}


def test_quick_is_the_recipe_alone() -> None:
    works = quick(FOUR_WAVE)
    assert len(works) == 2 and {run.depth for work in works for run in work.runs} == {Depth.RECIPE}


@pytest.mark.parametrize("slices", [1, 2, 3, 7, 8, 16])
def test_the_recipe_is_legal_whatever_the_slices(slices: int) -> None:
    spec = replace(DECODE, split_k=slices)
    shapes = [GemmShape(m, work.n, work.k) for work in quick(spec) for m in work.ms]
    assert len(shapes) == 6 and not [shape for shape in shapes if legality(spec, shape, TARGETS[spec.arch])]
    even, odd = (work.k // 128 for work in quick(spec))
    assert (even % 2, odd % 2) == (0, 1) and {Depth.RECIPE} == {run.depth for work in quick(spec) for run in work.runs}


def test_verify_runs_the_recipe_at_the_shapes_that_are_asked_for(tmp_path: Path) -> None:
    module = str(written(DECODE, tmp_path))
    for options, shapes in (
        ({"quick": True}, {(work.n, work.k): work.ms for work in quick(DECODE)}),
        ({"shapes": (ShapePattern.parse("7x-x-"),)}, {(work.n, work.k): (7,) for work in quick(DECODE)}),
        ({"shapes": (ShapePattern.parse("7x64x256"),)}, {(64, 256): (7,)}),
    ):
        jobs = plan(Request((module,), tmp_path / "manifest.json", **options)).jobs  # type: ignore[arg-type]
        assert {(job.work.n, job.work.k): job.work.ms for job in jobs} == shapes


def test_a_split_kernel_starts_at_one_block_a_slice() -> None:
    assert min(work.k for work in whole(replace(DECODE, split_k=3), ())) == 384
