# SPDX-License-Identifier: Apache-2.0
"""The census of hot loops, and the budgets that the cores keep."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner

from porter import emitter
from porter.census import reference_nk, take
from porter.cli import main
from porter.errors import InputError
from porter.kernel_spec import KernelSpec, Schedule
from porter.toolchain import CompileRequest, KernelSource, compile_kernel
from tests.porter.specs import DECODE, EIGHT_WAVE, FOUR_WAVE, FOUR_WAVE_PLAIN


def isa(spec: KernelSpec, n: int, k: int) -> str:
    source = KernelSource(spec.name, emitter.render(spec, emitter.Provenance("0", "0", ())), emitter.support_files())
    return compile_kernel(CompileRequest(source, n, k, spec.arch)).isa


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> object:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PORTER_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


@pytest.mark.parametrize("k", [1024, 1536, 7168])
def test_the_4_wave_loop_keeps_its_budget(k: int) -> None:
    (census,) = take(isa(FOUR_WAVE, 2048, k))
    loop = census.loop
    assert loop.branches_back and loop.blocks == 2 and loop.mfma == 32
    assert loop.instructions <= 210 and loop.nop_wait_states <= 8
    assert (loop.lds_reads, loop.lds_dma, loop.barriers, loop.scratch, loop.native_scales) == (16, 4, 2, 0, 0)
    assert 2 * (loop.valu["pk_fma"]) + loop.valu["fma"] == 128
    assert (census.resources.workgroups_per_cu, census.resources.waves_per_simd) == (2, 2)


@pytest.mark.parametrize("schedule", Schedule)
def test_the_8_wave_loop_never_drains_its_loads(schedule: Schedule) -> None:
    (census,) = take(isa(replace(EIGHT_WAVE, schedule=schedule), 2048, 7168))
    loop = census.loop
    assert loop.blocks == 2 and loop.mfma == 32 and loop.barriers == 16 and loop.scratch == loop.agpr_moves == 0
    assert not any(wait == "vmcnt(0)" for wait in loop.waits)
    if schedule is Schedule.CLUSTER:
        assert loop.nop_wait_states <= 16


def test_a_text_with_two_kernels_and_the_reference_shape() -> None:
    spec = replace(DECODE, split_k=4)
    n, k = reference_nk(spec)
    assert (n, k) == (256, 16384)
    gemm, reduce = take(isa(spec, n, k))
    assert gemm.loop.mfma and not reduce.loop.mfma and "no loop holds an MFMA" in reduce.loop.taken


@pytest.mark.parametrize(("text", "code"), [("", "CKT021"), ("\tv_mov_b32 v0", "CKT021"), ("\0", "CKT020")])
def test_useless_texts(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        take(text)
    assert caught.value.code in (code, "CKT020")


def test_the_command(tmp_path: Path, repository: Path) -> None:
    schema = json.loads((repository / "docs" / "schemas" / "census.json").read_text())
    for name, text in emitter.support_files().items():
        (tmp_path / name).write_text(text)
    module = tmp_path / f"{FOUR_WAVE_PLAIN.name}.py"
    module.write_text(emitter.render(FOUR_WAVE_PLAIN, emitter.Provenance("0", "0", ())))
    text = tmp_path / "kernel.s"
    text.write_text(isa(FOUR_WAVE_PLAIN, 512, 4096))
    seen = []
    for kernel in (module, text):
        result = CliRunner().invoke(main, ["census", str(kernel), "--format", "json"])
        assert result.exit_code == 0, result.output
        data = json.loads(result.stdout)
        jsonschema.validate(data, schema)
        seen.append(data["kernels"])
    assert seen[0] == seen[1]
    assert "per two blocks" in CliRunner().invoke(main, ["census", str(text)]).stdout
    missing = CliRunner().invoke(main, ["census", str(tmp_path / "none.s")])
    assert missing.exit_code == 2 and "[CKT020]" in missing.stderr
