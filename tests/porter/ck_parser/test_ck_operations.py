# SPDX-License-Identifier: Apache-2.0
"""Tables of aiter's other operations: told by columns, kernelNames and file names, and never taken for ours."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import ck_samples as samples
import pytest
from ck_samples import TUNED_HEADER, tuned

from porter.ck_parser import ReadResult, read_files
from porter.errors import InputError

Write = Callable[..., str]

F4 = "_ZN5aiter41f4gemm_bf16_per1x32Fp4_BpreShuffle_64x128E"
ROWWISE = "a8w8_rowwise_256x16x64x512_16x16_1x1_32x8x1_32x8x1_1x16x1x16_4x4x1_1x1_intrawave_v3"
OLD = "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio"
FMOE = "token,model_dim,inter_dim,expert,topk,act_type,dtype,q_dtype_a,q_dtype_w,q_type,use_g1u1,doweight_stage1"
#: Operation, file name, header and a row, in the forms of public tables.
TABLES = [
    ("fused MoE", "a8w8_blockscale_untuned_fmoe_x.csv", FMOE, "512,6144,4096,8,2,a,b,c,d,QuantType.per_1x128,1,0"),
    ("fused MoE", "tuned.csv", f"cu_num,{FMOE},us1,kernelName1,us", "80,1,2,3,4,5,a,b,c,d,e,1,0,1,k,2"),
    ("batched GEMM", "x.csv", f"cu_num,B,{OLD[7:]}", f"256,16,1,1280,8192,28,0,9.0,{samples.PLAIN},1,2,0"),
    ("batched GEMM", "x_untuned.csv", "B,M,N,K", "16, 1, 1280, 8192"),
    ("batched GEMM", "a8w8_blockscale_bpreshuffle_tuned_bmm.csv", "gfx,b,m,n,k,kernelName,us", "gfx950,1,2,3,4,x,5"),
    ("grouped GEMM", "grouped_gemm_mxfp8_tuned.csv", "gfx,M,N,K,us", "gfx950,1,2,3,4"),
    ("convolution", "tuned.csv", "N,C,D,H,W,K,kT,kH,kW,stride_d", "1,3,6,482,834,96,3,3,3,1"),
    ("fp4 or fp6 GEMM", "a4w4_blockscale_tuned_gemm.csv", OLD, f"256,1,800,5120,29,0,8.5,{F4},0.9,238.6,0.0"),
    ("fp4 or fp6 GEMM", "any.csv", OLD, f"256,1,800,5120,29,0,8.5,{F4},0.9,238.6,0.0"),
    ("fp4 or fp6 GEMM", "a4w4_blockscale_untuned_gemm.csv", "M,N,K", "1, 16384, 16384"),
    ("fp4 or fp6 GEMM", "a6w6_blockscale_fp8_comparison.csv", "M,N,K,fp8,fp6,delta%", "8,8,128,1,2,3"),
    ("mxfp8 GEMM", "asm.csv", "gfx,M,N,K,splitK,kernelName", "gfx1250,1,2,3,1,_ZN5aiter47f8gemm_bf16_mxfp8fp8_x"),
    ("a16w8 GEMM", "a16w8_mxnone_untuned.csv", "M,N,K", "1,2,128"),
    ("16-bit GEMM", "llama_untuned.csv", "M,N,K,bias,dtype,outdtype,scaleAB", "1,2304,128,False,a,b,False"),
    ("16-bit GEMM", "bf16_tuned_gemm.csv", "M,N,K,libtype,us,kernelName", "1,2,128,triton,5.0,triton"),
    ("a8w8 GEMM without scale blocks", "a8w8_tuned_gemm.csv", OLD, f"256,1,100,5120,34,0,8.7,{ROWWISE},1,59,0"),
    ("a8w8 GEMM without scale blocks", "a8w8_bpreshuffle_untuned_gemm.csv", "M,N,K,q_dtype_w", "1,9216,4096,x"),
    ("a8w8 GEMM without scale blocks", "asm_a8w8_gemm.csv", "M,N,K,bias,splitK,us", "128,1280,8192,True,0,1"),
]  # fmt: skip


def others(result: ReadResult) -> list[tuple[str, int, int]]:
    assert result.read + len(result.unsupported) + result.other + len(result.bad) == result.data_rows
    return [(item.operation, item.rows, item.where.line) for item in result.others]


@pytest.mark.parametrize(
    ("operation", "name", "header", "row"), TABLES, ids=[f"{case[1]}-{case[0]}" for case in TABLES]
)
@pytest.mark.parametrize("by_shape", [False, True])
def test_a_table_of_another_operation(
    write: Write, operation: str, name: str, header: str, row: str, by_shape: bool
) -> None:
    # Whatever is asked for: a layout for rows that tell none does not make them ours.
    result = read_files([write(f"{header}\n{row}\n\n{row}\n", name)], layout="plain", by_shape=by_shape)
    assert others(result) == [(operation, 2, 2)]
    assert (result.rows, result.unsupported, result.bad) == ((), (), ())


@pytest.mark.parametrize(
    ("operation", "name", "header", "row"), TABLES, ids=[f"{case[1]}-{case[0]}" for case in TABLES]
)
def test_nothing_in_it_is_judged(write: Write, operation: str, name: str, header: str, row: str) -> None:
    damaged = f"-,{row.partition(',')[2]}"
    text = f'{header}\n{row}\n{damaged}\n{row},surplus\n"{row}\n'
    result = read_files([write(text, name)])
    # The name of any.csv and its like tells nothing: there only a row's kernelName does.
    assert result.rows == ()
    if not result.bad:
        assert others(result) == [(operation, 4, 2)]
    else:
        assert name in ("any.csv", "asm.csv") and [bad.code for bad in result.bad] == ["CKP011", "CKP012"]


@pytest.mark.parametrize("name", ["a8w8_tuned_gemm.csv", "a4w4_blockscale_tuned.csv", "bf16_tuned_gemm.csv", "x.csv"])
def test_a_kernel_name_is_stronger_than_the_file_name(write: Write, name: str) -> None:
    result = read_files([write(f"{TUNED_HEADER}\n{tuned()}\n{tuned(ROWWISE, m=2)}\n{tuned(m='x')}\n", name)])
    assert [row.where.line for row in result.rows] == [2]
    assert others(result) == [("a8w8 GEMM without scale blocks", 1, 3)]
    # One row is ours, so what is damaged may be too.
    assert [(bad.code, bad.where.line) for bad in result.bad] == [("CKP013", 4)]


def test_a_damaged_name_of_this_operation_stays_bad(write: Write) -> None:
    result = read_files([write(f"{TUNED_HEADER}\n{tuned(samples.PLAIN[:-2])}\n", "a8w8_tuned_gemm.csv")])
    assert [bad.code for bad in result.bad] == ["CKP032"] and result.others == ()


@pytest.mark.parametrize("name", samples.ROUND_TRIPS)
def test_no_name_of_this_operation_is_another_one(write: Write, name: str) -> None:
    path = write(f"{TUNED_HEADER}\n{tuned(name, libtype='')}\n", "a8w8_blockscale_bf16.csv")
    assert read_files([path], by_shape=True).others == ()


@pytest.mark.parametrize(
    "name", ["a8w8_blockscale_untuned_gemm.csv", "bpreshuffle_blockscale_bf16.csv", "mxfp8_128.csv"]
)
def test_shapes_of_this_operation_are_read(write: Write, name: str) -> None:
    result = read_files([write("M,N,K\n1,128,128\n", name)], layout="plain")
    assert (result.read, result.others) == (1, ())


def test_a_layout_cell_is_stronger_than_the_file_name(write: Write) -> None:
    text = "M,N,K,layout\n1,128,128,plain\n2,128,128,\n"
    result = read_files([write(text, "a8w8_untuned_gemm.csv")])
    assert (result.read, others(result)) == (1, [("a8w8 GEMM without scale blocks", 1, 3)])


def test_a_folder_of_them_is_read_whole(tmp_path: Path, write: Write) -> None:
    for number, (_, name, header, row) in enumerate(TABLES):
        folder = tmp_path / "configs" / str(number)
        folder.mkdir(parents=True)
        (folder / name).write_text(f"{header}\n{row}\n")
    files = {
        "model_configs/llama_untuned_gemm.csv": "M,N,K\n1,2304,128\n",
        "a8w8_blockscale_tuned_gemm.csv": f"{TUNED_HEADER}\n{tuned()}\n",
        # Neither shapes nor a known operation: passed over, as everything else that has no known form.
        "chunk_tuned.csv": "kernelName,us\nx,1\n",
        "results.csv": "M,N,K,us\n1,2,3,4\n",
    }
    for name, text in files.items():
        path = tmp_path / "configs" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    result = read_files([tmp_path / "configs"])
    assert (result.read, result.other, result.bad) == (1, len(TABLES), ())
    assert [row.code for row in result.unsupported] == ["CKP042"]


def test_a_damaged_table_of_ours_in_a_folder_stays_damaged(tmp_path: Path) -> None:
    (tmp_path / "a8w8_blockscale_tuned_gemm.csv").write_text(f"{OLD.replace('M,', 'm,')}\n")
    (tmp_path / "mine.csv").write_text(f"M,N,us,kernelName\n1,2,3,{samples.PLAIN}\n")
    assert [bad.code for bad in read_files([tmp_path]).bad] == ["CKP005", "CKP005"]
    with pytest.raises(InputError) as caught:
        read_files([tmp_path / "mine.csv"])
    assert caught.value.code == "CKP005"


def test_every_real_table_of_fused_moe_is_another_operation(real_data: Path, tmp_path: Path) -> None:
    folder = tmp_path / "configs"
    shutil.copytree(real_data / "fmoe", folder)
    shutil.copy(real_data / "aiter" / "a8w8_blockscale_untuned_gemm.csv", folder)
    result = read_files([folder])
    assert (result.read, result.other, result.data_rows) == (80, 1123, 1203)
    assert {item.operation for item in result.others} == {"fused MoE"}
