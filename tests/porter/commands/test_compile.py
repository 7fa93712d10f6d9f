# SPDX-License-Identifier: Apache-2.0
"""`porter compile`: what it writes is what the machine runs, with and without a linker."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest

from oracle import machine
from oracle.compare import canaries
from oracle.datasets import dataset
from oracle.machine import Memory, Mode, Severity
from oracle.verify import execute, expected_bits
from porter.measure import under_test as prove
from porter.toolchain import find_linker, find_objcopy
from porter.toolchain.tools import find_llvm_tool
from tests.porter.command import porter, valid
from tests.porter.kernels import compiled, written
from tests.porter.manifests import manifest_of
from tests.porter.specs import DECODE, FOUR_WAVE

pytestmark = pytest.mark.usefixtures("own_cache")
SPLIT = replace(DECODE, split_k=3)
N, K, M = 128, 768, 21


@pytest.fixture
def no_linker(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ROCM_PATH", str(tmp_path / "no-rocm"))


def needs(*tools: str) -> None:
    """Skip without ld.lld and the other tools named."""
    found: dict[str, Callable[[], Path | None]] = {
        "ld.lld": find_linker,
        "llvm-objcopy": find_objcopy,
        "llvm-objdump": lambda: find_llvm_tool("llvm-objdump"),
    }
    for tool in ("ld.lld", *tools):
        if found[tool]() is None:
            pytest.skip(f"{tool} is not installed")


def stem(name: str) -> str:
    return f"{name}_n{N}_k{K}"


def save(folder: Path, out: Path, repository: Path, *kernels: Path) -> dict[str, Any]:
    result = porter("compile", *kernels, "--save", out, "--shape", f"-x{N}x{K}", "--format", "json")
    assert result.exit_code == 0, result.output
    return valid(result, "compile", repository)


def metadata(out: Path, name: str, repository: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((out / f"{stem(name)}.json").read_text())
    schema = json.loads((repository / "docs" / "schemas" / "compiled-kernel.json").read_text())
    jsonschema.validate(data, schema)
    return data


@pytest.mark.usefixtures("no_linker")
def test_without_a_linker_text_and_metadata_are_written_and_the_rest_is_named(tmp_path: Path, repository: Path) -> None:
    module, out = written(SPLIT, tmp_path), tmp_path / "aot"
    (kernel,) = save(tmp_path, out, repository, module)["kernels"]
    assert sorted(path.name for path in out.iterdir()) == sorted(kernel["files"])
    assert {Path(name).suffix for name in kernel["files"]} == {".s", ".json"}
    assert [missing["what"] for missing in kernel["not_written"]] == ["code object", "C export"]
    assert all("lld-22" in missing["how"] for missing in kernel["not_written"])
    text = porter("compile", module, "--save", out, "--shape", f"-x{N}x{K}")
    assert text.exit_code == 0
    assert "code object not written: ld.lld is not" in text.stdout and "apt-get install lld-22" in text.stdout


def value(expression: Any, m: int) -> int:
    if isinstance(expression, int):
        return expression
    if expression == "M":
        return m
    operation, _, left, *more = expression
    a, b = value(left, m), value(more[0], m) if more else 1
    if operation == "index_cast":
        return a
    return {"addi": a + b, "muli": a * b, "subi": a - b, "floordivsi": a // b, "minsi": min(a, b)}[operation]


@pytest.mark.usefixtures("no_linker")
def test_the_metadata_alone_is_enough_to_launch_the_kernels(tmp_path: Path, repository: Path) -> None:
    out = tmp_path / "aot"
    save(tmp_path, out, repository, written(SPLIT, tmp_path))
    data = metadata(out, SPLIT.name, repository)
    problem = dataset("general", M, N, K, "e4m3fn", 1, 0)
    arrays = {
        "C": canaries(M, N, "bf16"),
        "A": problem.x.numpy(),
        "B": problem.w.numpy(),
        "x_scale": problem.xs.numpy(),
        "w_scale": problem.ws.numpy(),
        "workspace": np.full((data["spec"]["split_k"], M, N), np.nan, dtype=np.float32),
    }
    program = machine.load(out / f"{stem(SPLIT.name)}.s", data["arch"])
    layouts = {kernel["symbol"]: kernel["kernarg"] for kernel in data["kernels"]}
    assert [launch["kernel"] for launch in data["launches"]] == list(layouts)
    for launch in data["launches"]:
        memory = Memory()
        addresses = {name: memory.place(array, name) for name, array in arrays.items()}
        layout = layouts[launch["kernel"]]
        assert [argument["name"] for argument in layout["arguments"]] == launch["args"]
        kernarg = bytearray(layout["bytes"])
        for argument in layout["arguments"]:
            number = {**addresses, "M": M}[argument["name"]]
            kernarg[argument["offset"] : argument["offset"] + argument["size"]] = int(number).to_bytes(
                argument["size"], "little"
            )
        grid, block = ([value(size, M) for size in launch[what]] for what in ("grid", "block"))
        program.launch(grid, block, bytes(kernarg), memory, Mode(), kernel=launch["kernel"])
    kernel = prove.under_test(SPLIT, compiled(SPLIT, N, K))
    assert np.array_equal(arrays["C"].view(np.uint16), expected_bits(kernel, problem))
    for name, digest in data["files"].items():
        assert hashlib.sha256((out / name).read_bytes()).hexdigest() == digest


@pytest.mark.parametrize("spec", [SPLIT, FOUR_WAVE], ids=lambda spec: spec.name)
def test_the_code_object_computes_what_the_text_computes(spec: Any, tmp_path: Path, repository: Path) -> None:
    needs("llvm-objdump")
    out = tmp_path / "aot"
    save(tmp_path, out, repository, written(spec, tmp_path))
    kernel = prove.under_test(spec, compiled(spec, N, K))
    problem = dataset("general", M, N, K, "e4m3fn", 1, 0)
    results = [
        execute(kernel, machine.load(out / f"{stem(spec.name)}{form}", spec.arch), problem, Mode(checks=True))
        for form in (".s", ".co")
    ]
    (text, text_reports), (built, built_reports) = results
    assert np.array_equal(text, built) and np.array_equal(built, expected_bits(kernel, problem))
    findings = [
        [(f.code, f.severity) for r in reports for f in r.findings] for reports in (text_reports, built_reports)
    ]
    assert findings[0] == findings[1] and Severity.HIGH not in {severity for _, severity in findings[0]}, findings


def test_the_c_export_holds_the_code_object_and_its_header_compiles(tmp_path: Path, repository: Path) -> None:
    needs("llvm-objcopy")
    out = tmp_path / "aot"
    save(tmp_path, out, repository, written(SPLIT, tmp_path))
    symbol = stem(SPLIT.name)
    assert (out / f"{symbol}.co").read_bytes() in (out / f"{symbol}.o").read_bytes()
    compiler = shutil.which("cc")
    assert compiler, "the set-up needed one"
    caller = f"""
    #include "{symbol}.h"
    int call(void *c, void *a, void *b, void *xs, void *ws, void *space, void *stream) {{
      return {symbol}_call_auto(c, a, b, xs, ws, space, 21, stream);
    }}
    """
    (out / "caller.c").write_text(caller)
    subprocess.run([compiler, "-Wall", "-Werror", "-c", "caller.c", "-o", "caller.o"], cwd=out, check=True)
    # Everything that the caller wants of the kernel is in the export; what is left is the GPU runtime's.
    subprocess.run([compiler, "-r", "-nostdlib", "caller.o", f"{symbol}.o", "-o", "both.o"], cwd=out, check=True)
    names = subprocess.run(["nm", "-u", "both.o"], cwd=out, check=True, capture_output=True, text=True).stdout.split()
    assert not [name for name in names if name.startswith("flydsl")]
    assert any(name.startswith("hip") for name in names)


def test_files_appear_at_once_foreign_ones_stay_and_outdated_ones_go(
    tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs("llvm-objcopy")
    module, out = written(DECODE, tmp_path), tmp_path / "aot"
    out.mkdir()
    (out / "README").write_text("mine")
    folder = out.stat().st_ino
    save(tmp_path, out, repository, module)
    assert out.stat().st_ino != folder, "the folder was not exchanged"
    first = {path.name: path.stat().st_mtime_ns for path in out.iterdir()}
    assert {Path(name).suffix for name in first} == {"", ".s", ".json", ".co", ".o", ".h"}
    save(tmp_path, out, repository, module)
    assert {path.name: path.stat().st_mtime_ns for path in out.iterdir()} == first
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    save(tmp_path, out, repository, module)
    assert {path.suffix for path in out.iterdir()} == {"", ".s", ".json"}
    assert (out / "README").read_text() == "mine"


@pytest.mark.usefixtures("no_linker")
def test_a_kernel_that_does_not_compile_does_not_stop_the_others(tmp_path: Path, repository: Path) -> None:
    good, out = written(DECODE, tmp_path), tmp_path / "aot"
    broken = tmp_path / f"{FOUR_WAVE.name}.py"
    broken.write_text('raise ValueError("broken on purpose")\n')
    result = porter("compile", broken, good, "--save", out, "--shape", f"-x{N}x{K}", "--format", "json")
    assert result.exit_code == 1
    first, second = valid(result, "compile", repository)["kernels"]
    assert "broken on purpose" in first["error"] and first["files"] == []
    assert not second["error"] and sorted(path.name for path in out.iterdir()) == sorted(second["files"])
    text = porter("compile", broken, good, "--save", out, "--shape", f"-x{N}x{K}").stdout
    assert f"FAILED {FOUR_WAVE.name}" in text and "1 compiled kernels" in text and "1 FAILED" in text


@pytest.mark.usefixtures("no_linker")
def test_no_old_code_stays_of_a_kernel_that_no_longer_compiles(tmp_path: Path, repository: Path) -> None:
    kernel, out = written(DECODE, tmp_path), tmp_path / "aot"
    save(tmp_path, out, repository, kernel)
    assert any(out.iterdir())
    kernel.write_text('raise ValueError("broken on purpose")\n')
    assert porter("compile", kernel, "--save", out, "--shape", f"-x{N}x{K}").exit_code == 1
    assert not any(out.iterdir())


@pytest.mark.usefixtures("no_linker")
def test_two_modules_of_one_name_are_refused(tmp_path: Path) -> None:
    paths = []
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        paths.append(written(DECODE, tmp_path / name))
    result = porter("compile", *paths, "--save", tmp_path / "aot", "--shape", f"-x{N}x{K}")
    assert result.exit_code == 2 and "CKT032" in result.output


@pytest.mark.usefixtures("no_linker")
def test_shapes_come_from_the_manifest(tmp_path: Path, repository: Path) -> None:
    written(DECODE, tmp_path)
    manifest = tmp_path / "manifest.json"
    manifest.write_text(manifest_of({DECODE: [(1, 256, K), (2, 256, K), (1, 128, K)]}))
    arguments = ("compile", "--save", tmp_path / "aot", "--manifest", manifest)
    data = valid(porter(*arguments, "--format", "json"), "compile", repository)
    assert [(kernel["n"], kernel["k"]) for kernel in data["kernels"]] == [(128, K), (256, K)]
    manifest.write_text(manifest_of({DECODE: ()}))
    result = porter(*arguments)
    assert result.exit_code == 2
    assert "lists no shape" in result.stderr and "[CKT030]" in result.stderr and "--shape -xNxK" in result.stderr


def test_without_flydsl_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("porter.toolchain.compile.flydsl_version", lambda: "")
    result = porter("compile", written(DECODE, tmp_path), "--save", tmp_path / "aot", "--shape", f"-x{N}x{K}")
    assert result.exit_code == 3
    assert "[CKT001]" in result.stderr
    assert not (tmp_path / "aot").exists()


@pytest.mark.usefixtures("no_linker")
def test_a_launcher_that_does_not_fit_its_kernel_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = compiled(DECODE, N, K)
    (launch,) = kernel.launches
    wrong = replace(kernel, launches=(replace(launch, args=launch.args[:-1]),))
    monkeypatch.setattr("porter.export.aot.compile_many", lambda *_, **__: [wrong])
    result = porter("compile", written(DECODE, tmp_path), "--save", tmp_path / "aot", "--shape", f"-x{N}x{K}")
    assert result.exit_code == 1
    assert "metadata has 6 arguments, its launcher passes 5 [CKT031]" in result.stdout


@pytest.mark.usefixtures("no_linker")
def test_an_unwritable_folder_is_a_clear_error(tmp_path: Path) -> None:
    module = written(DECODE, tmp_path)
    result = porter("compile", module, "--save", module / "below", "--shape", f"-x{N}x{K}")
    assert result.exit_code == 2
    assert "cannot write" in result.stderr and "[CKP060]" in result.stderr and "--save" in result.stderr
