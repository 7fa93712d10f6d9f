# SPDX-License-Identifier: Apache-2.0
"""The page itself: well formed, complete, alone, the same every time, small, and readable."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from porter.report.collect import collect
from porter.report.model import Code, Header, Report, Verdict
from porter.report.page import render
from tests.porter.report.html import Page

HOSTILE = "</script></style><script>alert(1)</script>\"'><img src=http://example.org/x onerror=f()> {{ 7000*7001 }}"
#: Relative luminance contrast that WCAG 2 asks of text of normal size.
READABLE = 4.5


def bare(report: Report) -> Report:
    """The same kernels with everything missing that can be."""
    kernels = tuple(
        replace(
            kernel, header=Header((), ()), shapes=(), groups=(), explanations=(), proofs=(), as_recorded=None,
            code=Code(0, 0, (), "No census.")
        )
        for kernel in report.kernels
    )  # fmt: skip
    return replace(report, kernels=kernels, results=False)


@pytest.fixture(scope="module")
def page(report: Report) -> Page:
    return Page(render(report))


def test_it_is_well_formed(page: Page, report: Report) -> None:
    assert page.faults == []
    assert Page(render(bare(report))).faults == Page(render(replace(report, kernels=()))).faults == []
    assert page.elements[0] == ("html", {"lang": "en"})


def test_ids_are_unique_and_references_lead_somewhere(page: Page) -> None:
    ids = page.values("id")
    assert len(set(ids)) == len(ids)
    links = [href.removeprefix("#") for href in page.values("href") if href != "data:,"]
    assert len(links) > 5
    assert {*links, *page.values("aria-labelledby"), *page.values("for")} <= set(ids)


def test_it_needs_nothing_else(page: Page) -> None:
    for attribute in ("src", "href", "srcset", "action", "xlink:href", "data", "poster"):
        assert all(value.startswith("#") or value == "data:," for value in page.values(attribute)), attribute
    assert not re.search(r"url\(|@import|https?://", page.text("style", "script"))
    assert page.count("script") == page.count("style") == 1
    assert page.values("style") == []


def test_only_its_own_style_and_script_may_run(page: Page) -> None:
    (policy,) = [of["content"] for _, of in page.elements if of.get("http-equiv") == "Content-Security-Policy"]
    for tag in ("style", "script"):
        digest = base64.b64encode(hashlib.sha256(page.text(tag).encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    assert "default-src 'none'" in policy and "unsafe" not in policy


def test_every_kernel_has_a_row_and_a_section_with_every_part(page: Page, report: Report) -> None:
    names = [kernel.spec.name for kernel in report.kernels]
    assert page.values("data-kernel", "section") == names
    # The table of kernels and that of what is proved.
    assert page.values("data-kernel", "tr") == 2 * names
    for bare_or_whole in (page, Page(render(bare(report)))):
        parts = re.findall(r"Origin|Recipe|Code|Proof", bare_or_whole.text("h4"))
        assert parts == ["Origin", "Recipe", "Code", "Proof"] * len(names)


def test_a_part_without_data_says_so(report: Report) -> None:
    said = Page(render(bare(report))).text("p")
    for sentence in (
        "does not say where it comes from",
        "records no digest",
        "lists no shape",
        "gives no reason",
        "Without a shape there is no regime",
        "No census.",
        "Not proved in this report: no results were given",
        "there is no map",
    ):
        assert sentence in said, sentence
    assert "The manifest lists no kernel." in Page(render(replace(report, kernels=()))).text("p")
    absent = replace(report, kernels=tuple(replace(kernel, proofs=()) for kernel in report.kernels))
    assert "the results do not name it" in Page(render(absent)).text("p")


def test_the_code_and_the_numbers_are_there(page: Page, report: Report) -> None:
    lines = page.text("span", "pre").splitlines()
    for kernel in report.kernels:
        assert str(kernel.code.kernels[0].census.resources.vgprs) in page.text("td")
        for item in kernel.code.kernels:
            assert all(line.text in lines for line in item.code)
    (failed,) = [kernel for kernel in report.kernels if kernel.verdict is Verdict.FAILED]
    assert failed.proofs[0].rows[0].first in page.text("td")
    assert "\n".join(failed.proofs[0].maps[0].rows) in page.text("pre")
    assert (
        page.text("h1")
        == report.sentence
        == (
            "1 of 2 kernels proved: every bit of their runs as the contract says; "
            "1 of them NOT on every listed (N, K) and boundary, see porter verify; 1 FAILED."
        )
    )


def test_proved_shapes_are_one_table_however_many(report: Report) -> None:
    good = next(kernel for kernel in report.kernels if kernel.verdict is Verdict.PROVED)
    (proof,) = good.proofs
    many = replace(good, proofs=tuple(replace(proof, n=16 * n) for n in range(1, 1001)))
    page = render(replace(report, kernels=(many,)))
    assert page.count("<details") == render(replace(report, kernels=(good,))).count("<details")
    assert "1000 shapes of B" in Page(page).text("summary") and len(page) < len(render(report)) + 200_000
    table = Page(render(report)).text("td")
    assert "0 of 1" in table, "what failed is in the table of classes"


def test_hostile_text_is_text(copied: Path, wrong: Path, tmp_path: Path) -> None:
    manifest = json.loads(copied.read_text())
    manifest["porter"] = manifest["flydsl"] = HOSTILE
    kernel = manifest["kernels"][0]
    kernel["served"][0] |= {"source": HOSTILE, "instance": HOSTILE, "notes": [HOSTILE]}
    kernel["census"]["kernels"][0]["loop"]["taken"] = HOSTILE
    kernel["census"]["kernels"][0]["loop"]["waits"] = {HOSTILE: 1}
    copied.write_text(json.dumps(manifest))
    module = copied.parent / f"{kernel['name']}.py"
    module.write_text(f"# source: {HOSTILE}\n# reason: {HOSTILE}\n" + module.read_text())
    results = json.loads((wrong.parent / "verify.json").read_text())
    results["kernels"][0] |= {"error": HOSTILE, "details": [HOSTILE, f"{HOSTILE}:\n16x16 tiles: {HOSTILE}\n#."]}
    results["kernels"][0]["cases"][0] |= {"mode": HOSTILE, "first_mismatch": {
        "m": 0, "n": 0, "ulp": 1, "actual": HOSTILE, "expected": HOSTILE
    }}  # fmt: skip
    results["kernels"].append({**results["kernels"][0], "name": HOSTILE})
    path = tmp_path / "verify.json"
    path.write_text(json.dumps(results))
    text = render(collect(copied, path, compiling=False))
    found = Page(text)
    assert found.faults == []
    assert found.count("script") == found.count("style") == 1 and found.count("img") == 0
    assert not [name for _, of in found.elements for name in of if name.startswith("on")]
    assert found.text().count("<script>alert(1)</script>") >= 10
    assert "49007000" not in text
    assert text.encode()


def test_it_is_the_same_every_time(report: Report, wrong: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for path in wrong.parent.iterdir():
        if path.is_file():
            (moved / path.name).write_bytes(path.read_bytes())
    again = render(collect(moved / "manifest.json", moved / "verify.json"))
    assert again == render(report)
    assert str(tmp_path) not in again and str(wrong.parent) not in again


def test_forty_kernels_stay_under_5_mb(report: Report) -> None:
    (failed,) = [kernel for kernel in report.kernels if kernel.verdict is Verdict.FAILED]
    split = next(kernel for kernel in report.kernels if kernel.spec.split_k > 1)
    # Forty of the larger kind: two device kernels, two shapes of B with five data sets and three M, all failed.
    proof = failed.proofs[0]
    proof = replace(proof, rows=proof.rows * 15, maps=proof.maps * 5)
    both = (*failed.code.kernels, *split.code.kernels)
    kernels = tuple(
        replace(
            failed,
            spec=replace(failed.spec, split_k=number),
            code=replace(failed.code, kernels=both),
            shapes=failed.shapes * 500,
            groups=failed.groups * 40,
            proofs=(proof, proof),
        )
        for number in range(1, 41)
    )
    page = render(replace(report, kernels=kernels))
    assert page.count('class="kernel"') == 40
    assert len(page.encode()) < 5_000_000


def test_colours_can_be_read_by_day_and_by_night(page: Page) -> None:
    style = page.text("style")
    light, dark = (dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})\b", block)) for block in _themes(style))
    assert light.keys() == dark.keys() and len(light) > 20
    for theme in (light, dark):
        texts = ("ink", "soft", "link", "good", "bad", "decode", "wide_n", "k_light", "narrow_n_deep_k", "general")
        pairs = [(text, back) for text in texts for back in ("card", "sunk")]
        pairs += [(text, "page") for text in ("ink", "soft", "link")]
        pairs += [(kind, "sunk") for kind in ("mfma", "valu", "lds", "memory", "wait", "scalar")]
        pairs += [("good", "good-back"), ("bad", "bad-back"), ("ink", "warn-back")]
        poor = {pair: _contrast(theme[pair[0]], theme[pair[1]]) for pair in pairs}
        assert {pair: ratio for pair, ratio in poor.items() if ratio < READABLE} == {}


def _themes(style: str) -> tuple[str, str]:
    night = style.index("@media (prefers-color-scheme: dark)")
    return style[:night], style[night : style.index("* { box-sizing")]


def _contrast(a: str, b: str) -> float:
    low, high = sorted((_luminance(a), _luminance(b)))
    return (high + 0.05) / (low + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_results_that_leave_shapes_out_are_said_to(report: Report) -> None:
    kernel = next(kernel for kernel in report.kernels if kernel.verdict is Verdict.PROVED)
    (proof, *_), row = kernel.proofs, kernel.proofs[0].rows[0]
    listed = sorted({(shape.size.n, shape.size.k) for shape in kernel.shapes})
    whole = [replace(proof, n=n, k=k, rows=(row, replace(row, kind="N"))) for n, k in listed]
    assert not replace(kernel, proofs=tuple(whole)).left_out
    assert replace(kernel, proofs=tuple(whole[1:])).left_out
    assert replace(kernel, proofs=tuple(replace(item, rows=(replace(row, kind="recipe"),)) for item in whole)).left_out
