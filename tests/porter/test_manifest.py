# SPDX-License-Identifier: Apache-2.0
"""The manifest: what is written is read back, damage is one error that says where, and rows share what they can."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from porter import manifest
from porter.errors import InputError
from porter.manifest import Kernel, Manifest, Row
from porter.problem import GemmShape
from porter.runtime._regimes import Regime
from tests.porter.manifests import manifest_of
from tests.porter.specs import DECODE, FOUR_WAVE

ROW = Row("gfx950", 256, GemmShape(7, 512, 1024), Regime.DECODE, "an instance", "rows.csv", 2)
#: Rows that share everything, one other thing at a time, or nothing; the first two have one B.
ROWS = (
    ROW,
    replace(ROW, shape=GemmShape(9, 512, 1024), line=3),
    replace(ROW, shape=GemmShape(7, 640, 1024), line=5),
    replace(ROW, shape=GemmShape(11, 512, 1024), line=4, notes=("a \u00fc note", "two")),
    replace(ROW, shape=GemmShape(12, 512, 1024), line=6, contract_assumed=True),
    replace(ROW, shape=GemmShape(13, 512, 1024), line=7, instance=""),
    replace(ROW, shape=GemmShape(14, 512, 1024), line=7, source="other.csv"),
    replace(ROW, shape=GemmShape(65, 512, 1024), line=8, regime=Regime.GENERAL),
    replace(ROW, cu_num=128, line=9),
    replace(ROW, gfx="gfx942", line=10),
)
WHOLE = Manifest("1", "0.5", {"a.py": "0" * 64}, (Kernel.of(DECODE, ROWS), Kernel.of(FOUR_WAVE, ())), "not applied")


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    path.write_text(manifest.text(WHOLE))
    found = manifest.read(path)
    assert found == WHOLE and manifest.text(found) == path.read_text() and path.read_text().isascii()
    assert set(found.kernels[0].rows) == set(ROWS) and found.kernels[0].rows[0] == ROW
    assert (found.kernels[0].spec, found.kernels[0].module) == (DECODE, f"{DECODE.name}.py")
    assert found.kernels[0].nks == [(512, 1024), (640, 1024)] and found.kernels[1].rows == ()
    assert list(found.by_name) == [DECODE.name, FOUR_WAVE.name]


def test_what_rows_share_is_written_once_and_the_first_row_stays_first() -> None:
    rows = [replace(ROW, shape=GemmShape(m, n, 1024), line=m * n) for m in range(1, 500) for n in (512, 640)]
    served = Kernel.of(DECODE, [*rows, *ROWS[3:]]).served
    assert [len(item.shapes) for item in served] == [2] + [1] * len(ROWS[3:])
    assert len(served[0].shapes[0].rows) == 499 and next(iter(served[0].rows)) == rows[0]
    text = manifest.text(Manifest("1", "0.5", {}, (Kernel.of(DECODE, rows),)))
    assert text.count("an instance") == 1
    # A line is the rows of one B.
    (line,) = [line for line in text.splitlines() if line.strip().startswith("[640, ")]
    assert json.loads(line.strip().rstrip(","))[2][-1] == [499, 499 * 640]


def damaged(change: Callable[[Any], Any]) -> bytes:
    data = json.loads(manifest.text(WHOLE))
    change(data)
    return json.dumps(data).encode()


SERVED = "$.kernels[0].served[0]"
CENSUS = {"n": 1, "k": 1, "kernels": [{"name": "x", "resources": {}, "loop": {}}]}
DAMAGE: dict[str, tuple[Callable[[Any], Any], str]] = {
    "a number as kernel": (lambda data: data["kernels"].__setitem__(0, 7), "$.kernels[0]"),
    "no kernels": (lambda data: data.pop("kernels"), "`kernels`"),
    "a member that nobody knows": (lambda data: data.update(mine=1), "`mine`"),
    "a size of 0": (
        lambda data: data["kernels"][0]["served"][0]["shapes"][0].__setitem__(0, 0),
        f"{SERVED}.shapes[0][0]",
    ),
    "a size that is true": (
        lambda data: data["kernels"][0]["served"][0]["shapes"][0][2][0].__setitem__(0, True),
        f"{SERVED}.shapes[0][2][0][0]",
    ),
    "an unknown regime": (lambda data: data["kernels"][0]["served"][0].update(regime="fast"), f"{SERVED}.regime"),
    "a list as regime": (lambda data: data["kernels"][0]["served"][0].update(regime=[]), f"{SERVED}.regime"),
    "a chip that is code": (lambda data: data["kernels"][0]["served"][0].update(gfx='"x'), f"{SERVED}.gfx"),
    "half a census": (
        lambda data: data["kernels"][0].update(census=CENSUS),
        "$.kernels[0].census.kernels[0].resources",
    ),
    "no digest": (lambda data: data["files"].update({"b.py": "x"}), "$.files[...]"),
    "no kernel's name": (lambda data: data["kernels"][0].update(name="../secret"), "'../secret'"),
    "a kernel twice": (lambda data: data["kernels"].append(data["kernels"][1]), "listed twice"),
    "a shape twice": (
        lambda data: data["kernels"][0]["served"].append(data["kernels"][0]["served"][0]),
        "served twice",
    ),
}


@pytest.mark.parametrize(("change", "says"), DAMAGE.values(), ids=DAMAGE)
def test_damage_is_one_error_that_says_where(change: Callable[[Any], Any], says: str, tmp_path: Path) -> None:
    path = tmp_path / "manifest.json"
    path.write_bytes(damaged(change))
    with pytest.raises(InputError) as caught:
        manifest.read(path)
    assert caught.value.code == "CKP062" and says in caught.value.message and str(path) in str(caught.value)


BRACKETS = b"[" * 100_000


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff\xfe", BRACKETS, b'{"a": ' + BRACKETS, b'{"a": "\xff"}', b"\0", b"[]", b"7"],
    ids=["empty", "half", "no UTF-8", "deep", "deep member", "no UTF-8 inside", "NUL", "a list", "a number"],
)
def test_what_is_no_manifest_is_named(content: bytes) -> None:
    with pytest.raises(InputError) as caught:
        manifest.parse(content, "some.json")
    assert caught.value.code == "CKP062" and str(caught.value).startswith("some.json:1: ")


def test_the_line_of_a_syntax_error_is_named() -> None:
    with pytest.raises(InputError) as caught:
        manifest.parse(b'{\n"schema":\n !}', "some.json")
    assert caught.value.where is not None and caught.value.where.line == 3


def test_a_manifest_of_before_is_refused_with_the_way_out() -> None:
    content = b'{"schema": "porter/manifest/1", "porter": "0", "flydsl": "0.5", "files": {"a.py": "x"}, "kernels": []}'
    with pytest.raises(InputError) as caught:
        manifest.parse(content)
    assert "'porter/manifest/1'" in caught.value.message and caught.value.hint.startswith("run porter convert again")
    # The files of such a folder are known all the same, so that convert takes away those that it no longer writes.
    assert manifest.listed_files(content) == {"a.py": "x"}


def test_no_file_is_the_same_error(tmp_path: Path) -> None:
    with pytest.raises(InputError) as caught:
        manifest.read(tmp_path / "nowhere.json")
    assert caught.value.code == "CKP062" and "nowhere.json: cannot read" in str(caught.value)


def test_an_empty_manifest_is_one() -> None:
    assert manifest.parse(manifest_of({}).encode()).kernels == ()
