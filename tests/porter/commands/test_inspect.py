# SPDX-License-Identifier: Apache-2.0
"""`porter inspect` and `porter detect` as people use them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from porter.ck_parser import parse_kernel_name
from tests.porter.ck_parser.ck_forms import cpp_source, cpp_tuple, python_source
from tests.porter.ck_parser.ck_samples import ASM, BPRESHUFFLE, PLAIN
from tests.porter.command import porter, valid


def answer(command: str, repository: Path, argument: object) -> tuple[int, dict[str, Any]]:
    result = porter(command, argument, "--format", "json")
    return result.exit_code, valid(result, command, repository)


def test_inspect_shows_one_instance_in_every_form(tmp_path: Path, repository: Path) -> None:
    instance = parse_kernel_name(PLAIN)
    (tmp_path / "gemm_a8w8_blockscale_instance.py").write_text(python_source({14: instance}))
    (tmp_path / "tuples.hpp").write_text(cpp_source(cpp_tuple(instance)))
    code, data = answer("inspect", repository, tmp_path)
    assert code == 0 and not data["bad"]
    assert [item["name"] for item in data["instances"]] == [PLAIN, PLAIN]
    for item in data["instances"]:
        assert item["verdict"]["outcome"] == "needs a shape"
        assert item["parameters"]["matter"]["tile_mnk"] == [64, 256, 128]
        assert "ak1" in item["parameters"]["internal"]
    assert "2 instances in 2 files: 2 needs a shape" in porter("inspect", tmp_path).stdout


def test_inspect_takes_kernel_names(repository: Path) -> None:
    code, data = answer("inspect", repository, BPRESHUFFLE)
    assert code == 0 and data["instances"][0]["family"] == "bpreshuffle"


def test_inspect_judges_tuned_rows_as_convert_does(repository: Path) -> None:
    code, data = answer("inspect", repository, repository / "examples" / "ck_instances.csv")
    assert code == 0
    assert sum(item["rows"] for item in data["instances"]) == 26
    kernels = {name for item in data["instances"] for name in item["verdict"]["kernels"]}
    assert kernels == {path.stem for path in (repository / "generated").glob("flydsl_*.py")}


def test_detect_finds_the_hot_kernels(tmp_path: Path, repository: Path) -> None:
    trace = tmp_path / "trace.csv"
    rows = [(PLAIN, 0, 600_000), (ASM, 0, 300_000), ("other_kernel", 0, 100_000)]
    lines = ["Kernel_Name,Start_Timestamp,End_Timestamp", *(f'"{name}",{start},{end}' for name, start, end in rows)]
    trace.write_text("\n".join(lines))
    code, data = answer("detect", repository, trace)
    assert code == 0 and data["calls"] == 3
    assert [(kernel["libtype"], round(kernel["share"], 3)) for kernel in data["kernels"]] == [("ck", 0.6), ("asm", 0.3)]
    assert round(data["share"], 3) == 0.9
    assert "60" in porter("detect", trace).stdout
