# SPDX-License-Identifier: Apache-2.0
"""The whole way: kernels compiled, executed, compared; and wrong kernels caught by the same data."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

from oracle import machine
from oracle.machine import BUFFER_RANGES, LANDINGS, ORDERS
from oracle.verify import Case, prove
from oracle.wrong_kernels import MUTANTS, NEIGHBOUR_SCALE, POWER_OF_TWO_SCALE, RAW_WORKGROUP
from porter.blocks._variant import Variant
from porter.kernel_spec import Contract, KernelSpec
from porter.measure import under_test as proving
from porter.proof.shapes import recipe_ms, recipe_nks
from porter.write import emitter
from tests.porter.command import porter
from tests.porter.kernels import compiled, rendered, written
from tests.porter.manifests import manifest_of
from tests.porter.specs import DECODE, EIGHT_WAVE, FOUR_WAVE, FOUR_WAVE_PLAIN, FOUR_WAVE_WIDE_K, VARIED

pytestmark = pytest.mark.usefixtures("own_cache")
CORES = [FOUR_WAVE, FOUR_WAVE_PLAIN, EIGHT_WAVE, DECODE, replace(DECODE, split_k=3)]


def field(name: str, isa: str) -> list[int]:
    return [int(value) for value in re.findall(rf"\.{name}:\s+(\d+)", isa)]


def test_the_4_wave_kernel_meets_its_budget() -> None:
    for k in (768, 1536):
        isa = compiled(FOUR_WAVE, 65536, k).isa
        assert field("vgpr_spill_count", isa) == field("sgpr_spill_count", isa) == [0]
        assert field("private_segment_fixed_size", isa) == [0]
        assert field("agpr_count", isa) == [0]
        assert field("vgpr_count", isa)[0] <= 256
        assert field("group_segment_fixed_size", isa) == [16384]
        assert "v_mfma_f32_16x16x128_f8f6f4" in isa and "v_mfma_scale" not in isa
        # A run-time K loop: far fewer MFMAs in the text than K blocks times tiles, and a backward branch.
        assert len(re.findall(r"^\s+v_mfma", isa, re.MULTILINE)) == 64 < k // 128 * 16
        label = re.search(r"s_cbranch_\w+ (\.LBB\d+_\d+)\n", isa)
        assert label is not None and isa.index(f"{label.group(1)}:") < label.start()


@pytest.mark.parametrize("spec", VARIED, ids=lambda spec: spec.name)
def test_no_kernel_spills_or_scales_natively(spec: KernelSpec) -> None:
    for n, k in recipe_nks(spec):
        isa = compiled(spec, n, k, held=True).isa
        for name in ("vgpr_spill_count", "sgpr_spill_count", "private_segment_fixed_size", "agpr_count"):
            assert set(field(name, isa)) == {0}, (name, n, k)
        assert "v_mfma_scale" not in isa


@pytest.mark.parametrize("spec", VARIED, ids=lambda spec: spec.name)
def test_every_core_is_bit_equal_on_a_ragged_shape_with_late_loads(spec: KernelSpec) -> None:
    n, k = recipe_nks(spec)[1]
    kernel = proving.under_test(spec, compiled(spec, n, k))
    cases = [
        Case(recipe_ms(spec)[2], data, machine.Mode(landing=landing, buffer_range=rule, checks=True, threads=2))
        for data, landing, rule in (
            ("general", "late", "signed"),
            ("exact", "eager", "excluded"),
            ("exact", "late", "unsigned"),
            ("wide", "eager", "signed"),
            ("special", "late", "excluded"),
            ("cancel", "eager", "signed"),
        )
    ]
    for result in prove(kernel, cases):
        assert result.proved, (result.case, result.comparison, [str(finding) for finding in result.severe])


@pytest.mark.parametrize(
    ("spec", "k"),
    [(spec, k) for spec in CORES for k in (128, 256, 384, 512)]
    # Whole tiles and a half one, without and with a trip of the loop.
    + [(FOUR_WAVE_WIDE_K, k) for k in (128, 256, 384, 640, 896, 1280)],
    ids=lambda value: value.name if isinstance(value, KernelSpec) else str(value),
)
def test_any_number_of_k_blocks(spec: KernelSpec, k: int) -> None:
    spec = replace(spec, split_k=min(spec.split_k, k // 128))
    kernel = proving.under_test(spec, compiled(spec, spec.tile_n, k))
    modes = [machine.Mode(landing=landing, checks=True, threads=2) for landing in LANDINGS]
    for result in prove(kernel, [Case(spec.tile_m + 3, "general", mode) for mode in modes]):
        assert result.proved, (result.comparison, [str(finding) for finding in result.severe])


@pytest.mark.parametrize(
    ("spec", "mutant"),
    [
        (spec, mutant)
        for spec in (*CORES, FOUR_WAVE_WIDE_K)
        for mutant in MUTANTS
        if mutant != RAW_WORKGROUP or spec.xcds  # else the remap is what the raw workgroup is
    ],
    ids=lambda value: value.name if isinstance(value, KernelSpec) else value,
)
def test_numeric_mutants_fail_on_the_data_that_proves_the_kernel(spec: KernelSpec, mutant: str) -> None:
    n, k = recipe_nks(spec)[0]
    text = rendered(spec, Variant(fault=mutant))
    kernel = proving.under_test(spec, compiled(spec, n, k, text))
    # Scales of `exact` are powers of two, so rounding them to powers of two is no change there.
    data = ["general", "cancel"] + (["exact"] if mutant != POWER_OF_TWO_SCALE else [])
    m = recipe_ms(spec)[2]
    for result in prove(kernel, [Case(m, name, machine.Mode(threads=2)) for name in data]):
        assert result.comparison.mismatches > result.comparison.elements // 20, result.case
        assert not result.proved


@pytest.mark.parametrize("contract", Contract)
def test_the_order_of_roundings_is_seen(contract: Contract) -> None:
    spec = replace(FOUR_WAVE_PLAIN, contract=contract)
    other = Contract.CK if contract is Contract.CKTILE else Contract.CKTILE
    kernel = proving.under_test(spec, compiled(spec, 256, 768))
    case = Case(64, "cancel", machine.Mode(threads=2))
    (right,) = prove(kernel, [case])
    (wrong,) = prove(replace(kernel, contract=other.value), [case])
    assert right.comparison.equal
    assert wrong.comparison.mismatches > wrong.comparison.elements // 2


def test_a_deleted_wait_is_seen_late_and_by_the_checker_though_eager_values_agree() -> None:
    kernel = proving.under_test(FOUR_WAVE, compiled(FOUR_WAVE, 256, 768))
    wait = r"s_waitcnt vmcnt\(\d+\)(?=\n\s+;;#ASMSTART)"
    isa, waits = re.subn(wait, "s_nop 0", kernel.isa, count=1)
    assert waits, "the wait for the DMA of A, right before a barrier"
    broken = replace(kernel, isa=isa)
    cases = [Case(64, "general", machine.Mode(landing=landing, checks=True)) for landing in LANDINGS]
    eager, late = prove(broken, cases)
    assert eager.comparison.equal
    assert eager.severe or late.severe
    assert not late.proved


def test_the_recipe_covers_both_landings_and_all_range_rules() -> None:
    from oracle.verify import proof_cases

    cases = proof_cases((64,), ("exact", "general"), 1)
    assert {(c.mode.landing, c.mode.buffer_range) for c in cases if c.data == "exact"} == {
        (landing, rule) for landing in LANDINGS for rule in BUFFER_RANGES
    }
    assert {c.mode.landing for c in cases if c.data == "general"} == set(LANDINGS)
    for order in ORDERS:
        assert [c for c in cases if c.mode.wave_order == c.mode.workgroup_order == order and c.data == "exact"]
    assert [c.calls for c in cases].count(2) == 1
    assert all(case.mode.checks for case in cases)


def run(*arguments: object) -> tuple[int, str, str]:
    result = porter(*arguments)
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    files = {**emitter.support_files(), f"{DECODE.name}.py": rendered(DECODE)}
    for name, text in {**files, "manifest.json": manifest_of({DECODE: ()})}.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_verify_proves_a_kernel_by_name_and_by_path(folder: Path, repository: Path) -> None:
    schema = json.loads((repository / "docs" / "schemas" / "verify.json").read_text())
    common = ("--data", "general", "--shape", "17x128x256", "--format", "json")
    for kernel in (DECODE.name, folder / f"{DECODE.name}.py"):
        code, out, _ = run("verify", kernel, "--manifest", folder / "manifest.json", *common)
        assert code == 0
        data = json.loads(out)
        jsonschema.validate(data, schema)
        assert data["proved"] and [case["m"] for case in data["kernels"][0]["cases"]] == [17, 17]


def test_verify_reports_a_wrong_kernel(folder: Path, repository: Path) -> None:
    path = folder / f"{DECODE.name}.py"
    path.write_text(rendered(DECODE, Variant(fault=NEIGHBOUR_SCALE)))
    options = ("--data", "general", "--shape", "17x128x256")
    code, out, _ = run("verify", path, *options)
    assert code == 1
    assert "FAILED" in out and "(0, 0): got" in out and "16x16 tiles: " in out
    assert out.splitlines()[-1] == "porter verify: 1 kernels, 1 shapes of B, 2 runs: 1 FAILED"
    code, out, _ = run("verify", path, *options, "--format", "json")
    data = json.loads(out)
    jsonschema.validate(data, json.loads((repository / "docs" / "schemas" / "verify.json").read_text()))
    assert code == 1 and not data["proved"]
    assert data["kernels"][0]["cases"][0]["first_mismatch"]["m"] == 0


#: Factors in the other order are the same numbers in another packed form.
SWAPPED = """
class Swapped(CkPromote):
    def promote(self, scales, mt, partials, accumulators):
        xs, ws = scales
        scale = fx.Vector.filled(4, xs[mt] * ws, fx.Float32)
        return [fx.math.fma(p, scale, acc) for p, acc in zip(partials, accumulators, strict=True)]


