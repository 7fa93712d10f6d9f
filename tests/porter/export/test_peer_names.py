# SPDX-License-Identifier: Apache-2.0
"""Names of other tuners: they parse in their own grammars, and each means one kernel."""

from __future__ import annotations

from dataclasses import replace

from porter.ck_parser.names import parse_kernel_name
from porter.export.peer_names import aliases
from porter.kernel_spec import Contract, Core, Schedule
from porter.problem import Family
from tests.porter.specs import DECODE, EIGHT_WAVE, FOUR_WAVE, VARIED


def test_names_are_spelt_as_their_grammars_spell_them() -> None:
    named = aliases([FOUR_WAVE, EIGHT_WAVE, replace(EIGHT_WAVE, xcds=8, waves_per_eu=1)])
    assert named == {
        FOUR_WAVE: "flydsl_blockscale_bpreshuffle_64x256x128_sbk128_0x1x2x8x1",
        EIGHT_WAVE: "flydsl8w_blockscale_bpreshuffle_128x256_wpe2_xcd0",
        replace(EIGHT_WAVE, xcds=8, waves_per_eu=1): "flydsl8w_blockscale_bpreshuffle_128x256_wpe1_xcd1",
    }


def test_the_chip_decides_how_a_goes_to_lds() -> None:
    other = replace(FOUR_WAVE, arch="gfx942", mfma="16x16x32")
    assert aliases([other])[other] == "flydsl_blockscale_bpreshuffle_64x256x128_sbk128_0x0x2x8x1"


def test_names_parse_back_and_say_their_libtype() -> None:
    named = aliases(VARIED)
    assert named
    for spec, name in named.items():
        kernel = parse_kernel_name(name)
        assert kernel.name == name and kernel.family is Family.BPRESHUFFLE
        assert kernel.libtype == ("flydsl8w" if spec.core is Core.EIGHT_WAVE else "flydsl")


def test_what_the_grammars_cannot_say_has_no_name() -> None:
    for spec in (
        DECODE,
        replace(FOUR_WAVE, contract=Contract.CKTILE),
        replace(FOUR_WAVE, scale_block_m=128),
        replace(FOUR_WAVE, out_dtype="fp16"),
        replace(EIGHT_WAVE, tile_m=256, tile_n=128),
    ):
        assert aliases([spec]) == {}
    # Neither grammar tells schedules apart.
    assert aliases([FOUR_WAVE, replace(FOUR_WAVE, schedule=Schedule.INLINE)]) == {}
