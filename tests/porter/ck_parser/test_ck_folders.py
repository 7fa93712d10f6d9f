# SPDX-License-Identifier: Apache-2.0
"""Folders, kernel names and shapes as inputs, and the whole wheel of aiter where it is."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import ck_forms as forms
import ck_samples as samples
import pytest
from ck_samples import TUNED_HEADER, tuned
from test_ck_tables import TILE_HEADER, XDL_HEADER, tile_row, xdl_row

from porter.ck_parser import InstanceEntry, Origin, XdlInstance, join_shapes, parse_kernel_name, read_files
from porter.errors import InputError, KernelNameError
from porter.problem import Family, GemmShape

PLAIN = parse_kernel_name(samples.PLAIN)
assert isinstance(PLAIN, XdlInstance)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one file of every form, files of none, and what folders of real projects hold besides."""
    root = tmp_path / "project"
    files = {
        "configs/a8w8_blockscale_tuned.csv": f"{TUNED_HEADER}\n{tuned()}\n",
        "configs/a8w8_blockscale_untuned.csv": "M,N,K\n16,1536,7168\n",
        "configs/other_tuned.csv": f"{TUNED_HEADER}\n{tuned('a8w8_rowwise_256x128')}\n",
        "configs/fmoe.csv": "token,model_dim\n1,2\n",
        "csrc/list.py": forms.python_source({0: PLAIN}),
        "csrc/other.py": "def kernelInstance_of(x):\n    return x\n",
        "csrc/mentions.py": "# kernelInstance(256)\n",
        "csrc/tuple.hpp": forms.cpp_source(forms.cpp_tuple(PLAIN)),
        "csrc/header.hpp": "struct DeviceGemmMultiD_ABScale_Xdl_CShuffle_V3 : Base<int> {};\n",
        "csrc/gen/kernel.cuh": forms.cpp_helper(PLAIN),
        "csrc/empty.cpp": "",
        "csrc/binary.h": "\0\0\0",
        "lists/table.csv": f"{XDL_HEADER}\n{xdl_row(14)}\n",
        "traces/trace.csv": "Kernel_Name,Start_Timestamp,End_Timestamp\nother_kernel,1,2\n",
        "traces/trace.json": '{"traceEvents": [{"ph": "X", "cat": "kernel", "name": "x", "dur": 1}]}',
        "traces/config.json": '{"BLOCK_SIZE": 1}',
        ".git/list.py": forms.python_source({0: PLAIN}),
        "README.md": "DeviceGemmMultiD_ABScale_Xdl_CShuffle_V3<\n",
    }
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return root


def test_a_folder_is_its_files_of_known_forms(folder: Path) -> None:
    result = read_files([folder])
    assert [(os.path.relpath(report.path, folder), report.form, report.data_rows) for report in result.files] == [
        ("configs/a8w8_blockscale_tuned.csv", "tuned table", 1),
        ("configs/a8w8_blockscale_untuned.csv", "untuned table", 1),
        ("configs/fmoe.csv", "table of another operation", 1),
        ("configs/other_tuned.csv", "tuned table", 1),
        ("csrc/list.py", "Python instance list", 1),
        ("csrc/tuple.hpp", "C++ instances", 1),
        ("csrc/gen/kernel.cuh", "C++ instances", 1),
        ("lists/table.csv", "XDL instance table", 1),
        ("traces/trace.csv", "kernel trace", 0),
        ("traces/trace.json", "kernel trace", 0),
    ]
    assert [(item.operation, item.rows) for item in result.others] == [
        ("fused MoE", 1),
        ("a8w8 GEMM without scale blocks", 1),
    ]
    assert result.bad == () and [entry.instance for entry in result.instances] == [PLAIN] * 4


def test_links_neither_loop_nor_list_twice(folder: Path) -> None:
    (folder / "csrc" / "loop").symlink_to(folder, target_is_directory=True)
    (folder / "csrc" / "self").symlink_to("self")
    (folder / "csrc" / "dangling.py").symlink_to("nowhere.py")
    (folder / "again.py").symlink_to(folder / "csrc" / "list.py")
    (folder / "zlink").symlink_to(folder / "lists", target_is_directory=True)
    assert len(read_files([folder]).instances) == 4