_PROMOTES["ck", "packed"] = Swapped
"""


def test_verify_names_a_packed_form_that_is_reported_to_fail(folder: Path) -> None:
    path = written(replace(DECODE, tile_m=64), folder, more={"_promote.py": SWAPPED})
    options = ("--data", "general", "--shape", "17x128x256")
    code, out, _ = run("verify", path, *options)
    assert code == 0 and "CKM281 low: v_pk_fma_f32 op_sel:[0,1,0]" in " ".join(out.split())
    (note,) = json.loads(run("verify", path, *options, "--format", "json")[1])["kernels"][0]["notes"]
    assert note.startswith("CKM281")


def test_verify_reports_a_kernel_that_does_not_compile(folder: Path) -> None:
    path = folder / f"{DECODE.name}.py"
    path.write_text(rendered(DECODE) + "\n\ndef build(N, K):\n    return oops\n")
    code, out, _ = run("verify", path, "--data", "general", "--shape", "1x128x256")
    assert code == 1
    assert "CKT002" in out and "1 FAILED" in out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("nothing", "--manifest", "nowhere.json"), "CKP062"),
        (("nothing.py",), "CKV001"),
        (("--data", "lucky"), "CKV003"),
        (("--shape", "12by34", "--manifest", "MANIFEST"), "CKV004"),
        (("--shape", "-x0x128", "--manifest", "MANIFEST"), "CKV004"),
        (("unknown", "--manifest", "MANIFEST"), "CKV001"),
    ],
)
def test_verify_usage_errors(arguments: tuple[str, ...], code: str, folder: Path) -> None:
    given = [argument.replace("MANIFEST", str(folder / "manifest.json")) for argument in arguments]
    status, _, err = run("verify", *given)
    assert status == 2 and f"[{code}]" in err


def test_an_empty_manifest_proves_nothing_and_says_so(tmp_path: Path) -> None:
    (tmp_path / "manifest.json").write_text(manifest_of({}))
    status, _, err = run("verify", "--manifest", tmp_path / "manifest.json")
    assert status == 2 and "lists no kernel" in err


def test_pictures_of_what_differs(folder: Path, tmp_path: Path) -> None:
    path = folder / f"{DECODE.name}.py"
    path.write_text(rendered(DECODE, Variant(fault=NEIGHBOUR_SCALE)))
    pictures = tmp_path / "pictures"
    options = ("--data", "general", "--shape", "17x128x256", "--pictures", pictures)
    code, out, _ = run("verify", path, *options)
    assert code == 1 and "picture of the mismatch map" in out
    found = sorted(pictures.iterdir())
    assert len(found) == 2 and all(picture.read_bytes().startswith(b"\x89PNG") for picture in found)


def test_pictures_need_pillow(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("porter.commands.verify.find_spec", lambda _: None)
    code, _, err = run("verify", folder / f"{DECODE.name}.py", "--pictures", tmp_path / "pictures")
    assert code == 3 and "[CKT005]" in err and "[pictures]" in err


def test_full_runs_the_shapes_of_the_manifest(folder: Path) -> None:
    (folder / "manifest.json").write_text(manifest_of({DECODE: [(5, 256, 512)]}))
    common = ("--data", "exact", "--shape", "17x128x256", "--format", "json")
    code, out, _ = run("verify", "--manifest", folder / "manifest.json", "--full", *common)
    assert code == 0
    kernels = json.loads(out)["kernels"]
    assert [(k["n"], k["k"], [case["m"] for case in k["cases"]]) for k in kernels] == [
        (128, 256, [17] * 6),
        (256, 512, [5] * 6),
    ]


@pytest.mark.parametrize(
    ("shape", "code"), [("16x128x1000", "CKS131"), ("16x101x256", "CKS134"), ("2147483647x128x256", "CKS14")]
)
def test_a_shape_that_no_proof_can_serve_is_bad_input(shape: str, code: str, folder: Path) -> None:
    exit_code, out, err = run("verify", folder / f"{DECODE.name}.py", "--shape", shape, "--format", "json")
    assert (exit_code, out) == (2, "") and f"[{code}" in err and "cannot serve" in err


def test_a_second_call_is_made_and_said_only_over_a_workspace(tmp_path: Path) -> None:
    for spec, second in ((DECODE, False), (replace(DECODE, split_k=2), True)):
        for name, text in {**emitter.support_files(), f"{spec.name}.py": rendered(spec)}.items():
            (tmp_path / name).write_text(text)
        arguments = ("--data", "exact", "--shape", "16x128x512", "--format", "json")
        exit_code, out, _ = run("verify", tmp_path / f"{spec.name}.py", *arguments)
        (kernel,) = json.loads(out)["kernels"]
        modes = [case["mode"] for case in kernel["cases"]]
        assert exit_code == 0 and len(modes) == 6
        assert ["call 2" in mode for mode in modes] == [second, *[False] * 5]
