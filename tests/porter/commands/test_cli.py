# SPDX-License-Identifier: Apache-2.0
"""The command as people use it: what it prints, what it writes, and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from oracle.machine.errors import CoreUnusable
from porter import manifest
from porter.commands.common import guarded
from porter.commands.main import main
from porter.runtime._regimes import Regime
from tests.porter.command import porter, valid

HEADER = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
NAME = "a8w8_blockscale_bpreshuffle_1x128x128_256x64x256x128_16x16_16x16_8x32x1_8x32x1_1x32x1x8_8_2x1_intrawave_v1"
GOOD = f"gfx950,256,4096,2048,7168,ck,13,0,79.0,{NAME},1,1,0\n"
BAD = f"gfx950,256,-1,2048,7168,ck,13,0,79.0,{NAME},1,1,0\n"
ODD_K = f"gfx950,256,4096,2048,100,ck,13,0,79.0,{NAME},1,1,0\n"


def table(folder: Path, *rows: str, name: str = "rows.csv") -> Path:
    path = folder / name
    path.write_text(HEADER + "".join(rows))
    return path


def test_help_imports_nothing_heavy() -> None:
    heavy = ("torch", "flydsl", "rich", "libcst", "numpy")
    code = f"import porter.commands.main, sys; print([m for m in {heavy} if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "[]\n"


@pytest.mark.parametrize("command", [[], *([name] for name in main.commands)])
def test_every_command_has_help(command: list[str]) -> None:
    result = porter(*command, "--help")
    assert result.exit_code == 0
    assert "Usage: " in result.stdout


@pytest.mark.parametrize(
    ("shape", "regime"),
    [
        ((4096, 65536, 1536), "wide_n"),
        ((16384, 7168, 768), "k_light"),
        ((4096, 2048, 7168), "narrow_n_deep_k"),
        ((16384, 1536, 7168), "narrow_n_deep_k"),
        ((1, 7168, 2304), "decode"),
        ((1000, 4608, 7168), "general"),
        ((128, 512, 1024), "general"),
    ],
)
def test_explain(shape: tuple[int, int, int], regime: str, repository: Path) -> None:
    spelt = "x".join(map(str, shape))
    data = valid(porter("explain", spelt, "--format", "json"), "explain", repository)
    assert data["regime"] == regime
    assert next(reason["rule"] for reason in data["reasons"] if reason["holds"]) == regime
    text = porter("explain", spelt).stdout
    assert text.startswith(f"regime       {regime}\nrecipe       {data['recipe']['name']}")


@pytest.mark.parametrize(
    "shape", ["0x1x1", "-x16x128", "16x-x-", "1 16 128", "1x16", "1x-x128", "16x16x128x2", "+1x16x128"]
)
def test_explain_wants_a_whole_shape_of_positive_sizes(shape: str) -> None:
    result = porter("explain", "--", shape)
    assert result.exit_code == 2
    assert "[CKV004]" in result.stderr


def test_a_shape_of_b_has_no_rows(tmp_path: Path) -> None:
    result = porter("waits", tmp_path / "x.s", "--shape", "3x16x128")
    assert result.exit_code == 2
    assert "write -xNxK [CKV004]" in result.stderr


def test_convert_writes_kernels_and_accounts_for_every_row(tmp_path: Path, repository: Path) -> None:
    rows = table(tmp_path, GOOD, ODD_K)
    out = tmp_path / "out"
    data = valid(porter("convert", rows, "--out", out, "--format", "json"), "convert", repository)
    assert (data["rows"], data["converted"], data["unsupported"], data["bad"]) == (2, 1, 1, 0)
    assert data["unsupported_rows"][0]["where"] == f"{rows}:3"
    content = json.loads((out / "manifest.json").read_text())
    jsonschema.validate(content, json.loads((repository / "docs" / "schemas" / "manifest.json").read_text()))
    found = manifest.read(out / "manifest.json")
    assert [kernel.name for kernel in found.kernels] == [kernel["name"] for kernel in data["kernels"]]
    assert {path.name for path in out.iterdir()} == {*found.files, "manifest.json"}
    assert found.kernels[0].rows[0].place == "rows.csv:2"


def test_convert_is_byte_identical_from_anywhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = table(tmp_path, GOOD)
    porter("convert", rows, "--out", tmp_path / "a")
    monkeypatch.chdir(tmp_path)
    porter("convert", "rows.csv", "--out", "b")
    for path in (tmp_path / "a").iterdir():
        assert path.read_bytes() == (tmp_path / "b" / path.name).read_bytes()


def test_check_writes_nothing_and_tells_drift(tmp_path: Path) -> None:
    rows, out = table(tmp_path, GOOD), tmp_path / "out"
    missing = porter("convert", rows, "--out", out, "--check")
    assert missing.exit_code == 1
    assert "is missing" in missing.stdout
    assert not out.exists()
    porter("convert", rows, "--out", out)
    assert porter("convert", rows, "--out", out, "--check").exit_code == 0
    (out / "_shim.py").write_text("edited")
    changed = porter("convert", rows, "--out", out, "--check")
    assert changed.exit_code == 1
    assert "_shim.py is changed" in changed.stdout
    assert (out / "_shim.py").read_text() == "edited"


def test_diff_shows_and_writes_nothing(tmp_path: Path) -> None:
    rows, out = table(tmp_path, GOOD), tmp_path / "out"
    result = porter("convert", rows, "--out", out, "--diff")
    assert result.exit_code == 0
    assert "+++ b/manifest.json" in result.stdout
    assert not out.exists()


def test_strict_makes_unsupported_rows_findings(tmp_path: Path) -> None:
    rows = table(tmp_path, GOOD, ODD_K)
    assert porter("convert", rows, "--out", tmp_path / "out").exit_code == 0
    assert porter("convert", rows, "--out", tmp_path / "out", "--strict").exit_code == 1


def test_select_takes_shapes_instances_and_kernels(tmp_path: Path) -> None:
    other = GOOD.replace("4096,2048", "512,4096")
    rows = table(tmp_path, GOOD, other)
    globs = (("4096x2048x*", 1), ("*256x64x256x128*", 2), ("flydsl_*_8w_*", 1), ("no-such", 0))
    for number, (glob, count) in enumerate(globs):
        arguments = ("convert", rows, "--out", tmp_path / str(number), "--select", glob, "--format", "json")
        assert json.loads(porter(*arguments).stdout)["rows"] == count, glob


def test_by_shape_takes_rows_of_other_libraries(tmp_path: Path) -> None:
    row = GOOD.replace(",ck,13,", ",asm,13,").replace(NAME, "_ZN5aiter42fp8gemm_bf16_blockscale_BpreShuffle_32x128E")
    rows = table(tmp_path, row)
    for extra, converted in (((), 0), (("--by-shape",), 1)):
        data = json.loads(porter("convert", rows, "--out", tmp_path / "o", "--format", "json", *extra).stdout)
        assert (data["converted"], data["unsupported"]) == (converted, 1 - converted)


def test_other_operations_are_listed_and_are_no_findings(tmp_path: Path) -> None:
    configs = tmp_path / "configs"
    configs.mkdir()
    table(configs, GOOD)
    (configs / "untuned_fmoe.csv").write_text("token,model_dim,inter_dim,expert\n1,2,3,4\n5,6,7,8\n")
    (configs / "a8w8_untuned_gemm.csv").write_text("M,N,K\n1, 1280, 8192\n")
    arguments = ("convert", configs, "--out", tmp_path / "out", "--strict")
    shown = porter(*arguments)
    assert shown.exit_code == 0 and "untuned_fmoe.csv: 2 rows of fused MoE [CKP051]" in shown.stdout
    assert "4 rows = 1 converted + 0 unsupported + 3 of other operations + 0 bad" in shown.stdout
    data = json.loads(porter(*arguments, "--format", "json").stdout)
    assert (data["rows"], data["converted"], data["other_operation"]) == (4, 1, 3)
    assert [(item["operation"], item["rows"]) for item in data["other_operations"]] == [
        ("a8w8 GEMM without scale blocks", 1),
        ("fused MoE", 2),
    ]
    assert all(
        item["rows"] == item["converted"] + item["unsupported"] + item["other_operation"] + item["bad"]
        for item in data["files"]
    )
    # What is selected is selected by names that these rows do not have.
    assert json.loads(porter(*arguments, "--format", "json", "--select", "*").stdout)["other_operation"] == 0


def test_err_ratio_decides_between_rows_of_one_key(tmp_path: Path) -> None:
    wrong = GOOD.replace(",79.0,", ",1.0,").removesuffix("0\n") + "0.2\n"
    rows = table(tmp_path, wrong, GOOD)
    for extra, kept in (((), "rows.csv:3"), (("--err-ratio", "0.2"), "rows.csv:2")):
        assert porter("convert", rows, "--out", tmp_path / "out", *extra).exit_code == 0
        (kernel,) = manifest.read(tmp_path / "out" / "manifest.json").kernels
        assert [row.place for row in kernel.rows] == [kept]
    assert porter("convert", rows, "--out", tmp_path / "out", "--err-ratio", "-1").exit_code == 2


def test_bad_rows_do_not_stop_good_ones(tmp_path: Path) -> None:
    rows, out = table(tmp_path, BAD, GOOD), tmp_path / "out"
    result = porter("convert", rows, "--out", out)
    assert result.exit_code == 1
    assert f"bad: {rows}:2:" in result.stdout
    assert (out / "manifest.json").exists()


def test_an_mslk_style_instance_with_a_narrow_k_tile_is_refused(tmp_path: Path) -> None:
    name = NAME.replace("256x64x256x128", "256x64x256x64").replace("8x32x1_8x32x1", "4x64x1_4x64x1")
    data = json.loads(
        porter("convert", table(tmp_path, GOOD.replace(NAME, name)), "--out", tmp_path / "o", "--format", "json").stdout
    )
    assert [row["code"] for row in data["unsupported_rows"]] == ["CKS152"]


USELESS: dict[str, bytes] = {
    "empty": b"",
    "binary": bytes(range(256)) * 64,
    "missing column": b"gfx,cu_num,M,N\ngfx950,256,1,2\n",
    "only bad rows": (HEADER + BAD).encode(),
    "not a number": (HEADER + BAD.replace("-1", "NaN")).encode(),
    "long line": HEADER.encode() + b"x" * 100_000_000,
    "many cells": HEADER.encode() + b"1," * 10_000,
    "nul": HEADER.encode() + b"\0" * 100,
}


@pytest.mark.parametrize("content", USELESS.values(), ids=USELESS)
def test_useless_input_is_exit_2_a_clear_error_and_no_file(content: bytes, tmp_path: Path) -> None:
    path, out = tmp_path / "input.csv", tmp_path / "out"
    path.write_bytes(content)
    result = porter("convert", path, "--out", out)
    assert result.exit_code == 2, result.output
    assert "input.csv" in result.stderr and "[CKP" in result.stderr
    assert "Traceback" not in result.output
    assert len(result.output) < 5000
    assert not out.exists()


def test_a_missing_file_is_exit_2(tmp_path: Path) -> None:
    result = porter("convert", tmp_path / "nowhere.csv", "--out", tmp_path / "out")
    assert result.exit_code == 2
    assert "nowhere.csv" in result.stderr


def test_header_only_is_no_rows_and_good(tmp_path: Path) -> None:
    result = porter("convert", table(tmp_path), "--out", tmp_path / "out")
    assert result.exit_code == 0
    assert "0 rows = 0 converted + 0 unsupported + 0 bad" in result.stdout


def test_an_unexpected_error_is_our_bug(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def broken(*_: object, **__: object) -> None:
        raise RuntimeError("the sky fell")

    monkeypatch.setattr("porter.conversion.convert.read_files", broken)
    result = porter("convert", table(tmp_path, GOOD))
    assert result.exit_code == 4
    assert "RuntimeError: the sky fell" in result.stderr
    assert "bug in porter" in result.stderr


def test_doctor_lists_tools_and_how_to_get_missing_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repository: Path
) -> None:
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    result = porter("doctor", "--format", "json")
    assert result.exit_code == 0
    tools = {tool["name"]: tool for tool in valid(result, "doctor", repository)["tools"]}
    assert tools["flydsl"]["found"] and tools["machine core"]["found"]
    assert not tools["ld.lld"]["found"] and "lld-22" in tools["ld.lld"]["how"]
    assert "lld-22" in porter("doctor").stdout


def test_doctor_says_what_building_ck_lacks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, repository: Path) -> None:
    header, wheel = tmp_path / "ck/include/ck/ck.hpp", tmp_path / "amd_aiter.whl"
    header.parent.mkdir(parents=True)
    for file in (header, wheel):
        file.touch()

    def tools(ck: str) -> dict[str, dict[str, str]]:
        monkeypatch.setenv("PORTER_CK", ck)
        return {
            tool["name"]: tool for tool in valid(porter("doctor", "--format", "json"), "doctor", repository)["tools"]
        }

    monkeypatch.setenv("ROCM_PATH", str(tmp_path))  # the only place looked in
    missing = tools("")
    assert not missing["clang++"]["found"] and "clang-22 lld-22" in missing["clang++"]["how"]
    assert not missing["CK's source"]["found"] and "pip download --no-deps amd-aiter" in missing["CK's source"]["how"]
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("ROCM_PATH")
    assert not tools("")["clang++"]["found"]
    for name in ("clang++-22", "ld.lld-22"):
        (tmp_path / name).write_text("")
        (tmp_path / name).chmod(0o755)
    assert tools("")["clang++"]["found"] == str(tmp_path / "clang++-22")
    assert tools(str(tmp_path / "ck"))["CK's source"]["found"] == str(tmp_path / "ck")
    assert tools(str(wheel))["CK's source"]["found"] == str(wheel)
    wrong = tools(str(tmp_path / "nothing"))["CK's source"]
    assert not wrong["found"] and "no Composable Kernel in" in wrong["how"]


def test_doctor_fails_when_something_required_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("porter.toolchain.tools._version", lambda name: "" if name == "torch" else "1")
    assert porter("doctor").exit_code == 3


def test_real_inputs_are_accounted_for(real_data: Path, tmp_path: Path) -> None:
    tables = sorted((real_data / "aiter").glob("*.csv"))
    lists = [f"--instances={path}" for path in sorted((real_data / "instances").glob("cktile*.csv"))]
    data = json.loads(porter("convert", *tables, *lists, "--out", tmp_path / "out", "--format", "json").stdout)
    assert data["rows"] == 21066 == data["converted"] + data["unsupported"] + data["bad"]
    assert data["bad"] == 0
    assert len(data["disagreements"]) == 118
    assert sum(kernel["rows"] for kernel in data["kernels"]) == data["converted"]
    for account in data["files"]:
        assert account["rows"] == account["converted"] + account["unsupported"] + account["bad"]


def test_the_installed_command_runs() -> None:
    command = Path(sys.executable).with_name("porter")
    result = subprocess.run([command, "--version"], capture_output=True, text=True, env={**os.environ, "COLUMNS": "80"})
    assert result.stdout == "porter, version 0.1.0\n"


def test_the_committed_kernels_are_those_of_the_example_file(repository: Path) -> None:
    result = porter(
        "convert",
        repository / "examples" / "ck_instances.csv",
        "--out",
        repository / "generated",
        "--census",
        "--check",
    )
    assert result.exit_code == 0, result.stdout
    assert "27 rows = 25 converted + 2 unsupported + 0 bad" in result.stdout


def test_the_committed_manifest_has_the_census_of_every_kernel(repository: Path) -> None:
    path = repository / "generated" / "manifest.json"
    jsonschema.validate(
        json.loads(path.read_text()), json.loads((repository / "docs" / "schemas" / "manifest.json").read_text())
    )
    for kernel in manifest.read(path).kernels:
        assert kernel.census is not None
        gemm = kernel.census.kernels[0]
        assert gemm.loop.mfma and gemm.loop.branches_back and not gemm.loop.native_scales
        assert gemm.resources.vgpr_spills == gemm.resources.scratch_bytes == 0


def test_the_example_covers_every_regime_and_refuses_something(repository: Path) -> None:
    kernels = manifest.read(repository / "generated" / "manifest.json").kernels
    assert {row.regime for kernel in kernels for row in kernel.rows} == set(Regime)
    assert any(row.shape.m % 64 for kernel in kernels for row in kernel.rows)


@pytest.mark.parametrize(
    ("error", "exit_code", "words"),
    [
        (
            CoreUnusable("CKM015", "built from other tables", "rebuild"),
            3,
            "porter: error: built from other tables [CKM015]",
        ),
        (ImportError("no module", name="numpy"), 4, "porter: internal error: ImportError: no module"),
        (KeyboardInterrupt(), 130, "porter: interrupted"),
    ],
)
def test_how_a_command_ends_with_what_it_does_not_expect(
    error: BaseException, exit_code: int, words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    @guarded
    def command() -> None:
        raise error

    with pytest.raises(SystemExit) as ended:
        command()
    assert ended.value.code == exit_code
    assert capsys.readouterr().err.startswith(words)
