# SPDX-License-Identifier: Apache-2.0
"""The kernel name is a format: it parses back to the same spec, and a bad name says which token is wrong."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from porter.errors import KernelNameError
from porter.kernel_spec import Contract, Core, KernelSpec, ScaleLayout, Schedule
from porter.problem import TARGETS, Family
from porter.runtime._serving import GRAMMAR

NAME = "flydsl_a8w8_blockscale_bpreshuffle_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd8_ks1_km_bf16"
number = st.integers(0, 999_999)
specs = st.builds(
    KernelSpec,
    family=st.sampled_from(Family),
    arch=st.sampled_from(sorted(TARGETS)),
    scale_block_m=st.sampled_from([1, 128]),
    core=st.sampled_from(Core),
    tile_m=number,
    tile_n=number,
    tile_k=number,
    mfma=st.tuples(number, number, number).map(lambda sizes: "x".join(map(str, sizes))),
    schedule=st.sampled_from(Schedule),
    waves_per_eu=number,
    xcds=number,
    split_k=number,
    scale_layout=st.sampled_from(ScaleLayout),
    out_dtype=st.sampled_from(["bf16", "fp16"]),
    contract=st.sampled_from(Contract),
)


@given(specs)
def test_every_spec_parses_back_from_its_name(spec: KernelSpec) -> None:
    assert KernelSpec.parse(spec.name) == spec


@given(specs, specs)
def test_two_specs_never_share_a_name(one: KernelSpec, other: KernelSpec) -> None:
    assert (one.name == other.name) == (one == other)


@given(specs, st.data())
def test_a_name_that_parses_is_the_name_of_what_it_parses_to(spec: KernelSpec, data: st.DataObject) -> None:
    """So no two spellings mean one kernel: leading zeros, spaces or a doubled suffix are refused."""
    at = data.draw(st.integers(0, len(spec.name)))
    cut = data.draw(st.integers(at, min(len(spec.name), at + 2)))
    changed = spec.name[:at] + data.draw(st.text("0123456789x_abkmnw ", max_size=2)) + spec.name[cut:]
    try:
        parsed = KernelSpec.parse(changed)
    except KernelNameError:
        return
    assert parsed.name == changed


def test_a_name_in_full() -> None:
    spec = KernelSpec.parse(NAME)
    assert (spec.family, spec.arch, spec.scale_block_m) == (Family.BPRESHUFFLE, "gfx950", 1)
    assert (spec.core, spec.tile_m, spec.tile_n, spec.tile_k) == (Core.FOUR_WAVE, 64, 256, 128)
    assert (spec.mfma, spec.schedule, spec.waves_per_eu) == ("16x16x128", Schedule.CLUSTER, 2)
    assert (spec.xcds, spec.split_k, spec.scale_layout) == (8, 1, ScaleLayout.K_MAJOR)
    assert (spec.out_dtype, spec.contract, spec.threads) == ("bf16", Contract.CK, 256)
    assert KernelSpec.parse(NAME + "_cktile").contract is Contract.CKTILE


@pytest.mark.parametrize(
    "good, bad, expected",
    [
        ("flydsl_a8w8", "flydsl_a4w4", "the prefix"),
        ("_bpreshuffle_", "_shuffled_", "the family"),
        ("gfx950", "gfx90a", "the arch"),
        ("_1x128x128_", "_2x128x128_", "the scale block"),
        ("_4w_", "_16w_", "the core"),
        ("64x256x128", "64x256", "the tile"),
        ("64x256x128", "64x256x0128", "the tile"),
        ("16x16x128", "16x16", "the MFMA shape"),
        ("_cluster_", "_clustered_", "the schedule"),
        ("wpe2", "wpe", "wpe and a number"),
        ("xcd8", "xcd-1", "xcd and a number"),
        ("ks1", "split1", "ks and a number"),
        ("_km_", "_mk_", "the x_scale layout"),
        ("bf16", "fp32", "the output dtype"),
    ],
)
def test_the_first_bad_token_is_named(good: str, bad: str, expected: str) -> None:
    with pytest.raises(KernelNameError, match=f"where {expected}") as caught:
        KernelSpec.parse(NAME.replace(good, bad, 1))
    token = re.search(r": '([^']*)' where", caught.value.message)
    assert token is not None and token.group(1) in bad
    assert caught.value.code == "CKP030" and GRAMMAR in caught.value.hint


@pytest.mark.parametrize("tail", ["_asm", "_cktile_cktile", "_"])
def test_nothing_may_follow_the_name(tail: str) -> None:
    with pytest.raises(KernelNameError, match="where the end of the name"):
        KernelSpec.parse(NAME + tail)


@pytest.mark.parametrize("name", ["", "x", NAME[:40], NAME[:-5], NAME + "\n", NAME + " ", "\0"])
def test_cut_and_foreign_names_are_refused(name: str) -> None:
    with pytest.raises(KernelNameError):
        KernelSpec.parse(name)
