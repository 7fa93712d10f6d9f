# SPDX-License-Identifier: Apache-2.0
"""The name grammars: what each name means, that it spells itself back, and what is said of a wrong one."""

from __future__ import annotations

import re

import ck_samples as samples
import pytest
from hypothesis import given
from hypothesis import strategies as st

from porter.ck_parser import CkTileInstance, Scheduler, XdlInstance, parse_kernel_name
from porter.ck_parser.names import MAX_NAME_CHARS, grammars
from porter.errors import KernelNameError, PorterError
from porter.problem import Family


@pytest.mark.parametrize("name", samples.ROUND_TRIPS)
def test_a_name_spells_itself_back(name: str) -> None:
    assert parse_kernel_name(name).name == name


@pytest.mark.parametrize("name", samples.ROUND_TRIPS)
def test_exactly_one_grammar_recognises_a_name(name: str) -> None:
    assert sum(grammar.recognises(name) for grammar in grammars()) == 1


def test_every_grammar_has_a_sample() -> None:
    unused = [grammar.text for grammar in grammars() if not any(map(grammar.recognises, samples.ROUND_TRIPS))]
    assert unused == []


def test_plain_name() -> None:
    assert parse_kernel_name(samples.PLAIN) == XdlInstance(
        family=Family.PLAIN,
        scale_block_mnk=(1, 128, 128),
        block_size=256,
        tile_mnk=(64, 256, 128),
        ak1=16,
        bk1=16,
        xdl_mn=(32, 32),
        xdl_per_wave_mn=(2, 2),
        a_block_transfer=(8, 32, 1),
        b_block_transfer=(8, 32, 1),
        c_block_transfer=(1, 32, 1, 8),
        c_block_spv=8,
        cshuffle_xdl_per_wave_mn=(1, 1),
        pipeline_sched=Scheduler.INTRAWAVE,
        pipeline_version=1,
    )


def test_plain_name_without_wave_map_is_the_same_instance() -> None:
    old = parse_kernel_name(samples.PLAIN_OLD)
    assert old == parse_kernel_name(samples.PLAIN)
    assert isinstance(old, XdlInstance) and old.wave_map_assumed
    assert old.name == samples.PLAIN


def test_bpreshuffle_name_gets_one_row_of_four_waves() -> None:
    instance = parse_kernel_name(samples.BPRESHUFFLE)
    assert isinstance(instance, XdlInstance)
    assert instance.family is Family.BPRESHUFFLE
    assert (instance.waves_mn, instance.xdl_per_wave_mn, instance.wave_map_assumed) == ((1, 4), (4, 4), True)


def test_cktile_name() -> None:
    assert parse_kernel_name(samples.CKTILE_EIGHT_WAVES) == CkTileInstance(
        tile_mnk=(192, 256, 128),
        warp_mnk=(4, 2, 1),
        warp_tile_mnk=(16, 16, 128),
        scheduler=Scheduler.INTRAWAVE,
        tiled_mma_permute_n=False,
        transpose_c=True,
        use_persistent_kernel=False,
        block_per_cu=3,
        aq_row_major=True,
    )


def test_cktile_name_of_2025_has_a_fourth_flag() -> None:
    instance = parse_kernel_name(samples.CKTILE_2025)
    assert isinstance(instance, CkTileInstance)
    assert (instance.transpose_c, instance.double_smem_buffer, instance.use_persistent_kernel) == (False, True, False)


@pytest.mark.parametrize(
    ("name", "libtype", "family"),
    [
        (samples.PLAIN, "ck", Family.PLAIN),
        (samples.BPRESHUFFLE, "ck", Family.BPRESHUFFLE),
        (samples.CKTILE, "cktile", None),
        (samples.ASM, "asm", Family.BPRESHUFFLE),
        (samples.OPUS, "opus", Family.BPRESHUFFLE),
        (samples.TRITON, "triton", None),
        (samples.PORTER, "flydsl", Family.PLAIN),
        (samples.PEER_FOUR_WAVE, "flydsl", Family.BPRESHUFFLE),
        (samples.PEER_EIGHT_WAVE, "flydsl8w", Family.BPRESHUFFLE),
        (samples.WMMA, "flydsl", Family.BPRESHUFFLE),
    ],
)
def test_libtype_and_family_of_a_name(name: str, libtype: str, family: Family | None) -> None:
    kernel = parse_kernel_name(name)
    assert (kernel.libtype, kernel.family) == (libtype, family)


