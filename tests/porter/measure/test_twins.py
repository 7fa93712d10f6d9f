# SPDX-License-Identifier: Apache-2.0
"""Twins: they compile, keep the kernel's MFMAs, vary what they say, and cannot be used by accident."""

from __future__ import annotations

import ast
import importlib
import sys
from dataclasses import replace
from pathlib import Path

import black
import pytest

from porter.census import Loop
from porter.errors import KernelNameError
from porter.kernel_spec import KernelSpec, Schedule
from porter.manifest import read
from porter.measure.census import reference_nk, take
from porter.measure.twins import Twin, twins
from porter.toolchain import CompiledKernel, CompileRequest, KernelSource, compile_many
from porter.write import emitter
from tests.porter.command import porter, valid
from tests.porter.kernels import rendered
from tests.porter.specs import DECODE, EIGHT_WAVE, FOUR_WAVE, FOUR_WAVE_PLAIN, FOUR_WAVE_WIDE_K, VARIED

#: One of each core and chip, and one of each form that an edit has to know.
COMPILED = [
    FOUR_WAVE,
    FOUR_WAVE_WIDE_K,
    EIGHT_WAVE,
    replace(EIGHT_WAVE, scale_block_m=128),
    replace(DECODE, split_k=4),
    replace(FOUR_WAVE_PLAIN, arch="gfx942", mfma="16x16x32"),
]


pytestmark = pytest.mark.usefixtures("own_cache")


def loops(spec: KernelSpec, made: tuple[Twin, ...]) -> tuple[Loop, dict[str, Loop]]:
    """The hot loop of a kernel and of its twins, by kind."""
    n, k = reference_nk(spec)
    texts = {spec.name: rendered(spec)} | {t.name: t.text for t in made}
    support = emitter.support_files()
    sources = [KernelSource(name, text, support) for name, text in texts.items()]
    counted = []
    for compiled in compile_many([CompileRequest(source, n, k, spec.arch) for source in sources]):
        assert isinstance(compiled, CompiledKernel), compiled
        assert compiled.request.source.name in compiled.isa
        counted.append(take(compiled.isa)[0].loop)
    return counted[0], {twin.kind: loop for twin, loop in zip(made, counted[1:], strict=True)}


@pytest.mark.parametrize("spec", COMPILED, ids=lambda spec: spec.name)
def test_twins_keep_the_mfmas_and_vary_what_they_say(spec: KernelSpec) -> None:
    made = tuple(twin for twin in twins(spec) if not twin.kind.startswith("schedule"))
    kernel, varied = loops(spec, made)
    assert kernel.branches_back and kernel.mfma
    for loop in varied.values():
        assert (loop.mfma, loop.blocks, loop.branches_back) == (kernel.mfma, kernel.blocks, True)
        # Scales that nobody uses are not read back from LDS.
        assert kernel.lds_reads - 2 * spec.tile_m // 16 <= loop.lds_reads <= kernel.lds_reads
        assert loop.barriers == kernel.barriers
    for kind in ("promote_free", "plain_fp8"):
        loop = varied[kind]
        assert loop.valu_total == 0 and loop.scalar_loads == 0
        assert loop.lds_dma == kernel.lds_dma and loop.global_loads <= kernel.global_loads
    still = varied["no_load"]
    assert (still.global_loads, still.lds_dma, still.scalar_loads) == (0, 0, 0)
    assert 2 * still.valu["pk_fma"] + still.valu["fma"] == 2 * kernel.valu["pk_fma"] + kernel.valu["fma"]
    assert ("xcd_off" in varied) == bool(spec.xcds)
    # Scalar promotes are as many elements, none of them packed, and spill nothing.
    scalar = varied["scalar"]
    assert scalar.valu["pk_fma"] == scalar.valu["pk_mul"] == scalar.scratch == 0
    assert scalar.valu["fma"] == 2 * kernel.valu["pk_fma"] + kernel.valu["fma"]


