# SPDX-License-Identifier: Apache-2.0
"""Sizes and K loops of the cores: every scale block is multiplied once, and what is loaded ahead is there."""

from __future__ import annotations

from dataclasses import replace

import pytest

from porter.blocks import _eight_wave
from porter.blocks._decode import Stages
from porter.blocks._eight_wave import KPairs
from porter.blocks._four_wave import KTiles
from porter.blocks._split_k import SplitK
from porter.blocks._variant import Variant
from porter.kernel_spec import Core, KernelSpec
from tests.porter.blocks.geometries import geometry
from tests.porter.specs import DECODE, EIGHT_WAVE, FOUR_WAVE, FOUR_WAVE_PLAIN, FOUR_WAVE_WIDE_K, VARIED

BLOCKS = range(1, 20)
FOUR_WAVE_PLAIN_942 = replace(FOUR_WAVE_PLAIN, arch="gfx942", mfma="16x16x32")
DROPPED = Variant(fault="dropped-block")


@pytest.mark.parametrize("spec", VARIED, ids=lambda spec: spec.name)
def test_waves_cover_the_tile(spec: KernelSpec) -> None:
    g = geometry(spec, 3 * spec.tile_n + 16, 768)
    assert (g.waves // g.waves_n * g.wave_m, g.waves_n * g.wave_n) == (spec.tile_m, spec.tile_n)
    assert (g.m_tiles * 16, g.n_tiles * 16) == (g.wave_m, g.wave_n)
    assert g.waves == {Core.EIGHT_WAVE: 8}.get(spec.core, 4) and (g.wave_m == 64 or spec.core is not Core.EIGHT_WAVE)
    assert g.chunk * g.parts == 32 and g.grid_n == 4 and g.ragged


@pytest.mark.parametrize("tile", [(16, 128), (32, 128), (64, 128), (16, 64)])
def test_decode_loads_each_block_once_before_it_is_multiplied(tile: tuple[int, int]) -> None:
    spec = replace(DECODE, tile_m=tile[0], tile_n=tile[1])
    for count in BLOCKS:
        run = Stages(geometry(spec, 128, 128 * count), count)
        assert 2 <= run.depth <= 4 and run.depth * 8 * (tile[0] // 16 + tile[1] // 64) <= 96
        loaded, multiplied = list(range(run.ahead)), []
        for done in range(0, run.looped, run.depth):
            multiplied += [done + i for i in range(run.ahead)]
            loaded += [done + i + run.depth for i in range(run.ahead)]
        for i in run.tail:
            multiplied.append(i)
            loaded += [i + run.depth] * (i + run.depth < run.count)
        assert multiplied == sorted(loaded) == list(range(count))
        assert len(Stages(geometry(spec, 128, 128 * count, DROPPED), count).tail) == len(run.tail) - 1


@pytest.mark.parametrize("tile", [(16, 128), (32, 128), (64, 128)])
def test_runs_of_decode_cover_the_blocks(tile: tuple[int, int]) -> None:
    spec = replace(DECODE, tile_m=tile[0], tile_n=tile[1])
    for count in BLOCKS:
        run = Stages(geometry(spec, 128, 128 * count), count)
        starts = range(0, count, run.depth)
        assert [(start, run.run_of(start)) for start in starts] == [(s, min(run.depth, count - s)) for s in starts]
        assert all(run.run_of(block) == run.run_of(block - block % run.depth) for block in range(count))


@pytest.mark.parametrize(
    ("spec", "staged"),
    [
        (FOUR_WAVE, False),  # K-major
        (FOUR_WAVE_PLAIN, True),
        (replace(FOUR_WAVE_PLAIN, scale_block_m=128), False),  # a scalar
        (replace(FOUR_WAVE_PLAIN, tile_m=128, tile_n=128), True),
        (replace(FOUR_WAVE_PLAIN, tile_m=256, tile_n=64), False),  # more rows than lanes for two blocks
        (FOUR_WAVE_PLAIN_942, True),
        (replace(FOUR_WAVE_PLAIN_942, tile_m=128, tile_n=128), False),  # no room beside two workgroups
        (replace(FOUR_WAVE_PLAIN_942, tile_m=32, tile_n=64), False),
    ],
    ids=lambda value: value.name if isinstance(value, KernelSpec) else "",
)
def test_which_x_scales_go_through_lds(spec: KernelSpec, staged: bool) -> None:
    assert geometry(spec, 512, 1024).staged_scales == staged
    assert not geometry(spec, 512, 1024, Variant(promote="chained")).staged_scales


def test_decode_takes_the_number_of_stages_of_its_variant() -> None:
    assert Stages(geometry(DECODE, 128, 4096, Variant(stages=7)), 32).depth == 7


@pytest.mark.parametrize("spec", [FOUR_WAVE, FOUR_WAVE_WIDE_K], ids=lambda spec: f"K {spec.tile_k}")
def test_4_wave_tiles_follow_each_other(spec: KernelSpec) -> None:
    size = spec.tile_k // 128
    for blocks in BLOCKS:
        run = KTiles(geometry(spec, 256, 128 * blocks))
        looped = [(kb // size % 2, kb, size, size) for kb in range(0, run.looped, size)]
        tiles = [*looped, *run.tail]
        assert [kb + i for _, kb, here, _ in tiles for i in range(here)] == list(range(blocks))
        assert [buffer for buffer, *_ in tiles] == [i % 2 for i in range(len(tiles))]
        assert [ahead for *_, ahead in tiles] == [*(here for _, _, here, _ in tiles[1:]), 0]
        dropped = [tile[1:3] for tile in KTiles(geometry(spec, 256, 128 * blocks, DROPPED)).tail]
        assert sum(here for _, here in dropped) == sum(here for _, _, here, _ in run.tail) - 1


def test_8_wave_blocks_know_the_two_that_follow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_eight_wave.fx, "Int32", int)
    for blocks in BLOCKS:
        run = KPairs(geometry(EIGHT_WAVE, 256, 128 * blocks))
        assert run.looped % 2 == 0 and run.looped + len(run.tail) == blocks and run.looped + 2 <= max(2, blocks)
        known = [kb if kb < blocks else None for kb in range(run.looped, blocks + 3)]
        assert run.tail == [(kb % 2, *known[at + 1 : at + 3]) for at, kb in enumerate(range(run.looped, blocks))]


def test_slices_share_the_blocks() -> None:
    for blocks in BLOCKS:
        for slices in range(2, blocks + 1):
            split = SplitK(geometry(replace(DECODE, split_k=slices), 128, 128 * blocks))
            assert split.count * slices + split.extra == blocks and split.count and split.extra < slices
