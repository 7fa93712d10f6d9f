# SPDX-License-Identifier: Apache-2.0
"""The census of hot loops, and the budgets that the cores keep."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from porter.errors import InputError
from porter.kernel_spec import Schedule
from porter.measure.census import reference_nk, take
from tests.porter.command import porter, valid
from tests.porter.kernels import compiled, written
from tests.porter.specs import DECODE, EIGHT_WAVE, FOUR_WAVE, FOUR_WAVE_PLAIN

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.mark.parametrize("k", [1024, 1536, 7168])
def test_the_4_wave_loop_keeps_its_budget(k: int) -> None:
    (census,) = take(compiled(FOUR_WAVE, 2048, k).isa)
    loop = census.loop
    assert loop.branches_back and loop.blocks == 2 and loop.mfma == 32
    assert loop.instructions <= 210 and loop.nop_wait_states <= 8
    assert (loop.lds_reads, loop.lds_dma, loop.barriers, loop.scratch, loop.native_scales) == (16, 4, 2, 0, 0)
    assert 2 * (loop.valu["pk_fma"]) + loop.valu["fma"] == 128
    # The promote takes its scale as the first factor: with it as the second LLVM writes op_sel:[0,1,0].
    assert sum(loop.packed.values()) == loop.valu["pk_fma"] + loop.valu["pk_mul"]
    assert not any("op_sel:[0,1,0]" in form for form in loop.packed)
    # One load behind the DMA of A is waited for at the barrier; 8 of B and 3 of scales may be on their way.
    assert loop.waits["vmcnt(11)"] == 2 and "vmcnt(0)" not in loop.waits
    assert (census.resources.workgroups_per_cu, census.resources.waves_per_simd) == (2, 2)


@pytest.mark.parametrize("schedule", Schedule)
def test_the_8_wave_loop_never_drains_its_loads(schedule: Schedule) -> None:
    (census,) = take(compiled(replace(EIGHT_WAVE, schedule=schedule), 2048, 7168).isa)
    loop = census.loop
    assert loop.blocks == 2 and loop.mfma == 32 and loop.barriers == 16 and loop.scratch == loop.agpr_moves == 0
    assert not any(wait == "vmcnt(0)" for wait in loop.waits)
    if schedule is Schedule.CLUSTER:
        assert loop.nop_wait_states <= 16


def test_a_text_with_two_kernels_and_the_reference_shape() -> None:
    spec = replace(DECODE, split_k=4)
    n, k = reference_nk(spec)
    assert (n, k) == (256, 16384)
    gemm, reduce = take(compiled(spec, n, k).isa)
    assert gemm.loop.mfma and not reduce.loop.mfma and "no loop holds an MFMA" in reduce.loop.taken


@pytest.mark.parametrize(("text", "code"), [("", "CKT021"), ("\tv_mov_b32 v0", "CKT021"), ("\0", "CKT020")])
def test_useless_texts(text: str, code: str) -> None:
    with pytest.raises(InputError) as caught:
        take(text)
    assert caught.value.code in (code, "CKT020")


def test_the_command(tmp_path: Path, repository: Path) -> None:
    module = written(FOUR_WAVE_PLAIN, tmp_path)
    text = tmp_path / "kernel.s"
    text.write_text(compiled(FOUR_WAVE_PLAIN, 512, 4096).isa)
    seen = []
    for kernel in (module, text):
        result = porter("census", kernel, "--format", "json")
        assert result.exit_code == 0, result.output
        (counted,) = valid(result, "census", repository)["kernels"]
        assert counted.pop("path") == str(kernel)
        seen.append(counted)
    # A text alone says nothing of arguments, so it is not run.
    assert seen[0].pop("requests")["per_k_tile"] == 672
    assert seen[0] == seen[1] and seen[0]["loop"]["per_two_blocks"]["instructions"] > 100
    assert seen[0]["tile"] == [64, 256, 128] and seen[0]["limits"] == ["vgprs"]
    shown = porter("census", module, text).stdout
    assert shown.count("K blocks a trip") == 2 and shown.count(FOUR_WAVE_PLAIN.name) == 2
    assert "pk_fma op_sel:[1,0,0]" in shown and "requests, a K tile" in shown
    missing = porter("census", tmp_path / "none.s")
    assert missing.exit_code == 2 and "[CKT020]" in missing.stderr
