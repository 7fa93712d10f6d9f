# SPDX-License-Identifier: Apache-2.0
"""The real inputs, counted: every row of aiter's CSVs and every instance of its lists is accounted for."""

from __future__ import annotations

import csv
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from porter.ck_parser import CkTileInstance, ReadResult, parse_kernel_name, read_files


@pytest.fixture(scope="module")
def aiter(real_data: Path) -> list[Path]:
    return sorted((real_data / "aiter").glob("*.csv"))


@pytest.fixture(scope="module")
def lists(real_data: Path) -> list[Path]:
    return sorted((real_data / "instances").glob("*.csv"))


@pytest.fixture(scope="module")
def result(aiter: list[Path], lists: list[Path]) -> ReadResult:
    return read_files(aiter, instance_lists=lists)


def _rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as stream:
        return [
            {key.strip(): (value or "").strip() for key, value in row.items()}
            for row in csv.DictReader(stream)
            if any(row.values())
        ]


def test_every_row_is_accounted_for(result: ReadResult, aiter: list[Path]) -> None:
    rows = {str(path): len(_rows(path)) for path in aiter}
    assert {report.path: report.data_rows for report in result.files} == rows
    for report in result.files:
        assert report.read + report.unsupported + report.other + report.bad == report.data_rows
    assert (result.data_rows, len(result.bad)) == (21_066, 0)


def test_rows_by_family_and_libtype(result: ReadResult) -> None:
    read = Counter((row.family.value, row.libtype) for row in (*result.rows, *(lost.row for lost in result.superseded)))
    assert read == {
        ("plain", "ck"): 18_132,
        ("plain", "cktile"): 200,
        ("bpreshuffle", "ck"): 1_361,
        ("bpreshuffle", "cktile"): 120,
        ("plain", ""): 180,
    }
    assert Counter(row.reason.split()[1] for row in result.unsupported) == {
        "asm": 785,
        "flydsl": 192,
        "opus": 56,
        "triton": 40,
    }


def test_no_two_tuned_rows_share_a_key(result: ReadResult) -> None:
    assert {lost.row.libtype for lost in result.superseded} == {""}


def test_dead_split_k(result: ReadResult) -> None:
    assert sum(row.split_k_is_dead for row in result.rows) == 583


def test_id_and_name_disagree_118_times_and_only_in_cktile(result: ReadResult) -> None:
    assert len(result.disagreements) == 118
    assert all(isinstance(found.row.instance, CkTileInstance) and found.listed_name for found in result.disagreements)
    for found in result.disagreements:
        line = Path(found.row.where.path).read_text().splitlines()[found.row.where.line - 1].split(",")
        assert (int(line[6]), line[9]) == (found.row.kernel_id, found.row.kernel_name)


def test_by_shape_reads_every_row(aiter: list[Path]) -> None:
    result = read_files(aiter, by_shape=True)
    assert (result.read, result.unsupported, result.bad) == (21_066, (), ())


def test_every_real_name_spells_itself_back(aiter: list[Path], lists: list[Path]) -> None:
    names = {row["kernelName"] for path in (*aiter, *lists) for row in _rows(path) if "kernelName" in row}
    assert len(names) == 140
    assert [name for name in names if parse_kernel_name(name).name != name] == []


def test_table_and_name_of_every_listed_instance_are_equal(lists: list[Path]) -> None:
    result = read_files(lists)
    assert Counter(entry.instance.libtype for entry in result.instances) == {"ck": 39, "cktile": 41}
    assert len(result.unsupported) == result.data_rows == 80
    for entry in result.instances:
        assert entry.instance == parse_kernel_name(entry.instance.name)


def test_values_against_the_csv_module(result: ReadResult, aiter: list[Path]) -> None:
    read = {(row.where.path, row.where.line): row for row in result.rows}
    for path in aiter:
        for number, cells in enumerate(_rows(path), start=2):
            row = read.get((str(path), number))
            if row is None:
                continue
            assert (row.shape.m, row.shape.n, row.shape.k) == (int(cells["M"]), int(cells["N"]), int(cells["K"]))
            if row.kernel is not None:
                assert (row.gfx, row.cu_num, row.libtype) == (cells["gfx"], int(cells["cu_num"]), cells["libtype"])
                assert (row.kernel_name, row.us) == (cells["kernelName"], float(cells["us"]))


def test_all_of_aiter_fits_in_500_mib(aiter: list[Path]) -> None:
    # Seconds are in benchmarks/reading.py; an address limit is a bound that a busy machine does not move.
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (500 << 20, 500 << 20))\n"
        "from porter.ck_parser import read_files; print(read_files(sys.argv[1:]).data_rows)"
    )
    command = [sys.executable, "-c", program, *map(str, aiter)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert int(run.stdout) == 21066


def test_the_example_file_is_all_good(repository: Path) -> None:
    result = read_files([repository / "examples" / "ck_instances.csv"])
    assert (result.read, len(result.unsupported), len(result.bad)) == (26, 1, 0)
    assert {(row.family.value, row.libtype) for row in result.rows} == {
        ("plain", "ck"),
        ("plain", "cktile"),
        ("bpreshuffle", "ck"),
        ("bpreshuffle", "cktile"),
    }
    assert len(result.superseded) == 2 and any(row.split_k_is_dead for row in result.rows)