@pytest.mark.parametrize(
    ("name", "code", "says"),
    [
        ("", "CKP031", "fits no known grammar"),
        ("a8w8_rowwise_256x64", "CKP031", "fits no known grammar"),
        ("x" * (MAX_NAME_CHARS + 1), "CKP031", "more than 512 characters"),
        ("a8w8_blockscale_1x128_256", "CKP032", "'1x128' where ScaleBlockM"),
        (samples.PLAIN.replace("256x64x256x128", "256x64x256"), "CKP032", "'256x64x256' where BLOCK_SIZE"),
        (samples.PLAIN.replace("intrawave", "intrawav"), "CKP032", "'intrawav' where the scheduler"),
        (samples.PLAIN.removesuffix("_v1"), "CKP032", "'intrawave' where the scheduler"),
        (samples.PLAIN.removesuffix("v1"), "CKP032", "the end of the name where the pipeline version"),
        (f"{samples.PLAIN}x", "CKP032", "'v1x' where the pipeline version"),
        (f"{samples.PLAIN}\n", "CKP032", "where the pipeline version"),
        (samples.CKTILE.replace("0x1x0", "0x2x0"), "CKP032", "'0x2x0' where three or four flags"),
        (f"{samples.CKTILE}_aqcm", "CKP032", "where the end of the name, or aqrm"),
        (samples.PLAIN.replace("256x64x256x128", "256x64x192x128"), "CKP033", "is not covered by whole waves"),
        (samples.PLAIN.replace("_8x32x1_8x32x1", "_8x16x1_8x32x1"), "CKP033", "the A thread cluster 8x16x1"),
        (samples.BPRESHUFFLE.replace("256x64x256", "256x40x256"), "CKP033", "no layout of 256 threads"),
        (samples.CKTILE.replace("16x128x256", "16x96x256"), "CKP033", "N: a tile of 96"),
        (samples.ASM.replace("42fp8", "43fp8"), "CKP033", "mangled length 43 where 42"),
        (samples.OPUS.replace("512x128x128x128", "512x128"), "CKP032", "'512x128' where BLOCK_SIZE and the tile"),
        (samples.PORTER.replace("_4w_", "_5w_"), "CKP030", "'5w' where the core"),
        (samples.PEER_FOUR_WAVE.replace("1x1x2x8x0", "1x1x2x8"), "CKP032", "'1x1x2x8' where {csh}x{async}"),
        (samples.WMMA.replace("mw2", "mx2"), "CKP032", "'mx2' where mw and a number"),
    ],
)
def test_a_wrong_name_is_told_by_its_first_wrong_token(name: str, code: str, says: str) -> None:
    with pytest.raises(KernelNameError, match=re.escape(says)) as caught:
        parse_kernel_name(name)
    assert caught.value.code == code


@given(st.text(max_size=300))
def test_any_text_is_a_kernel_or_an_error(text: str) -> None:
    _parse_or_refuse(text)


@given(st.data())
def test_any_damage_to_a_real_name_is_a_kernel_or_an_error(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(samples.ROUND_TRIPS))
    at = data.draw(st.integers(0, len(name)))
    upto = data.draw(st.integers(at, len(name)))
    _parse_or_refuse(name[:at] + data.draw(st.text("_x0123456789abvTZE \0é", max_size=12)) + name[upto:])


_NUMBER = st.integers(1, 999)


@given(
    st.tuples(_NUMBER, _NUMBER, _NUMBER),
    st.tuples(*[st.integers(1, 8)] * 3),
    st.tuples(*[st.integers(1, 64)] * 3),
    st.sampled_from(Scheduler),
    st.tuples(*[st.booleans()] * 4),
    st.sampled_from([None, True, False]),
    st.integers(1, 9),
)
def test_any_cktile_instance_survives_its_name(
    steps: tuple[int, int, int],
    warps: tuple[int, int, int],
    widths: tuple[int, int, int],
    scheduler: Scheduler,
    flags: tuple[bool, bool, bool, bool],
    smem: bool | None,
    per_cu: int,
) -> None:
    m, n, k = (step * warp * width for step, warp, width in zip(steps, warps, widths, strict=True))
    instance = CkTileInstance((m, n, k), warps, widths, scheduler, *flags[:3], per_cu, flags[3], smem)
    assert parse_kernel_name(instance.name) == instance


@given(
    st.sampled_from(Family),
    st.sampled_from([(1, 4), (2, 2), (4, 1), (1, 1), (1, 8)]),
    st.sampled_from([(16, 16), (32, 32)]),
    st.tuples(st.integers(1, 8), st.integers(1, 8)),
    st.integers(1, 5),
)
def test_any_xdl_instance_survives_its_name(
    family: Family, waves: tuple[int, int], xdl: tuple[int, int], per_wave: tuple[int, int], version: int
) -> None:
    threads = waves[0] * waves[1] * 64
    instance = XdlInstance(
        family=family,
        scale_block_mnk=(1, 128, 128),
        block_size=threads,
        tile_mnk=(waves[0] * xdl[0] * per_wave[0], waves[1] * xdl[1] * per_wave[1], 128),
        ak1=16,
        bk1=16,
        xdl_mn=xdl,
        xdl_per_wave_mn=per_wave,
        a_block_transfer=(8, threads // 8, 1),
        b_block_transfer=(8, threads // 8, 1),
        c_block_transfer=(1, threads // 8, 1, 8),
        c_block_spv=8,
        cshuffle_xdl_per_wave_mn=(1, 1),
        pipeline_sched=Scheduler.INTRAWAVE,
        pipeline_version=version,
    )
    parsed = parse_kernel_name(instance.name)
    assert isinstance(parsed, XdlInstance)
    if family is Family.PLAIN:
        assert parsed == instance
    else:
        assert parsed.name == instance.name and parsed.wave_map_assumed


def _parse_or_refuse(name: str) -> None:
    try:
        kernel = parse_kernel_name(name)
    except PorterError as error:
        assert error.code.startswith("CKP")
        assert str(error).encode("utf-8")
    else:
        assert parse_kernel_name(kernel.name) == kernel
