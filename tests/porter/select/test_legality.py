# SPDX-License-Identifier: Apache-2.0
"""Legality: each limit on both of its sides, and the numbers in its words."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porter.kernel_spec import Contract, Core, KernelSpec, ScaleLayout, Schedule
from porter.problem import TARGETS, Family, GemmShape
from porter.select import legality as rules
from porter.select.legality import legality

GFX950 = TARGETS["gfx950"]
SHAPE = GemmShape(4096, 2048, 7168)
FOUR_WAVE = KernelSpec(
    family=Family.BPRESHUFFLE,
    arch="gfx950",
    scale_block_m=1,
    core=Core.FOUR_WAVE,
    tile_m=64,
    tile_n=256,
    tile_k=128,
    mfma="16x16x128",
    schedule=Schedule.CLUSTER,
    waves_per_eu=2,
    xcds=8,
    split_k=1,
    scale_layout=ScaleLayout.K_MAJOR,
    out_dtype="bf16",
)
EIGHT_WAVE = replace(FOUR_WAVE, core=Core.EIGHT_WAVE, tile_m=128, xcds=0)
DECODE = replace(FOUR_WAVE, core=Core.DECODE, tile_m=16, tile_n=128, xcds=0)


def codes(spec: KernelSpec, shape: GemmShape = SHAPE, arch: str = "gfx950") -> list[str]:
    return [reason.code for reason in legality(spec, shape, TARGETS[arch])]


def only(spec: KernelSpec, shape: GemmShape = SHAPE) -> str:
    """The text of the single reason."""
    (reason,) = legality(spec, shape, GFX950)
    return str(reason)


@pytest.mark.parametrize("spec", [FOUR_WAVE, EIGHT_WAVE, DECODE], ids=lambda spec: spec.core.value)
@pytest.mark.parametrize("contract", Contract)
@pytest.mark.parametrize("out_dtype", ["bf16", "fp16"])
def test_the_tuned_geometries_are_legal(spec: KernelSpec, contract: Contract, out_dtype: str) -> None:
    assert codes(replace(spec, contract=contract, out_dtype=out_dtype)) == []


def test_only_the_decode_core_splits_k() -> None:
    assert only(replace(FOUR_WAVE, split_k=4)).startswith("split_k 4: the 4w core does not split K")


def test_gfx942_has_the_4_wave_and_decode_cores() -> None:
    for spec in (FOUR_WAVE, DECODE, replace(DECODE, split_k=4)):
        assert codes(replace(spec, arch="gfx942", mfma="16x16x32"), arch="gfx942") == []
    reasons = legality(replace(EIGHT_WAVE, arch="gfx942", mfma="16x16x32"), SHAPE, TARGETS["gfx942"])
    assert str(reasons[0]) == "the 8w core is not built for gfx942; built: gfx950 [CKS102]"


def test_what_does_not_fit_together() -> None:
    assert only(replace(FOUR_WAVE, arch="gfx942")) == "the kernel is for gfx942, the target is gfx950 [CKS104]"
    for family, wrong in ((Family.PLAIN, ScaleLayout.K_MAJOR), (Family.BPRESHUFFLE, ScaleLayout.ROW_MAJOR)):
        assert codes(replace(FOUR_WAVE, family=family, scale_layout=wrong)) == ["CKS105"]
    assert codes(replace(FOUR_WAVE, family=Family.PLAIN, scale_layout=ScaleLayout.ROW_MAJOR)) == []
    assert only(replace(FOUR_WAVE, out_dtype="fp32")) == "output fp32 is not one of bf16, fp16 [CKS106]"
    assert codes(replace(FOUR_WAVE, xcds=0)) == []
    assert only(replace(FOUR_WAVE, xcds=4)) == "a raster over 4 dies; gfx950 has 8, 0 is no remap [CKS107]"
    assert "ScaleBlockM 64 is neither 1 nor 128" in only(replace(FOUR_WAVE, scale_block_m=64))
    assert "ScaleBlockM 0 is neither 1 nor 128" in only(replace(FOUR_WAVE, scale_block_m=0))
    assert codes(replace(FOUR_WAVE, scale_block_m=128)) == []
    turned = replace(EIGHT_WAVE, tile_m=256, tile_n=128)
    assert codes(turned) == codes(replace(turned, scale_block_m=128)) == []
    assert only(replace(FOUR_WAVE, tile_m=96, tile_n=128, scale_block_m=128)) == (
        "tile M 96 does not divide ScaleBlockM 128: a wave needs one x_scale [CKS108]"
    )


@pytest.mark.parametrize("mfma", ["32x32x64", "16x16x32", "1x1x1"])
def test_another_mfma(mfma: str) -> None:
    assert only(replace(FOUR_WAVE, mfma=mfma)).startswith(f"MFMA {mfma} is not the 16x16x128 that gfx950")


def test_tiles_of_the_side_by_side_cores() -> None:
    for tile_m, tile_n in ((32, 64), (32, 128), (32, 256), (32, 512), (64, 64), (64, 128), (128, 128)):
        assert codes(replace(FOUR_WAVE, tile_m=tile_m, tile_n=tile_n)) == [], (tile_m, tile_n)
    for tile_m in (16, 32, 64):
        assert codes(replace(DECODE, tile_m=tile_m)) == []
    for core in (FOUR_WAVE, DECODE):
        assert "tile M 72 is not a positive multiple of 16" in legality(replace(core, tile_m=72), SHAPE, GFX950)[0].text
        assert "CKS111" in codes(replace(core, tile_m=0)) and "CKS111" in codes(replace(core, tile_n=0))
    assert codes(replace(FOUR_WAVE, tile_n=96), GemmShape(64, 96 * 64, 7168)) == ["CKS111", "CKS113"]
    assert only(replace(FOUR_WAVE, tile_n=192), GemmShape(64, 192 * 64, 7168)) == (
        "48 columns a wave do not divide 128: a wave needs one w_scale [CKS113]"
    )


def test_a_tile_of_a_that_is_not_whole_dma_steps_takes_more_lds() -> None:
    for tile_m, rows in ((16, 32), (48, 64), (64, 64)):
        spec = replace(FOUR_WAVE, tile_m=tile_m)
        for tile_k in (128, 256):
            lds = 2 * rows * tile_k
            assert legality(replace(spec, tile_k=tile_k), SHAPE, replace(GFX950, lds_bytes=lds)) == ()
            (reason,) = legality(replace(spec, tile_k=tile_k), SHAPE, replace(GFX950, lds_bytes=lds - 1))
            assert reason.text.startswith(f"2 buffers of {rows} rows x {tile_k} bytes are {lds} bytes of LDS, ")


def test_tiles_of_the_8_wave_core() -> None:
    # 256x256 and 192x256, which spill (docs/notes/flydsl.md#registers-and-spills), are over the accumulator limit too.
    assert codes(replace(EIGHT_WAVE, tile_m=256)) == ["CKS111", "CKS122"]
    assert codes(replace(EIGHT_WAVE, tile_m=192)) == ["CKS111", "CKS122"]
    assert only(replace(EIGHT_WAVE, tile_m=64)) == "tile 64x256 is not one of the 8w core's 128x256, 256x128 [CKS111]"


@pytest.mark.parametrize("tile_k", [0, 64, 256])
def test_tile_k_is_one_scale_block(tile_k: int) -> None:
    for spec in (EIGHT_WAVE, DECODE):
        reason = legality(replace(spec, tile_k=tile_k), SHAPE, GFX950)[0]
        assert str(reason) == f"tile K {tile_k} is not 128, one scale block [CKS112]"


@pytest.mark.parametrize("tile_k", [0, 64, 384, 512])
def test_tile_k_of_the_4_wave_core_is_one_or_two_scale_blocks(tile_k: int) -> None:
    assert only(replace(FOUR_WAVE, tile_k=tile_k)) == (
        f"tile K {tile_k} is neither 128 nor 256, one or two scale blocks [CKS112]"
    )
    for blocks in (1, 2, 3, 6, 7):
        assert codes(replace(FOUR_WAVE, tile_k=256), GemmShape(64, 256, 128 * blocks)) == []


def test_registers_of_a_256_wide_tile_where_a_passes_through_them() -> None:
    wide = replace(FOUR_WAVE, arch="gfx942", mfma="16x16x32", tile_k=256)
    (reason,) = legality(wide, SHAPE, TARGETS["gfx942"])
    assert str(reason) == (
        "tile K 256 of 64x256 holds 144 VGPRs of accumulators, of B for two blocks and of A on its way to LDS, more "
        "than 128 at a budget of 256: it would spill [CKS125]"
    )
    # As compiled: 48x256 and 128x128 fit, one wave of 512 registers holds the full tile, three waves 64x128.
    for tile_m, tile_n, waves in ((48, 256, 2), (128, 128, 2), (64, 256, 1), (64, 128, 3)):
        assert codes(replace(wide, tile_m=tile_m, tile_n=tile_n, waves_per_eu=waves), arch="gfx942") == []
    assert codes(replace(wide, tile_m=32, waves_per_eu=3), arch="gfx942") == ["CKS125"]
    inline = replace(wide, schedule=Schedule.INLINE, tile_n=128)
    assert codes(replace(inline, tile_m=96), arch="gfx942") == []
    assert codes(replace(inline, tile_m=112), arch="gfx942") == ["CKS125"]


def test_accumulator_registers() -> None:
    assert only(replace(FOUR_WAVE, tile_m=128)) == (
        "128x256 over 256 work-items is 128 accumulator VGPRs a wave, more than 64 at a budget of 256: "
        "it would spill [CKS122]"
    )
    # docs/notes/flydsl.md#registers-and-spills: one wave of 512 registers holds 128, three waves spill at 64.
    assert codes(replace(FOUR_WAVE, tile_m=128, waves_per_eu=1)) == []
    assert codes(replace(FOUR_WAVE, waves_per_eu=3)) == ["CKS122"]
    assert codes(replace(FOUR_WAVE, tile_n=128, waves_per_eu=3)) == []
    # Eight waves are two on every SIMD, so asking for one gives no more registers.
    assert codes(replace(EIGHT_WAVE, waves_per_eu=1)) == []
    assert "CKS122" in codes(replace(EIGHT_WAVE, tile_m=256, waves_per_eu=1))


def test_inline_promotes_beside_chained_mfmas() -> None:
    inline = replace(FOUR_WAVE, arch="gfx942", mfma="16x16x32", schedule=Schedule.INLINE)
    (reason,) = legality(inline, SHAPE, TARGETS["gfx942"])
    assert reason.code == "CKS124" and reason.hint == "schedule cluster or skew"
    assert reason.text.startswith("64 accumulator VGPRs a wave are a quarter of the budget of 256: ")
    # As compiled: what has fewer accumulators, more registers, one x_scale a tile, another order or one MFMA a block.
    for other in (
        replace(inline, tile_m=96, tile_n=128),
        replace(inline, waves_per_eu=1),
        replace(inline, tile_n=128, waves_per_eu=3),
        replace(inline, scale_block_m=128),
        replace(inline, schedule=Schedule.CLUSTER),
        replace(inline, schedule=Schedule.SKEW),
    ):
        assert codes(other, arch="gfx942") == [], other.name
    assert codes(replace(inline, tile_n=128, waves_per_eu=4), arch="gfx942") == ["CKS124"]
    assert codes(replace(FOUR_WAVE, schedule=Schedule.INLINE)) == []


@pytest.mark.parametrize("waves_per_eu", [0, 9])
def test_waves_per_eu(waves_per_eu: int) -> None:
    assert only(replace(FOUR_WAVE, waves_per_eu=waves_per_eu)) == (
        f"waves_per_eu {waves_per_eu} is not within 1..8 [CKS121]"
    )


def test_lds() -> None:
    small = replace(GFX950, lds_bytes=2 * (128 + 256) * 128)
    assert legality(EIGHT_WAVE, SHAPE, small) == ()
    (reason,) = legality(EIGHT_WAVE, SHAPE, replace(small, lds_bytes=98303))
    assert (
        str(reason)
        == "2 buffers of 384 rows x 128 bytes are 98304 bytes of LDS, more than the 98303 of gfx950 [CKS123]"
    )
    assert legality(DECODE, SHAPE, replace(GFX950, lds_bytes=0)) == ()
    assert legality(FOUR_WAVE, SHAPE, replace(GFX950, lds_bytes=2 * 64 * 128)) == ()
    assert [r.code for r in legality(FOUR_WAVE, SHAPE, replace(GFX950, lds_bytes=2 * 64 * 128 - 1))] == ["CKS123"]


def test_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rules, "MAX_THREADS", 256)
    assert codes(FOUR_WAVE) == []
    assert only(EIGHT_WAVE) == "512 work-items a workgroup, more than 256 [CKS120]"


@pytest.mark.parametrize("shape", [GemmShape(0, 256, 1024), GemmShape(1, 0, 1024), GemmShape(1, 256, -128)])
def test_sizes_are_positive(shape: GemmShape) -> None:
    assert codes(FOUR_WAVE, shape) == ["CKS130"]
    assert codes(FOUR_WAVE, GemmShape(0, 0, 0)) == ["CKS130"] * 3


def test_any_positive_m() -> None:
    for m in (1, 63, 64, 65, 4097):
        assert codes(FOUR_WAVE, GemmShape(m, 2048, 7168)) == []


@pytest.mark.parametrize("spec", [FOUR_WAVE, EIGHT_WAVE, DECODE], ids=lambda spec: spec.core.value)
def test_any_number_of_k_blocks(spec: KernelSpec) -> None:
    for blocks in (1, 2, 3, 5, 6, 57):
        assert codes(spec, GemmShape(64, 256, 128 * blocks)) == []
    (reason,) = legality(spec, GemmShape(64, 256, 7168 + 64), GFX950)
    assert reason.text == "K 7232 is not a multiple of 128, the scale block"
    assert reason.hint == "pad A and B with zeros to K 7296"


def test_slices_have_blocks() -> None:
    assert codes(replace(DECODE, split_k=4), GemmShape(16, 256, 512)) == []
    assert only(replace(DECODE, split_k=4), GemmShape(16, 256, 384)) == (
        "split_k 4 is more than the 3 blocks of 128 in K [CKS132]"
    )


def test_partial_n_tiles() -> None:
    plain = replace(FOUR_WAVE, family=Family.PLAIN, scale_layout=ScaleLayout.ROW_MAJOR)
    for n in (4, 100, 264, 2112):
        assert codes(plain, GemmShape(64, n, 1024)) == []
    assert codes(FOUR_WAVE, GemmShape(64, 2112, 1024)) == []
    (reason,) = legality(FOUR_WAVE, GemmShape(64, 264, 1024), GFX950)
    assert str(reason) == "N 264 is not a multiple of 16, which the bpreshuffle family needs [CKS134]"
    assert reason.hint == "pad B with zero rows to N 272 and drop the columns"
    assert only(plain, GemmShape(64, 262, 1024)).startswith("N 262 is not a multiple of 4")


@pytest.mark.parametrize(
    "inside, outside, what",
    [
        ((1, 256, (1 << 23) - 256), (1, 256, 1 << 23), "a tile of B, 256 rows x 8388608 bytes, is 2147483648 bytes"),
        (
            (1, (1 << 24) - 256, 768),
            (1, 1 << 24, 768),
            "a tile of the result, 64 rows x 33554432 bytes, is 2147483648 bytes",
        ),
        ((89478485, 256, 768), (89478486, 256, 768), "x_scale, 89478486 x 6 x 4 bytes, is 2147483664 bytes"),
    ],
)
def test_addresses(inside: tuple[int, int, int], outside: tuple[int, int, int], what: str) -> None:
    assert codes(FOUR_WAVE, GemmShape(*inside)) == []
    reason = legality(FOUR_WAVE, GemmShape(*outside), GFX950)[0]
    assert reason.code == "CKS140" and reason.text.startswith(what)


def test_a_tile_of_a_and_w_scale_are_addresses_too() -> None:
    assert any("a tile of A" in r.text for r in legality(FOUR_WAVE, GemmShape(1, 256, 1 << 25), GFX950))
    assert any("w_scale" in r.text for r in legality(FOUR_WAVE, GemmShape(1, 1 << 22, 1 << 21), GFX950))


def test_operands_over_4_gib_are_legal() -> None:
    assert codes(FOUR_WAVE, GemmShape(1 << 20, 1 << 16, 8192)) == []


def test_m_fits_its_argument_even_rounded_up_to_tiles() -> None:
    tall = replace(DECODE, scale_block_m=128, tile_m=128, tile_n=64, waves_per_eu=1)
    most = (1 << 31) - 128
    reasons = [str(reason) for reason in legality(tall, GemmShape(most + 1, 64, 128), GFX950)]
    assert f"M {most + 1} does not fit the kernel's i32 argument, {most} at most [CKS141]" in reasons
    assert "CKS141" not in codes(tall, GemmShape(most, 64, 128))


@pytest.mark.parametrize(
    "spec, n, most, what",
    [
        (FOUR_WAVE, 64, ((1 << 24) - 1) * 64, "a launch of 16777216 workgroups x 256 work-items"),
        (replace(DECODE, split_k=4), 1024, ((1 << 19) - 1) * 16, "a launch of 16777216 workgroups x 256 work-items"),
        (replace(DECODE, split_k=4), 64, (1 << 24) - 1, "the second pass of 16777216 workgroups x 256 work-items"),
    ],
)
def test_a_launch_has_fewer_work_items_than_hip_can_count(spec: KernelSpec, n: int, most: int, what: str) -> None:
    coarse, k = replace(spec, scale_block_m=128), 128 * spec.split_k
    assert codes(coarse, GemmShape(most, n, k)) == []
    reason = legality(coarse, GemmShape(most + 1, n, k), GFX950)[0]
    assert reason.code == "CKS142" and reason.text.startswith(what)


small = st.integers(-1, 300)


@given(
    st.sampled_from(Core), small, small, small, st.integers(-1, 9), st.integers(-1, 9), st.sampled_from([0, 1, 2, 128])
)
def test_any_spec_gets_an_answer(
    core: Core, tile_m: int, tile_n: int, tile_k: int, waves_per_eu: int, xcds: int, scale_block_m: int
) -> None:
    spec = replace(
        FOUR_WAVE,
        core=core,
        tile_m=tile_m,
        tile_n=tile_n,
        tile_k=tile_k,
        waves_per_eu=waves_per_eu,
        xcds=xcds,
        scale_block_m=scale_block_m,
    )
    for reason in legality(spec, SHAPE, GFX950):
        assert reason.code.startswith("CKS1") and any(character.isdigit() for character in reason.text)
