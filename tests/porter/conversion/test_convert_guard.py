# SPDX-License-Identifier: Apache-2.0
"""`porter convert --census` and the measured guard: what is refused is replaced, or the row says why it cannot be."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest

from porter import manifest
from porter.census import KernelCensus
from porter.manifest import Manifest
from porter.measure import compiled as measure
from porter.measure.guard import guard
from porter.problem import TARGETS, GemmShape, Target
from porter.select.legality import Reason
from porter.select.recipes import choose
from tests.porter.command import porter, valid

NAME = "a8w8_blockscale_1x128x128_256x16x128x128_16x16_16x16_8x32x1_8x32x1_1x16x1x16_4_1x1_intrawave_v1"
ROW = f"gfx,cu_num,M,N,K,libtype,splitK,us,kernelName\ngfx950,256,16,512,1024,ck,0,9.0,{NAME}\n"
SPILLS = Reason("CKS160", "9 VGPRs and 0 SGPRs spill at 256 VGPRs", "a smaller tile, or fewer waves_per_eu")

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    path.write_text(ROW)
    return path


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """Kernels whose names are put here spill, as far as the guard is told."""
    spilling: set[str] = set()

    def judged(census: KernelCensus, target: Target) -> tuple[Reason, ...]:
        return (SPILLS,) if census.name in spilling else guard(census, target)

    monkeypatch.setattr(measure, "guard", judged)
    return spilling


@pytest.fixture(scope="module")
def listed() -> list[str]:
    """The names of the row's candidates, the default first."""
    from porter.problem import Family

    recipe = choose(GemmShape(16, 512, 1024), TARGETS["gfx950"], Family.PLAIN, kbatch=1)
    return [candidate.spec.name for candidate in recipe.candidates]


def read(folder: Path, repository: Path) -> Manifest:
    content = json.loads((folder / "manifest.json").read_text())
    jsonschema.validate(content, json.loads((repository / "docs" / "schemas" / "manifest.json").read_text()))
    return manifest.read(folder / "manifest.json")


def test_a_kernel_that_spills_is_replaced_and_both_manifest_and_kernel_say_so(
    table: Path, tmp_path: Path, repository: Path, refuse: set[str], listed: list[str]
) -> None:
    refuse |= set(listed[:2])
    result = porter("convert", table, "--census", "--out", tmp_path / "out", "--format", "json")
    assert result.exit_code == 0, result.output
    data = valid(result, "convert", repository)
    assert [kernel["name"] for kernel in data["kernels"]] == [listed[2]]
    sentences = [f"{name} is refused as compiled: {SPILLS}" for name in listed[:2]]
    (noted,) = data["notes"]
    assert noted["notes"][-2:] == sentences
    found = read(tmp_path / "out", repository)
    (kernel,) = found.kernels
    assert kernel.census is not None and kernel.census.kernels[0].name == kernel.name == listed[2]
    assert kernel.rows[0].notes[-2:] == tuple(sentences)
    assert not found.guard
    header = (tmp_path / "out" / kernel.module).read_text().split('"""')[0]
    for name in listed[:2]:
        assert f"reason: {name} is refused as compiled: 9 VGPRs" in " ".join(header.replace("#", "").split())
    assert not (tmp_path / "out" / f"{listed[0]}.py").exists()


def test_a_row_whose_every_candidate_spills_is_unsupported_with_the_numbers(
    table: Path, tmp_path: Path, repository: Path, refuse: set[str], listed: list[str]
) -> None:
    refuse |= set(listed)
    arguments = ("convert", table, "--census", "--out", tmp_path / "out", "--format", "json")
    result = porter(*arguments)
    assert result.exit_code == 0, result.output
    data = valid(result, "convert", repository)
    assert (data["converted"], data["kernels"]) == (0, [])
    (row,) = data["unsupported_rows"]
    assert row["code"] == "CKS160" and row["reason"].endswith(SPILLS.text) and row["hint"] == SPILLS.hint
    assert porter(*arguments, "--strict").exit_code == 1


def test_without_census_the_manifest_says_that_nothing_was_measured(
    table: Path, tmp_path: Path, repository: Path, refuse: set[str], listed: list[str]
) -> None:
    refuse |= set(listed)
    assert porter("convert", table, "--out", tmp_path / "out").exit_code == 0
    found = read(tmp_path / "out", repository)
    assert found.guard.startswith("not applied: nothing was compiled")
    assert found.kernels[0].name == listed[0]
    assert porter("convert", table, "--census", "--out", tmp_path / "counted").exit_code == 0
    assert not read(tmp_path / "counted", repository).guard