@pytest.mark.parametrize("spec", [FOUR_WAVE, EIGHT_WAVE], ids=lambda spec: spec.core.value)
def test_schedule_twins_have_the_loop_of_that_order(spec: KernelSpec) -> None:
    made = tuple(twin for twin in twins(spec) if twin.kind.startswith("schedule"))
    kernel, varied = loops(spec, made)
    assert set(varied) == {"schedule_inline", "schedule_skew"} and spec.schedule is Schedule.CLUSTER
    for kind, loop in varied.items():
        own, _ = loops(replace(spec, schedule=Schedule(kind.removeprefix("schedule_"))), ())
        unnamed = [replace(item, taken="", lines=(0, 0)) for item in (loop, own)]
        assert unnamed[0] == unnamed[1]
        assert (loop.mfma, loop.blocks, loop.barriers) == (kernel.mfma, kernel.blocks, kernel.barriers)
        assert loop.scratch == loop.agpr_moves == 0
    assert varied["schedule_inline"].nop_wait_states > varied["schedule_skew"].nop_wait_states > 0


def test_the_waits_of_a_promote_free_twin_count_no_scales() -> None:
    (twin,) = (twin for twin in twins(FOUR_WAVE) if twin.kind == "promote_free")
    kernel, varied = loops(FOUR_WAVE, (twin,))
    # 8 loads of B and 3 of scales stand behind the scale that is waited for; without the other scales 8.
    waits = varied["promote_free"].waits
    assert kernel.waits["vmcnt(11)"] == 2 and waits["vmcnt(8)"] >= 2
    assert "vmcnt(9)" not in waits


@pytest.mark.parametrize("spec", VARIED, ids=lambda spec: spec.name)
def test_every_twin_says_that_it_is_not_for_use(spec: KernelSpec) -> None:
    made = twins(spec)
    kinds = {twin.kind for twin in made}
    assert {"promote_free", "plain_fp8", "scalar", "no_load"} <= kinds
    assert {kind for kind in kinds if kind.startswith("schedule")} == {
        f"schedule_{schedule.value}" for schedule in Schedule if schedule is not spec.schedule
    }
    for twin in made:
        assert twin.name == f"{spec.name}_twin_{twin.kind}"
        with pytest.raises(KernelNameError):
            KernelSpec.parse(twin.name)
        module = ast.parse(twin.text)
        assert (ast.get_docstring(module) or "").startswith(f"MEASUREMENT TWIN, NOT FOR USE: {twin.what}.\n")
        literals = [
            ast.literal_eval(node.value)
            for node in module.body
            if isinstance(node, ast.Assign) and ast.unparse(node.targets) == "SPEC"
        ]
        assert literals[0]["twin"] == twin.kind and literals[0]["name"] == twin.name
        assert black.format_str(twin.text, mode=black.Mode(line_length=120)) == twin.text


def test_the_command_writes_a_folder_of_its_own(tmp_path: Path, repository: Path) -> None:
    manifest = repository / "generated" / "manifest.json"
    name = read(manifest).kernels[0].name
    out = tmp_path / "twins"
    result = porter("twins", name, "--manifest", manifest, "--out", out, "--format", "json")
    assert result.exit_code == 0, result.output
    data = valid(result, "twins", repository)
    assert {path.name for path in out.iterdir()} == {
        *emitter.support_files(),
        *(f"{twin['name']}.py" for twin in data["twins"]),
    }
    sys.path.insert(0, str(tmp_path))
    try:
        module = importlib.import_module(f"twins.{data['twins'][0]['name']}")
    finally:
        sys.path.remove(str(tmp_path))
    function = getattr(module, "gemm_a8w8_blockscale" + "_bpreshuffle" * ("bpreshuffle" in name))
    for call in (lambda: function(1, 2, 3, 4), lambda: module.prepare("cuda", []), lambda: module.HOST.run(*range(5))):
        with pytest.raises(ValueError, match="is a twin for measurements, not for use"):
            call()
    text = porter("twins", name, "--manifest", manifest, "--out", out).stdout
    assert text.splitlines()[-1].endswith("for measurements, not for use")
    # Neither proof nor dispatch takes a twin for a kernel; the census does count it.
    twin = out / f"{data['twins'][0]['name']}.py"
    assert "[CKP030]" in porter("verify", twin).stderr
    assert porter("census", twin).exit_code == 0


def test_twins_do_not_go_beside_kernels_in_use(repository: Path) -> None:
    manifest = repository / "generated" / "manifest.json"
    name = read(manifest).kernels[0].name
    before = sorted(path.name for path in manifest.parent.iterdir())
    result = porter("twins", name, "--manifest", manifest, "--out", manifest.parent)
    assert result.exit_code == 2 and "[CKS172]" in result.stderr
    assert sorted(path.name for path in manifest.parent.iterdir()) == before
