# SPDX-License-Identifier: Apache-2.0
"""Which of CK's instances a kernel is held against, and what counts as wrong."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from oracle.datasets import dataset
from oracle.reference import reference
from porter.ck_objects import tree
from porter.kernel_spec import KernelSpec
from porter.problem import GemmShape
from porter.proof import against
from tests.porter.command import porter

MANIFEST = Path(__file__).parents[3] / "generated" / "manifest.json"


@pytest.fixture(scope="module")
def found(wheel: Path) -> tuple[list[against.Pair], list[str]]:
    return against.pairs((), MANIFEST, tree.find(str(wheel)))


def test_every_kernel_has_its_rows_instance_or_a_note(found: tuple[list[against.Pair], list[str]]) -> None:
    pairs, notes = found
    held = {pair.spec.name for pair in pairs if pair.role == "row"}
    named = {path.stem for path in MANIFEST.parent.glob("flydsl_*.py")}
    assert held and named - held == {note.partition(":")[0] for note in notes if "no row" in note}
    of_tile = [note for note in notes if note.partition(":")[0].endswith("_cktile") and "no row" in note]
    assert of_tile and all("CKB010" in note and "ABQuantGrouped" in note for note in of_tile)


def test_a_twin_rounds_as_the_kernel_does(found: tuple[list[against.Pair], list[str]]) -> None:
    twins = [pair for pair in found[0] if pair.role == "twin"]
    assert {pair.spec.family.value for pair in twins} == {"plain", "bpreshuffle"}
    for pair in twins:
        assert pair.instance.mfma(pair.spec.arch) == pair.spec.mfma == "16x16x128"
        assert pair.request(GemmShape(70, 256, 1024)).keep_denormals
        assert pair.spec.split_k == 1
    chained = {pair.spec.name for pair in found[0] if pair.spec.arch == "gfx942"}
    assert not chained & {pair.spec.name for pair in twins}


def test_the_rows_of_make_oracle_span_what_ck_has(wheel: Path, repository: Path, tmp_path: Path) -> None:
    assert porter("convert", repository / "examples" / "ck_oracle.csv", "--out", tmp_path).exit_code == 0
    manifest = tmp_path / "manifest.json"
    pairs, _ = against.pairs((), manifest, tree.find(str(wheel)), all_rows=True)
    rows = {(pair.spec.arch, pair.instance) for pair in pairs if pair.role == "row"}
    assert len(rows) == 14 > len({pair.path for pair in pairs}), "one kernel of ours serves several rows"
    assert {(i.family.value, i.pipeline_version) for _, i in rows} == {
        *(("plain", 1), ("plain", 3), ("bpreshuffle", 1), ("bpreshuffle", 3))
    }
    assert {i.tile_mnk[0] for _, i in rows} == {16, 32, 64, 128, 256}
    assert {i.tile_mnk[2] for _, i in rows} == {128, 256}
    assert {arch for arch, _ in rows} == {"gfx942", "gfx950"}


def case(**wrong: int | bool | str) -> against.AgainstCase:
    numbers: dict[str, int] = {"ck_contract": 0, "ours_contract": 0, "ours_ck": 0, "outside": 0}
    fields = {
        "kernel": "k",
        "instance": "i",
        "role": "twin",
        "m": 1,
        "n": 2,
        "k": 128,
        "data": "wide",
        "demanded": True,
    }
    return against.AgainstCase(**{**fields, **numbers, "first": "", "findings": (), **wrong})  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["ck_contract", "ours_contract", "ours_ck", "outside"])
def test_one_element_that_differs_is_enough(name: str) -> None:
    assert case().good and not case(**{name: 1}).good


def test_kernels_that_round_differently_need_not_agree() -> None:
    assert case(ours_ck=5, demanded=False).good


@pytest.mark.parametrize("data", ["exact", "general", "wide"])
def test_a_split_kernel_is_held_to_float64(data: str) -> None:
    from oracle.verify import KernelUnderTest

    spec = KernelSpec.parse(next(path.stem for path in MANIFEST.parent.glob("flydsl_*_ks4_*.py")))
    problem = dataset(data, 33, 256, 1024)  # type: ignore[arg-type]
    kernel = KernelUnderTest(
        *(spec.name, "", "gfx950", lambda m: [], 256, 1024, "row_major", "row_major", 1, "e4m3fn", "ck"),
        *("16x16x128", 4, "bf16"),
    )
    right = reference(problem, split_k=4).numpy()
    assert against._outside(right, problem, kernel) == 0
    half = (torch.from_numpy(right.astype(np.int32) << 16).view(torch.float32) * 0.98).to(torch.bfloat16)
    wrong = half.view(torch.int16).numpy().view(np.uint16)
    assert against._outside(wrong, problem, kernel) > 33 * 256 // 2
    assert against._outside(np.full_like(right, 0x7FC0), problem, kernel) == right.size