def test_a_damaged_file_of_a_folder_leaves_the_others(folder: Path) -> None:
    (folder / "csrc" / "bad.py").write_text("x = kernelInstance(\n")
    (folder / "configs" / "a8w8_blockscale_bad.csv").write_text("M,N\n1,2\n")
    result = read_files([folder])
    assert len(result.instances) == 4
    assert sorted((bad.code, bad.where.line, Path(bad.where.path).name) for bad in result.bad) == [
        ("CKP005", 1, "a8w8_blockscale_bad.csv"),
        ("CKP020", 1, "bad.py"),
    ]
    assert all(
        report.read + report.unsupported + report.other + report.bad == report.data_rows for report in result.files
    )


def test_a_folder_without_any(tmp_path: Path) -> None:
    (tmp_path / "x.csv").write_text("a,b\n")
    with pytest.raises(InputError) as caught:
        read_files([tmp_path])
    assert caught.value.code == "CKP025"


def test_a_file_of_another_form_that_is_named_is_not_passed_over(folder: Path) -> None:
    for name in ("csrc/mentions.py", "csrc/header.hpp"):
        with pytest.raises(InputError) as caught:
            read_files([folder / name])
        assert caught.value.code == "CKP004"


def test_a_kernel_name_stands_for_itself() -> None:
    result = read_files([samples.PLAIN, forms.symbol(PLAIN), Path(samples.CKTILE)])
    assert [entry.instance.name for entry in result.instances] == [samples.PLAIN, samples.PLAIN, samples.CKTILE]
    assert [row.code for row in result.unsupported] == ["CKP041"] * 3
    assert {report.form for report in result.files} == {"kernel name"}


@pytest.mark.parametrize(
    ("name", "code"),
    [(samples.ASM, "CKP040"), (samples.TRITON, "CKP040"), ("moe_ck2stages_gemm1_256x32x64x128_1x4", "CKP046")],
)
def test_a_kernel_name_that_is_no_ck_instance(name: str, code: str) -> None:
    (row,) = read_files([name]).unsupported
    assert row.code == code


def test_a_kernel_name_that_is_damaged_or_cut() -> None:
    with pytest.raises(KernelNameError) as caught:
        read_files([samples.PLAIN[:-1]])
    assert caught.value.code == "CKP032"
    (bad,) = read_files([forms.symbol(PLAIN)[:300]]).bad
    assert bad.code == "CKP031" and "the name is cut" in bad.message
    with pytest.raises(InputError) as unknown:
        read_files(["no_such_file.csv"])
    assert unknown.value.code == "CKP001"


def entries(tmp_path: Path) -> tuple[InstanceEntry, ...]:
    table = tmp_path / "cktile_gfx950_blockscale.csv"
    table.write_text(f"{TILE_HEADER}\n{tile_row(3, 2)}\n")
    source = tmp_path / "list.py"
    source.write_text(forms.python_source({14: PLAIN}))
    return read_files([source, table]).instances


def test_instances_are_joined_to_shapes(tmp_path: Path) -> None:
    shapes = tmp_path / "shapes.csv"
    shapes.write_text("M,N,K\n16,1536,7168\n1,2,x\n16,1536,7168\n32,1536,7168\n")
    joined = join_shapes(entries(tmp_path), shapes)
    assert [(row.shape, row.kernel_name, row.family, row.where.line) for row in joined.rows] == [
        (GemmShape(16, 1536, 7168), samples.PLAIN, Family.PLAIN, 2),
        (GemmShape(32, 1536, 7168), samples.PLAIN, Family.PLAIN, 5),
        (GemmShape(16, 1536, 7168), samples.CKTILE, Family.PLAIN, 2),
        (GemmShape(32, 1536, 7168), samples.CKTILE, Family.PLAIN, 5),
    ]
    first, *_, last = joined.rows
    assert (first.gfx, first.provenance.gfx, first.cu_num) == ("gfx950", Origin.ARCH_ARGUMENT, 256)
    assert (last.provenance.gfx, last.provenance.family) == (Origin.INSTANCE_LIST, Origin.FILE_NAME)
    assert first.notes[0] == f"the instance is written at {first.instance_at}"
    assert "no measured time" not in first.notes and first.kernel_id is None


