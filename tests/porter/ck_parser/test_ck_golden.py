# SPDX-License-Identifier: Apache-2.0
"""The whole result of one small mixed file, against a readable golden text.

After a wanted change: `python tests/porter/ck_parser/test_ck_golden.py > tests/porter/ck_parser/golden/mixed.txt`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from porter.ck_parser import ReadResult, read_files

GOLDEN = Path(__file__).parent / "golden"
COLUMNS = {
    "shape": "M",
    "gfx": "gfx",
    "cu_num": "cu_num",
    "libtype": "libtype",
    "kernel_name": "kernelName",
    "kernel_id": "kernelId",
    "split_k": "splitK",
    "us": "us",
    "err_ratio": "errRatio",
}


def _lines(result: ReadResult) -> Iterator[str]:
    for row in result.rows:
        yield f"row {_short(row.where)}"
        for value in COLUMNS:
            yield f"  {value} = {getattr(row, value)!s} at {_short(row.span(COLUMNS[value]))}"
        yield f"  family = {row.family!s}"
        yield f"  kernel = {row.kernel}"
        yield f"  provenance = {row.provenance}"
        yield f"  kbatch = {row.kbatch}, contract = {row.contract!s}"
        yield from (f"  note: {note}" for note in row.notes)
    yield from (f"superseded {_short(lost.row.where)}: {_short(lost.note)}" for lost in result.superseded)
    yield from (f"unsupported {_short(row)}, hint: {row.hint}" for row in result.unsupported)
    yield from (f"other {_short(item)}" for item in result.others)
    yield from (f"bad {_short(row)}" for row in result.bad)
    yield from (f"file {_short(report)}" for report in result.files)


def _short(value: object) -> str:
    return str(value).replace(f"{GOLDEN}/", "")


def _text() -> str:
    return "".join(f"{line}\n" for line in _lines(read_files([GOLDEN / "mixed.csv"])))


def test_the_whole_result_of_a_mixed_file() -> None:
    assert _text() == (GOLDEN / "mixed.txt").read_text()


if __name__ == "__main__":
    print(_text(), end="")
