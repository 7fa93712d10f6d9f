# SPDX-License-Identifier: Apache-2.0
"""What the report gathers, held against where it comes from."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from porter import manifest
from porter.errors import InputError, PorterError, ToolchainMissing
from porter.proof.shapes import CLASSES
from porter.report import header, hot_loop
from porter.report.collect import collect
from porter.report.model import Report, ShapeClass, Verdict
from porter.report.page import render
from tests.porter.command import porter
from tests.porter.report.html import Page
from tests.porter.specs import DECODE


def edit(path: Path, change: Any) -> None:
    data = json.loads(path.read_text())
    change(data)
    path.write_text(json.dumps(data))


def test_shapes_and_origin_are_the_manifests(report: Report, wrong: Path) -> None:
    recorded = manifest.read(wrong).kernels
    assert [kernel.spec for kernel in report.kernels] == [kernel.spec for kernel in recorded]
    for kernel, entry in zip(report.kernels, recorded, strict=True):
        sizes = [(shape.size, shape.source) for shape in kernel.shapes]
        assert sizes == [(row.shape, row.place) for row in entry.rows]
        assert sum(group.rows for group in kernel.groups) == len(sizes) > 0
        facts = dict(kernel.header.facts)
        assert facts["written by"].startswith("porter ") and facts["source"] == sizes[0][1]
        assert kernel.header.reasons and kernel.header.reasons[0].startswith(f"{kernel.regimes[0]}: ")


def test_every_regime_is_explained_and_the_kernel_is_among_its_candidates(report: Report) -> None:
    for kernel in report.kernels:
        assert tuple(sorted(item.regime for item in kernel.explanations)) == kernel.regimes
        for item in kernel.explanations:
            assert item.note == "" and sum(candidate.chosen for candidate in item.candidates) == 1
            assert next(rule.regime for rule in item.rules if rule.holds) == item.regime


def test_a_regime_that_the_rules_no_longer_give_is_noted(copied: Path) -> None:
    edit(copied, lambda data: data["kernels"][0]["served"][0].update(regime="k_light"))
    first, *_ = collect(copied, compiling=False).kernels[0].explanations
    assert "The manifest says k_light; this version of porter says" in first.note


def test_the_loop_is_the_one_that_the_census_counts(report: Report) -> None:
    split = next(kernel for kernel in report.kernels if kernel.spec.split_k > 1)
    assert len(split.code.kernels) == 2
    for kernel in report.kernels:
        for item in kernel.code.kernels:
            loop = item.census.loop
            assert len(item.code) == loop.instructions
            assert sum(line.kind == "mfma" for line in item.code) == loop.mfma
            assert sum(line.kind == "valu" for line in item.code) == loop.valu_total
            assert all(line.text.startswith("v_mfma") for line in item.code if line.kind == "mfma")


def test_the_manifests_census_reads_back_as_the_compilers(whole: Path) -> None:
    compiled, recorded = (collect(whole, compiling=compiling) for compiling in (True, False))
    for a, b in zip(compiled.kernels, recorded.kernels, strict=True):
        assert [item.census for item in a.code.kernels] == [item.census for item in b.code.kernels] != []
        assert a.code.note == "" and not any(item.code for item in b.code.kernels)
        assert (a.code.n, a.code.k) == (b.code.n, b.code.k)


def test_what_is_not_as_recorded_is_said(report: Report, whole: Path) -> None:
    edited = {kernel.spec.xcds: kernel for kernel in report.kernels}
    assert (edited[8].as_recorded, edited[0].as_recorded) == (False, True)
    assert all(kernel.as_recorded for kernel in collect(whole, compiling=False).kernels)


def test_a_census_of_another_text_is_noted(copied: Path) -> None:
    edit(copied, lambda data: data["kernels"][1]["census"]["kernels"][0]["loop"].update(mfma=31))
    first, second = (kernel.code for kernel in collect(copied).kernels)
    assert first.note == "" and "another census" in second.note
    assert second.kernels[0].census.loop.mfma != 31


def test_proofs_are_those_of_verify(report: Report, wrong: Path) -> None:
    results = {item["name"]: item for item in json.loads((wrong.parent / "verify.json").read_text())["kernels"]}
    verdicts = {kernel.spec.xcds: kernel.verdict for kernel in report.kernels}
    assert verdicts == {8: Verdict.FAILED, 0: Verdict.PROVED}
    for kernel in report.kernels:
        (proof,) = kernel.proofs
        cases = results[kernel.spec.name]["cases"]
        (row,) = proof.rows
        assert (row.m, row.data, row.runs) == (77, "exact", len(cases))
        assert row.mismatches == max(case["mismatches"] for case in cases)
        assert bool(proof.maps) == bool(row.first) == (kernel.verdict is Verdict.FAILED)
    (tiles,) = next(kernel for kernel in report.kernels if kernel.spec.xcds).proofs[0].maps
    assert tiles.title.startswith("77x256x768 exact (") and tiles.alike == 5
    assert len(tiles.rows) == 5 and {len(row) for row in tiles.rows} == {16}


def test_shapes_are_counted_by_what_they_stand_for(report: Report, wrong: Path, tmp_path: Path) -> None:
    bad, good = sorted(report.kernels, key=lambda kernel: kernel.verdict is Verdict.PROVED)
    assert (good.classes, bad.classes) == (
        {"recipe": ShapeClass("recipe", 1, 1, good.proofs[0].runs)},
        {"recipe": ShapeClass("recipe", 1, 0, bad.proofs[0].runs)},
    )
    results = json.loads((wrong.parent / "verify.json").read_text())
    (item,) = [item for item in results["kernels"] if item["name"] == good.spec.name]
    more = [{**case, "m": m, "class": "N"} for m in (1, 5) for case in item["cases"]]
    padded = [{**case, "class": "padded"} for case in item["cases"]]
    unnamed = [{**case, "class": ""} for case in item["cases"]]
    results["kernels"] += [
        {**item, "n": 16, "cases": more},
        {**item, "padding": [0, 256], "cases": padded},
        {**item, "k": 128, "cases": unnamed},
    ]
    path = tmp_path / "verify.json"
    path.write_text(json.dumps(results))
    collected = collect(wrong, path, compiling=False)
    (kernel,) = [kernel for kernel in collected.kernels if kernel.spec == good.spec]
    assert [(item.name, item.shapes, item.proved) for item in kernel.classes.values()] == [
        ("recipe", 1, 1), ("N", 2, 2), ("padded", 1, 1), ("", 1, 1)
    ]  # fmt: skip
    assert list(collected.classes) == ["recipe", "N", "padded", ""] and collected.classes["N"] == CLASSES["N"]
    printed = collected.output(tmp_path, 1).kernels[collected.kernels.index(kernel)]
    assert printed.classes["N"].shapes == 2
    page = Page(render(collected))
    assert page.faults == [] and "rows padded by 0 and 256 bytes" in page.text("td")


@pytest.mark.parametrize(
    "change",
    [
        lambda item: item.update(cases=[]),
        lambda item: item.update(proved=False),
        lambda item: item.update(error="it died"),
        lambda item: item["cases"][0].update(proved=False),
        lambda item: item["cases"][0].update(mismatches=5),
        lambda item: item["cases"][0].update(findings=5),
    ],
)
def test_a_proof_is_never_better_than_its_runs(change: Any, wrong: Path, tmp_path: Path) -> None:
    results = tmp_path / "verify.json"
    results.write_text((wrong.parent / "verify.json").read_text())
    edit(results, lambda data: [change(item) for item in data["kernels"]])
    assert collect(wrong, results, compiling=False).count(Verdict.PROVED) == 0


def test_good_results_of_another_text_are_no_proof(wrong: Path, copied: Path) -> None:
    (module,) = copied.parent.glob("*_ks4_*.py")
    results = wrong.parent / "verify.json"
    assert collect(copied, results, compiling=False).count(Verdict.PROVED) == 1
    module.write_text(module.read_text() + "# edited\n")
    assert collect(copied, results, compiling=False).count(Verdict.PROVED) == 0


def test_the_page_never_replaces_what_it_is_made_of(wrong: Path, copied: Path) -> None:
    results = copied.parent.parent / "verify.json"
    results.write_text((wrong.parent / "verify.json").read_text())
    for path in (copied, results, next(copied.parent.glob("*.py"))):
        before = path.read_bytes()
        done = porter("report", "--manifest", copied, "--results", results, "--no-compile", "--out", path)
        assert done.exit_code == 2 and "CKH006" in done.output and path.read_bytes() == before


def test_results_of_other_kernels_are_named(whole: Path, wrong: Path, copied: Path) -> None:
    edit(copied, lambda data: data["kernels"].pop(0))
    found = collect(copied, wrong.parent / "verify.json", compiling=False)
    assert found.unlisted == (json.loads(whole.read_text())["kernels"][0]["name"],)


DAMAGE: dict[str, tuple[str, Any]] = {
    "half a census": ("CKP062", lambda data: data["kernels"][0]["census"]["kernels"][0]["loop"].pop("mfma")),
    "another command's": ("CKP062", lambda data: data.update(schema="porter/verify/1")),
    "a missing module": ("CKH004", lambda data: data["kernels"].append({"name": DECODE.name, "served": []})),
}


@pytest.mark.parametrize(("code", "change"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_manifest_is_named(code: str, change: Any, copied: Path) -> None:
    edit(copied, change)
    with pytest.raises(PorterError) as caught:
        collect(copied, compiling=False)
    assert caught.value.code == code and str(copied.parent) in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": ' + b"9" * 10_000 + b"}"])
def test_what_is_no_json_is_named(content: bytes, tmp_path: Path, whole: Path) -> None:
    path = tmp_path / "damaged.json"
    path.write_bytes(content)
    for codes, arguments in ((("CKP062",), (path,)), (("CKH001", "CKH003"), (whole, path))):
        with pytest.raises(InputError) as caught:
            collect(*arguments, compiling=False)
        assert caught.value.code in codes and "damaged.json" in str(caught.value)


def test_damaged_results_are_named(whole: Path, wrong: Path, tmp_path: Path) -> None:
    results = tmp_path / "verify.json"
    results.write_text((wrong.parent / "verify.json").read_text())
    edit(results, lambda data: data["kernels"][1]["cases"][2].pop("max_ulp"))
    with pytest.raises(InputError) as caught:
        collect(whole, results, compiling=False)
    assert caught.value.code == "CKH003"
    assert "missing required field `max_ulp` - at `$.kernels[1].cases[2]`" in str(caught.value)


def test_without_flydsl(whole: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hot_loop, "flydsl_version", lambda: "")
    with pytest.raises(ToolchainMissing) as caught:
        collect(whole)
    assert caught.value.code == "CKT001" and "--no-compile" in caught.value.hint
    assert all(kernel.code.kernels for kernel in collect(whole, compiling=False).kernels)


def test_a_kernel_that_does_not_compile_says_so(copied: Path) -> None:
    (module,) = copied.parent.glob("*_xcd8_*.py")
    module.write_text(module.read_text() + "\n\ndef build(N, K):\n    raise ValueError('no luck')\n")
    found = {kernel.spec.xcds: kernel.code for kernel in collect(copied).kernels}
    assert found[8].failed and "no luck" in found[8].absent and not found[8].kernels
    assert not found[0].failed and found[0].kernels


def test_a_header_with_wrapped_reasons_and_one_without_any() -> None:
    top = "# @generated by porter 1 -- do not edit\n# source: a.csv:2\n"
    text = f"{top}# reason: k_light: one\n#   two\n# reason: three\nx = 1\n# reason: not in the header"
    read = header.read(text)
    assert read.facts == (("written by", "porter 1"), ("source", "a.csv:2"))
    assert read.reasons == ("k_light: one two", "three")
    assert header.read('"""A kernel."""\n# reason: no') == header.Header((), ())