def test_shapes_of_other_chips_are_left_out(tmp_path: Path) -> None:
    shapes = tmp_path / "shapes.csv"
    shapes.write_text("gfx,cu_num,M,N,K\ngfx942,304,16,1536,7168\ngfx1250,,1,2,3\n")
    joined = join_shapes(entries(tmp_path), shapes)
    assert [(row.gfx, row.cu_num, row.kernel_name) for row in joined.rows] == [("gfx942", 304, samples.PLAIN)]
    assert [(row.code, "no shape for gfx950" in row.reason) for row in joined.unsupported] == [("CKP041", True)]


def test_read_files_joins_and_accounts(tmp_path: Path) -> None:
    shapes = tmp_path / "shapes.csv"
    shapes.write_text("M,N,K\n16,1536,7168\n0,1,2\n32,1536,7168\n")
    listing = tmp_path / "a8w8_blockscale.hpp"
    listing.write_text(forms.cpp_source(forms.cpp_tuple(PLAIN), forms.cpp_tuple(PLAIN, "Row, Row")))
    result = read_files([listing], shapes=shapes)
    assert (len(result.rows), len(result.superseded)) == (2, 0)
    assert [row.code for row in result.unsupported] == ["CKP045"]
    assert [(bad.code, bad.where.line) for bad in result.bad] == [("CKP013", 3)]
    assert [(report.form, report.data_rows) for report in result.files] == [("C++ instances", 3), ("shapes", 1)]
    assert result.read + len(result.unsupported) + len(result.bad) == result.data_rows


def test_two_instances_of_one_shape_compete(tmp_path: Path) -> None:
    shapes = tmp_path / "shapes.csv"
    shapes.write_text("M,N,K\n16,1536,7168\n")
    result = read_files([samples.PLAIN, samples.PLAIN], shapes=shapes)
    assert (len(result.rows), len(result.superseded)) == (1, 1)
    assert result.superseded[0].note.endswith("comes first")


@pytest.mark.parametrize(("text", "code"), [("M,N\n1,2\n", "CKP005"), ("", "CKP003")])
def test_a_shapes_file_that_cannot_be_used(tmp_path: Path, text: str, code: str) -> None:
    shapes = tmp_path / "shapes.csv"
    shapes.write_text(text)
    with pytest.raises(InputError) as caught:
        read_files([samples.PLAIN], shapes=shapes)
    assert caught.value.code == code


def test_the_whole_wheel(wheel: Path, real_data: Path) -> None:
    result = read_files([wheel])
    assert result.bad == ()
    found = Counter(os.path.basename(entry.where.path) for entry in result.instances)
    stem = "device_gemm_{}_xdl_f8_f8_bf16_{}_mn_128_128_128.hpp"
    assert found == {
        stem.format("ab_scale", "mk_nk"): 19,
        stem.format("ab_scale", "mk_kn"): 19,
        stem.format("ab_scale", "km_kn"): 25,
        stem.format("blockscale_wp", "mk_nk"): 23,
        "gemm_multiply_multiply_xdl_fp8_ab_scale.cpp": 1,
        "gemm_multiply_multiply_xdl_fp8_blockscale_bpreshuffle.cpp": 1,
        "gemm_a8w8_blockscale_common.py": 20,
        "gemm_a8w8_blockscale_bpreshuffle_common.py": 19,
    }
    codes = Counter(row.code for row in result.unsupported)
    # CK keeps 6 mk_kn and 6 km_kn tuples as comments.
    assert (codes["CKP048"], codes["CKP045"], codes["CKP041"]) == (12, 13 + 19, 19 + 23 + 2 + 20 + 19)
    assert sum("MoE" in row.reason for row in result.unsupported if row.code == "CKP046") > 10
    tuples = {entry.instance for entry in result.instances if "_mk_nk_" in entry.where.path}
    dicts = {(entry.kernel_id, entry.instance) for entry in result.instances if entry.where.path.endswith(".py")}
    tables = read_files(sorted((real_data / "instances").glob("ck_*.csv"))).instances
    assert dicts == {(entry.kernel_id, entry.instance) for entry in tables}
    assert {instance for _, instance in dicts} <= tuples


def test_the_wheel_reads_the_same_twice_and_in_order(wheel: Path) -> None:
    sources = wheel / "aiter_meta" / "csrc"
    first, second = read_files([sources]), read_files([sources])
    assert first == second
    paths = [report.path for report in first.files]
    assert paths == sorted(paths, key=lambda path: path.split("/"))
