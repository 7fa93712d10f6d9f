# SPDX-License-Identifier: Apache-2.0
"""One CK instance from its source to its bits: the contract's, on every data set."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from oracle import ck_abi, machine
from oracle.datasets import DATASETS
from oracle.kernarg import Field, KernargLayout
from oracle.verify import Case, prove
from porter.ck_objects import build, source, tree
from porter.ck_objects.resolve import by_id
from porter.errors import PorterError
from porter.problem import Family
from tests.porter.command import porter, valid

#: The one with a single kernel, so the fastest to build: 64x64x128, 32x32 MFMAs, v3.
ID = 3
N, K = 192, 512


@pytest.fixture(scope="module")
def request_of(wheel: Path) -> source.Request:
    try:
        build.compiler()
    except PorterError as error:
        pytest.skip(str(error))
    return source.Request(by_id(tree.find(str(wheel)), Family.PLAIN, ID), "gfx950", padded=True)


@pytest.fixture(scope="module")
def built(request_of: source.Request, wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("ck")
    (ended,) = build.build([request_of], tree.find(str(wheel)), folder)
    assert isinstance(ended, build.Built), ended
    yield ended.path


def run(of: ck_abi.CkObject, data: str, m: int = 70) -> bool:
    """Whether every bit is the contract's; that LLVM keeps a wait state too few here (CKM251) is not CK's doing."""
    kernel = of.under_test(N, K)
    (result,) = prove(kernel, [Case(m, data, machine.Mode("late", checks=True))], program=of.program)
    return result.comparison.equal and {finding.code for finding in result.severe} <= {"CKM251"}


@pytest.mark.parametrize("data", DATASETS)
def test_every_bit_is_the_contracts(data: str, built: Path) -> None:
    assert run(ck_abi.read(built), data)


def test_other_slices_or_denormals_do_not_fit(built: Path) -> None:
    """The data tell what the object says of itself from its neighbours."""
    found = ck_abi.read(built)
    assert found.facts["KShare"] == 64
    assert not run(replace(found, facts={**found.facts, "KShare": 32}), "cancel")
    assert not run(replace(found, facts={**found.facts, "FlushDenormals": 0}), "special")


def test_the_launch_bounds_are_hips(built: Path) -> None:
    """Clang's `launch_bounds` would do nothing here, and keep every kernel to the registers of 1024 work-items."""
    found = ck_abi.read(built)
    assert found.kernels
    for symbol in found.kernels.values():
        assert found.program.kernel(symbol).max_flat_workgroup_size == found.facts["BlockSize"] == 256


def test_its_census(built: Path, repository: Path) -> None:
    result = porter("census", built, "--format", "json")
    (kernel,) = valid(result, "census", repository)["kernels"]
    assert (kernel["tile"], kernel["mfma"], kernel["k_tiles"]) == ([64, 64, 128], ["32x32x64"], "from 3")
    loop = kernel["loop"]
    # A wave's quarter of the tile is one 32x32: two MFMAs a K block of 128.
    assert loop["branches_back"] and loop["mfma"] == 2 * loop["blocks"] and loop["lds_reads"] and loop["global_loads"]
    assert kernel["resources"]["threads"] == 256 and kernel["resources"]["workgroups_per_cu"]
    # What was counted is what runs most often.
    found = ck_abi.read(built)
    tested = found.under_test(N, 32 * 128)
    (run_of,) = prove(tested, [Case(16, "exact", machine.Mode())], program=found.program)
    executed = run_of.reports[0].executed
    hottest = [
        ins.pc for ins, times in zip(found.program.instructions, executed, strict=True) if times == max(executed)
    ]
    first, last = (int(place, 16) for place in loop["taken"].partition(":")[0].split("-"))
    assert (min(hottest), max(hottest), len(hottest)) == (first, last, loop["instructions"])


def test_a_shifted_argument_is_seen(built: Path) -> None:
    found = ck_abi.read(built)
    wrong = 0
    for shifted in found.layout.fields:
        fields = tuple(
            Field(field.name, field.offset + field.size * (field is shifted), field.size)
            for field in found.layout.fields
        )
        try:
            moved = replace(found, layout=KernargLayout(fields, found.layout.size))
            wrong += not run(moved, "general")
        except machine.MachineError as error:
            assert error.code.startswith("CKM1")
            wrong += 1
    # Fields that this kernel does not read may stand anywhere; those that it does read overlap their neighbours.
    assert wrong >= len(found.layout.fields) - 2


def test_a_shape_that_ck_does_not_run_is_refused_in_its_words(built: Path) -> None:
    found = ck_abi.read(built)
    assert found.refusals(1, N, K) == []
    assert "no kernel of the instance runs 2 K blocks" in found.refusals(1, N, 256)[0]
    assert "C store's 8 elements" in found.refusals(1, 100, K)[0]
    with pytest.raises(machine.LaunchError) as caught:
        found.under_test(N, 256)
    assert caught.value.code == "CKM106"


def test_another_object_has_no_tables(real_data: Path) -> None:
    other = next((real_data / "objects").glob("*.co"))
    with pytest.raises(machine.ProgramError) as caught:
        ck_abi.read(other)
    assert caught.value.code == "CKM018"


def test_the_second_build_is_the_first(built: Path, request_of: source.Request, wheel: Path, tmp_path: Path) -> None:
    (ended,) = build.build([request_of], tree.find(str(wheel)), tmp_path)
    assert isinstance(ended, build.Built) and ended.seconds == 0
    assert ended.path.read_bytes() == built.read_bytes()
    beside = json.loads(built.with_suffix(".json").read_text())
    assert beside["instance"] == request_of.instance.name and "gfx950" in " ".join(beside["flags"])


def test_what_the_compiler_refuses_ends_in_its_words(request_of: source.Request, wheel: Path, tmp_path: Path) -> None:
    instance = replace(request_of.instance, tile_mnk=(64, 48, 128))
    (ended,) = build.build([replace(request_of, instance=instance)], tree.find(str(wheel)), tmp_path)
    assert isinstance(ended, build.Failed) and ended.error.code == "CKB003"
    assert "error:" in str(ended.error) and str(wheel) not in str(ended.error)
    assert not list(tmp_path.iterdir())


def test_a_build_that_takes_too_long_is_stopped(request_of: source.Request, wheel: Path, tmp_path: Path) -> None:
    other = replace(request_of, padded=False)
    (ended,) = build.build([other], tree.find(str(wheel)), tmp_path, timeout=0.2)
    assert isinstance(ended, build.Failed) and ended.error.code == "CKB004"


def test_the_command(built: Path, wheel: Path, tmp_path: Path) -> None:
    result = porter("ck", "build", f"plain:{ID}", "--ck", str(wheel), "--out", str(tmp_path), "--format", "json")
    assert result.exit_code == 0, result.output
    (entry,) = json.loads(result.stdout)["objects"]
    assert Path(entry["path"]).read_bytes() == built.read_bytes()
