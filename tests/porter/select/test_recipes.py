# SPDX-License-Identifier: Apache-2.0
"""Recipes: the default of every regime, the candidates behind it, and the JSON."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porter.kernel_spec import Contract, Core, KernelSpec, ScaleLayout, Schedule
from porter.problem import TARGETS, Family, GemmShape
from porter.records import text
from porter.runtime._regimes import Regime, split_k
from porter.select import legality
from porter.select.recipes import choose
from porter.select.regimes import situation

GFX950 = TARGETS["gfx950"]
SHAPES = {
    Regime.WIDE_N: GemmShape(4096, 65536, 1536),
    Regime.K_LIGHT: GemmShape(16384, 7168, 768),
    Regime.NARROW_N_DEEP_K: GemmShape(4096, 2048, 7168),
    Regime.DECODE: GemmShape(16, 7168, 2304),
    Regime.GENERAL: GemmShape(8192, 7168, 2304),
}
sizes = st.integers(1, 1 << 20)
shapes = st.one_of(st.builds(GemmShape, sizes, sizes, sizes), st.sampled_from(list(SHAPES.values())))


def default(regime: Regime) -> str:
    spec = choose(SHAPES[regime], GFX950, Family.BPRESHUFFLE).spec
    return f"{spec.core.value}_{spec.tile_m}x{spec.tile_n}x{spec.tile_k}_{spec.schedule.value}_xcd{spec.xcds}"


def test_the_default_of_every_regime() -> None:
    assert {regime: default(regime) for regime in Regime} == {
        Regime.WIDE_N: "4w_64x256x128_cluster_xcd8",
        Regime.K_LIGHT: "4w_64x256x128_cluster_xcd0",
        Regime.NARROW_N_DEEP_K: "8w_128x256x128_cluster_xcd0",
        Regime.DECODE: "dec_16x128x128_cluster_xcd0",
        Regime.GENERAL: "4w_64x256x128_cluster_xcd0",
    }


@pytest.mark.parametrize("m, tile_m", [(1, 16), (16, 16), (17, 32), (32, 32), (33, 64), (64, 64)])
def test_decode_tiles_hold_the_rows(m: int, tile_m: int) -> None:
    candidates = choose(GemmShape(m, 7168, 2304), GFX950, Family.PLAIN).candidates
    assert {c.spec.tile_m for c in candidates if c.spec.core is Core.DECODE} == {tile_m}


@given(
    shapes,
    st.sampled_from(list(TARGETS.values())),
    st.sampled_from(Family),
    st.sampled_from([1, 128]),
    st.sampled_from(Contract),
    st.sampled_from(["bf16", "fp16"]),
)
def test_candidates_follow_the_request_and_their_names_parse_back(
    shape: GemmShape, target: object, family: Family, scale_block_m: int, contract: Contract, out_dtype: str
) -> None:
    recipe = choose(shape, target, family, scale_block_m=scale_block_m, contract=contract, out_dtype=out_dtype)
    layout = ScaleLayout.ROW_MAJOR if family is Family.PLAIN else ScaleLayout.K_MAJOR
    specs = [candidate.spec for candidate in recipe.candidates]
    assert recipe.spec == specs[0] and len(set(specs)) == len(specs) > 1
    for spec in specs:
        assert KernelSpec.parse(spec.name) == spec
        assert (spec.family, spec.scale_layout, spec.arch) == (family, layout, target.arch)
        assert (spec.scale_block_m, spec.contract, spec.out_dtype) == (scale_block_m, contract, out_dtype)
        assert spec.split_k == 1 or spec.core is Core.DECODE
        assert spec.xcds in (0, target.xcds)


@pytest.mark.parametrize("regime", Regime)
def test_every_candidate_of_a_tuned_shape_is_legal(regime: Regime) -> None:
    shape = SHAPES[regime]
    for family in Family:
        for candidate in choose(shape, GFX950, family).candidates:
            assert legality.legality(candidate.spec, shape, GFX950) == (), candidate.spec.name


@pytest.mark.parametrize("n", [1, 16, 32, 48, 64])
@pytest.mark.parametrize("m", [1, 64, 65, 4096, 1 << 20])
@pytest.mark.parametrize("k", [128, 1024, 4096, 7168])
def test_a_small_n_gets_no_wide_tile_first(m: int, n: int, k: int) -> None:
    for target in TARGETS.values():
        recipe = choose(GemmShape(m, n, k), target, Family.PLAIN)
        widths = [candidate.spec.tile_n for candidate in recipe.candidates]
        assert widths[0] <= 128 and recipe.spec.xcds == 0
        assert recipe.notes[0] == f"N {n} <= 64: tiles of 256 columns and remaps stand behind the others"
        # None is lost, and what stands behind is as legal as it was.
        wide = choose(GemmShape(m, 65, k), target, Family.PLAIN)
        assert wide.regime is not recipe.regime or set(wide.candidates) == set(recipe.candidates)
        assert 256 in widths or recipe.regime is Regime.WIDE_N
    assert not any("remaps stand" in note for note in choose(GemmShape(m, 65, k), GFX950, Family.PLAIN).notes)


def test_narrow_n_offers_every_schedule_of_the_8_wave_core() -> None:
    candidates = choose(SHAPES[Regime.NARROW_N_DEEP_K], GFX950, Family.PLAIN).candidates
    schedules = {c.spec.schedule for c in candidates if c.spec.core is Core.EIGHT_WAVE}
    assert {Schedule.CLUSTER, Schedule.SKEW} <= schedules


def test_gfx942_gets_its_own_instruction() -> None:
    assert choose(SHAPES[Regime.GENERAL], TARGETS["gfx942"], Family.PLAIN).spec.mfma == "16x16x32"


def test_kbatch_outside_decode_is_ported_as_one_slice_with_a_note() -> None:
    recipe = choose(SHAPES[Regime.GENERAL], GFX950, Family.PLAIN, kbatch=4)
    assert (
        recipe.spec.split_k == 1 and "KBatch 4 is ported with split_k 1" in recipe.notes[0] and len(recipe.notes) == 1
    )
    assert choose(SHAPES[Regime.GENERAL], GFX950, Family.PLAIN).notes == ()


@pytest.mark.parametrize("kbatch", [1, 2, 8])
def test_decode_takes_kbatch_from_the_row(kbatch: int) -> None:
    recipe = choose(SHAPES[Regime.DECODE], GFX950, Family.PLAIN, kbatch=kbatch)
    assert recipe.spec.split_k == kbatch
    assert bool(recipe.notes) == (kbatch > 1)


@pytest.mark.parametrize(
    ("shape", "slices"),
    [
        (GemmShape(16, 7168, 2304), 4),  # 56 workgroups, 18 blocks: 8 slices would keep 2 each
        (GemmShape(16, 512, 7168), 8),  # 4 workgroups, 56 blocks
        (GemmShape(16, 512, 512), 1),  # 4 blocks
        (GemmShape(16, 65536, 7168), 1),  # 512 workgroups are 2 on every CU already
        (GemmShape(16, 32768, 7168), 2),
    ],
)
def test_split_k_follows_k_work_and_workgroups(shape: GemmShape, slices: int) -> None:
    assert choose(shape, GFX950, Family.PLAIN).spec.split_k == slices
    assert split_k(situation(shape, GFX950), (16, 128)) == slices


def test_json_is_plain_data_with_every_verdict() -> None:
    recipe = choose(SHAPES[Regime.WIDE_N], GFX950, Family.BPRESHUFFLE)
    data = json.loads(text(recipe.output(())))
    assert data["regime"] == "wide_n" and data["recipe"]["name"] == recipe.spec.name
    assert data["recipe"]["tile"] == [64, 256, 128] and data["recipe"]["xcds"] == 8
    assert [a["name"] for a in data["alternatives"]] == [c.spec.name for c in recipe.candidates[1:]]
    assert [(r["rule"], r["holds"]) for r in data["reasons"]] == [
        ("decode", False),
        ("wide_n", True),
        ("k_light", False),
        ("narrow_n_deep_k", False),
        ("general", True),
    ]
    assert all(r["text"] and r["reason"] and all(r["sources"]) for r in data["reasons"])
    assert data["reasons"][1]["extrapolated"] and not data["reasons"][0]["extrapolated"]
    assert data["notes"] == []
