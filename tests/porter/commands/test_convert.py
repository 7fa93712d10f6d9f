# SPDX-License-Identifier: Apache-2.0
"""What `porter convert` does to a folder that holds kernels, and what it prints beside JSON."""

from __future__ import annotations

import json
from pathlib import Path

from tests.porter.command import porter

EXAMPLE = Path(__file__).parents[3] / "examples" / "ck_instances.csv"
HEAD = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"


def test_inputs_without_a_kernel_take_no_kernels_place(tmp_path: Path) -> None:
    out = tmp_path / "kernels"
    assert porter("convert", EXAMPLE, "--out", out, "--select", "*_dec_16*").exit_code == 0
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    result = porter("convert", EXAMPLE, "--out", out, "--select", "typo*")
    assert result.exit_code == 2 and "CKP063" in result.output
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_an_empty_table_into_an_empty_folder_is_good(tmp_path: Path) -> None:
    table = tmp_path / "empty.csv"
    table.write_text(HEAD + "\n")
    assert porter("convert", table, "--out", tmp_path / "kernels").exit_code == 0
    assert porter("convert", table, "--out", tmp_path / "kernels").exit_code == 0


def test_what_is_removed_is_said(tmp_path: Path) -> None:
    out = tmp_path / "kernels"
    first = porter("convert", EXAMPLE, "--out", out, "--select", "*_dec_16*")
    assert "removed what" not in first.output
    gone = next(out.glob("flydsl_*_dec_16*.py")).name
    second = porter("convert", EXAMPLE, "--out", out, "--select", "*_8w_*")
    assert second.exit_code == 0 and f"removed what these inputs do not give: {gone}" in second.output.replace("\n", "")


def test_json_stands_alone_beside_a_diff(tmp_path: Path) -> None:
    result = porter("convert", EXAMPLE, "--out", tmp_path / "kernels", "--diff", "--format", "json")
    assert json.loads(result.stdout)["schema"].startswith("porter/convert/")


def test_the_hint_of_unsupported_rows_is_printed(tmp_path: Path) -> None:
    table = tmp_path / "asm.csv"
    name = "_ZN5aiter43fp8gemm_bf16_blockscale_BpreShuffle_128x128E"
    table.write_text(f"{HEAD}\ngfx950,256,16,512,1024,asm,0,1,1.0,{name},0,0,0\n")
    result = porter("convert", table, "--out", tmp_path / "kernels")
    assert "CKP040" in result.output and "hint: --by-shape" in result.output
