# SPDX-License-Identifier: Apache-2.0
"""The measured guard on both sides of each limit, the candidates of a shape, and the page of rejected ideas."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from porter.census import KernelCensus
from porter.errors import PorterError
from porter.kernel_spec import Core, Schedule
from porter.measure import candidates
from porter.measure import compiled as measure
from porter.measure.candidates import judge
from porter.measure.census import take
from porter.measure.guard import guard
from porter.problem import TARGETS, Family, GemmShape
from porter.select import rejected
from porter.select.legality import legality
from porter.select.recipes import choose
from porter.select.rejected import REJECTED, Rejected, entry
from porter.toolchain import flydsl_version
from tests.porter.command import porter, valid
from tests.porter.kernels import compiled, rendered
from tests.porter.specs import DECODE, EIGHT_WAVE, FOUR_WAVE, FOUR_WAVE_PLAIN

GFX950 = TARGETS["gfx950"]
AGAIN = [item for item in REJECTED if item.reproduction is not None]


pytestmark = pytest.mark.usefixtures("own_cache")


def again(item: Rejected, departing: bool = True) -> KernelCensus:
    made = item.reproduction
    assert made is not None
    kernel = compiled(made.spec, made.n, made.k, rendered(made.spec, made.variant if departing else None))
    return take(kernel.isa, spec=made.spec)[0]


@pytest.fixture(scope="module")
def good() -> KernelCensus:
    return take(compiled(DECODE, 256, 2048).isa, spec=DECODE)[0]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ({"vgpr_spills": 3}, "3 VGPRs and 0 SGPRs spill at"),
        ({"sgpr_spills": 2}, "0 VGPRs and 2 SGPRs spill at"),
        ({"scratch_bytes": 64}, "64 bytes of scratch a lane, 0 scratch instructions in the loop [CKS161]"),
        ({"lds_bytes": 163841}, "163841 bytes of LDS, gfx950 has 163840 [CKS163]"),
        ({"workgroups_per_cu": 0}, "no workgroup of 256 work-items"),
        ({"agpr_moves": 7}, "7 of "),
        ({"native_scales": 1}, "1 MFMAs of the loop take E8M0 scales"),
    ],
)
def test_each_measured_refusal_has_its_numbers(change: dict[str, Any], text: str, good: KernelCensus) -> None:
    assert guard(good, GFX950) == ()
    part = "loop" if next(iter(change)) in ("agpr_moves", "native_scales") else "resources"
    (reason,) = guard(replace(good, **{part: replace(getattr(good, part), **change)}), GFX950)
    assert text in str(reason)


def test_candidates_of_a_shape(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # One tile a core keeps the number of compilations small.
    monkeypatch.setattr(candidates, "TILES", {**candidates.TILES, DECODE.core: ((32, 128), (64, 256))})
    monkeypatch.setattr(candidates, "WAVES_PER_EU", (3,))
    result = porter("inspect", "--candidates", "20x272x1024", "--layout", "plain", "--format", "json")
    assert result.exit_code == 0, result.output
    data = valid(result, "candidates", repository)
    assert data["regime"] == "decode"
    listed = {item["name"]: item for item in data["candidates"]}
    assert {item["origin"] for item in listed.values()} == {"recipe", "neighbour"}
    assert {item["core"] for item in listed.values()} == {"4w", "8w", "dec"}
    for item in listed.values():
        assert item["usable"] == (not item["reasons"])
        assert (item["resources"] is None) <= (not item["usable"])
        if item["usable"]:
            assert item["resources"]["vgpr_spills"] == item["resources"]["scratch_bytes"] == 0
            assert item["rounds"] > 0 and item["workgroups"] >= -(-20 // item["tile"][0]) * -(-272 // item["tile"][1])
    text = porter("inspect", "--candidates", "20x272x1024", "--layout", "plain").stdout
    assert "nothing was timed" in text.splitlines()[-1]


def test_a_refused_candidate_names_its_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "compile_many", lambda requests, **_: [_fails() for _ in requests])
    for shape in (GemmShape(4096, 2048, 7168), GemmShape(4096, 65536, 1536)):
        judged = judge(shape, GFX950, Family.BPRESHUFFLE).judged
        assert all(item.reasons for item in judged)
        entries = {item.entry for item in judged}
        assert "docs/rejected.md#three-waves-per-simd" in entries
        if shape.n == 2048:
            assert "docs/rejected.md#256x256-with-promote" in entries
        assert all("CKS166" in str(item.reasons[0]) for item in judged if not item.entry)


def _fails() -> PorterError:
    from porter.errors import ToolchainError

    return ToolchainError("CKT003", "the compiler died")


def test_no_full_gfx942_candidate_that_legality_passes_spills() -> None:
    target, k = TARGETS["gfx942"], 4096
    listed = {
        replace(candidate.spec, xcds=0)
        for shape in (GemmShape(4096, 2048, k), GemmShape(8192, 8192, k))
        for family, rows in ((Family.PLAIN, 1), (Family.BPRESHUFFLE, 128))
        for candidate in choose(shape, target, family, scale_block_m=rows).candidates
        if candidate.spec.core is Core.FOUR_WAVE and candidate.spec.accumulators == 64
    }
    legal = [spec for spec in listed if not legality(spec, GemmShape(4096, 2048, k), target)]
    assert {spec.schedule for spec in legal} == {Schedule.CLUSTER, Schedule.INLINE} and len(legal) < len(listed)
    for spec, measured in zip(legal, measure.measure((spec, 512, k) for spec in legal), strict=True):
        assert isinstance(measured, measure.Measured) and measured.reasons == (), (spec.name, measured)


@pytest.mark.parametrize("arguments", [("x.csv", "--candidates", "1x16x128"), (), ("--candidates", "0x16x128")])
def test_usage(arguments: tuple[object, ...]) -> None:
    assert porter("inspect", *arguments).exit_code == 2


def test_an_unknown_chip_is_a_usage_error() -> None:
    result = porter("inspect", "--candidates", "1x16x128", "--arch", "gfx1201")
    assert result.exit_code == 2 and "expected one of gfx950, gfx942" in result.output


def test_the_page_is_that_of_the_data(repository: Path) -> None:
    assert (repository / rejected.PAGE).read_text() == rejected.page()
    assert len({item.slug for item in REJECTED}) == len(REJECTED)
    assert all(item.numbers and item.instead and item.source for item in REJECTED)


def test_entries_cover_what_legality_or_the_compiler_refuse_and_no_default() -> None:
    for spec in (FOUR_WAVE, FOUR_WAVE_PLAIN, EIGHT_WAVE, DECODE):
        assert entry(spec) is None
    for spec, slug in (
        (replace(FOUR_WAVE, waves_per_eu=3), "three-waves-per-simd"),
        (replace(FOUR_WAVE, tile_m=128), "wide-4-wave-tile"),
        (replace(FOUR_WAVE, tile_m=128, waves_per_eu=1), "wide-4-wave-tile-512-registers"),
        (replace(EIGHT_WAVE, tile_m=256), "256x256-with-promote"),
    ):
        found = entry(spec)
        assert found is not None and found.slug == slug
        if spec.waves_per_eu != 1:
            assert "CKS122" in {reason.code for reason in legality(spec, GemmShape(4096, 2048, 7168), GFX950)}


@pytest.mark.parametrize("item", AGAIN, ids=lambda item: item.slug)
def test_a_rejected_candidate_is_still_bad(item: Rejected) -> None:
    made = item.reproduction
    assert made is not None
    census = again(item)
    assert guard(census, TARGETS[made.spec.arch])
    if flydsl_version() == rejected.FLYDSL:
        assert (
            census.resources.vgpr_spills,
            census.resources.scratch_bytes,
            census.loop.agpr_moves,
            census.loop.instructions,
        ) == (made.vgpr_spills, made.scratch_bytes, made.agpr_moves, made.instructions)
        for number in (made.vgpr_spills, made.scratch_bytes, made.agpr_moves):
            assert not number or f"{number} " in item.numbers
    if made.variant.changed():
        assert guard(again(item, departing=False), TARGETS[made.spec.arch]) == ()
