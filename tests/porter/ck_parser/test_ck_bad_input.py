# SPDX-License-Identifier: Apache-2.0
"""Damaged input: every kind gives a code, a place and words, costs bounded memory, and never stops the good rows."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import ck_samples as samples
import pytest
from ck_samples import TUNED_HEADER, tuned
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_ck_tables import TILE_HEADER, XDL_HEADER, tile_row, xdl_row

from porter.ck_parser import read_files
from porter.ck_parser.readers import contents
from porter.ck_parser.text import MAX_LINE_CHARS
from porter.codes import STATED
from porter.errors import ExitCode, InputError

Write = Callable[..., str]
BIG = 100 * 2**20


@pytest.mark.parametrize(
    ("content", "code", "says"),
    [
        (b"", "CKP003", "the file is empty"),
        (b"\n \r\n\t\n", "CKP003", "the file is empty"),
        (b"\xef\xbb\xbf", "CKP003", "the file is empty"),
        (b"\x7fELF\x02\x01\x01\0\0\0", "CKP002", "a NUL byte"),
        (b"\xff\xfeM\0,\0N\0", "CKP002", "a NUL byte"),
        (b"\x89PNG\r\n\x1a\n", "CKP002", "bytes that are not UTF-8"),
        (b"hello world\n1,2,3\n", "CKP004", "no known form begins with 'hello world'"),
        (b"M;N;K\n1;2;3\n", "CKP004", "comma-separated"),
        (b"M,N\n1,2\n", "CKP005", "required column K is missing"),
        (b"m,n,K\n1,2,3\n", "CKP005", "'m' is spelled otherwise"),
        (b"M,N,K,libtype,us\n1,2,3,ck,4\n", "CKP005", "required column kernelName is missing"),
        (b"kernelName,BLOCK_SIZE\n", "CKP005", "required column ScaleBlockM is missing"),
        (b"M,N,K,M\n1,2,3,4\n", "CKP006", "names column 'M' twice"),
        (b"M,N,K," + b"x" * 70_000, "CKP007", "the first line is longer"),
    ],
)
def test_a_file_that_cannot_be_used(write: Write, content: bytes, code: str, says: str) -> None:
    path = write(content)
    with pytest.raises(InputError) as caught:
        read_files([path])
    assert caught.value.code == code and caught.value.exit_code is ExitCode.BAD_INPUT
    assert says in str(caught.value) and path in str(caught.value)


@pytest.mark.parametrize("path", ["/nowhere/at/all.csv", "/dev/full/x.csv", "bad\0name"])
def test_a_file_that_cannot_be_read(path: str) -> None:
    with pytest.raises(InputError) as caught:
        read_files([path])
    assert caught.value.code == "CKP001"


@pytest.mark.parametrize("options", [{"arch": "MI355X"}, {"layout": "shuffled"}])
def test_arguments_are_checked(write: Write, options: dict[str, str]) -> None:
    with pytest.raises(InputError) as caught:
        read_files([write("M,N,K\n")], **options)  # type: ignore[arg-type]
    assert caught.value.code == "CKP009"


@pytest.mark.parametrize(
    "size", ["nan", "-5", "0", "1e3", "64.0", "2147483648", "9" * 400, "0x40", "１２", "6 4", "+64"]
)
@pytest.mark.parametrize("column", ["M", "N", "K"])
def test_a_size_that_is_none(write: Write, size: str, column: str) -> None:
    (bad,) = read_files([write(f"{TUNED_HEADER}\n{tuned(**{column.lower(): size})}\n{tuned()}")]).bad
    assert (bad.code, bad.where.line) == ("CKP013", 2)
    assert bad.where.column == {"M": 12, "N": 15, "K": 20}[column]
    assert bad.message.startswith(f"{column}: '") and "a whole number from 1 to 2147483647 was expected" in bad.message
    assert len(str(bad)) < 400


@pytest.mark.parametrize(
    ("row", "code", "column", "says"),
    [
        (tuned(m=""), "CKP015", "M", "M is empty"),
        (tuned(gfx="MI300"), "CKP014", "gfx", "a chip such as gfx950"),
        (tuned(cu_num="many"), "CKP014", "cu_num", "from 1 to 4096"),
        (tuned(libtype="c k"), "CKP014", "libtype", "a word such as ck"),
        (tuned(kernel_id="x"), "CKP014", "kernelId", "a whole number"),
        (tuned(split_k=17), "CKP014", "splitK", "from 0 to 16"),
        (tuned(split_k="-1"), "CKP014", "splitK", "from 0 to 16"),
        (tuned(us="fast"), "CKP014", "us", "a number was expected"),
        (tuned(us="1_0"), "CKP014", "us", "a number was expected"),
        (tuned(err="x%"), "CKP014", "errRatio", "a number was expected"),
        (tuned(""), "CKP015", "kernelName", "kernelName is empty"),
        (tuned("a8w8_rowwise"), "CKP031", "kernelName", "fits no known grammar"),
        (tuned(samples.PLAIN[:-2]), "CKP032", "kernelName", "the end of the name where the pipeline version"),
        (tuned(samples.PLAIN.replace("_2x2_", "_2x3_")), "CKP033", "kernelName", "whole waves"),
        (f"{tuned()},0,1", "CKP011", "", "15 cells where the header has 13"),
        (",".join("1" * 10_000), "CKP011", "", "10000 cells where the header has 13"),
        (f'"{tuned()}', "CKP012", "", "does not end on its line"),
        (f'"a"b,{tuned()}', "CKP012", "", "where a comma was expected"),
        (tuned() + "\0", "CKP016", "", "a NUL byte"),
        ("x" * (MAX_LINE_CHARS + 1), "CKP010", "", "longer than 65536 characters"),
    ],
)
def test_a_damaged_row_leaves_the_others(write: Write, row: str, code: str, column: str, says: str) -> None:
    path = write("\n".join((TUNED_HEADER, tuned(m=1), row, tuned(m=3))))
    result = read_files([path])
    assert [read.shape.m for read in result.rows] == [1, 3]
    (bad,) = result.bad
    assert (bad.code, bad.where.line, bad.where.path) == (code, 3, path)
    assert says in bad.message and bad.code in STATED
    if column:
        at = row.split(",")
        assert bad.where.column == 1 + len(",".join(at[: TUNED_HEADER.split(",").index(column)])) + (column != "gfx")
    else:
        assert bad.where.column == 0


def test_bytes_that_are_not_utf8_in_a_row(write: Write) -> None:
    result = read_files([write(b"M,N,K\n1,2,\xff3\n1,2,3\n")], layout="plain")
    assert ([bad.code for bad in result.bad], len(result.rows)) == (["CKP016"], 1)


@pytest.mark.parametrize(
    ("header", "row", "code", "says"),
    [
        (XDL_HEADER, xdl_row(0, n=128), "CKP017", "tile_mnk is (64, 128, 128) in the columns"),
        (XDL_HEADER, xdl_row(0, wave_map="2,4"), "CKP017", "xdl_per_wave_mn is (2, 4) in the columns"),
        (XDL_HEADER, xdl_row(0, samples.PLAIN_OLD, wave_map="2,4"), "CKP033", "whole waves"),
        (XDL_HEADER, xdl_row(0, samples.CKTILE), "CKP017", "not of this table's kind"),
        (XDL_HEADER, xdl_row(0, "nonsense"), "CKP031", "fits no known grammar"),
        (XDL_HEADER, xdl_row("x"), "CKP014", "kernelId"),
        (XDL_HEADER, xdl_row(0).replace("8x32x1,8x32x1", "8x32,8x32x1"), "CKP014", "3 numbers joined by x"),
        (XDL_HEADER, xdl_row(0).replace("Intrawave", "Sideways"), "CKP014", "intrawave or interwave or default"),
        (TILE_HEADER, tile_row(0, 1).replace("True", "Maybe"), "CKP014", "true or false or 1 or 0"),
        (TILE_HEADER, tile_row(0, 1).replace("True", ""), "CKP015", "TransposeC is empty"),
        (TILE_HEADER, tile_row(0, 1).replace(",16,128,256", ",16,128,512"), "CKP017", "tile_mnk"),
    ],
)
def test_a_damaged_instance(write: Write, header: str, row: str, code: str, says: str) -> None:
    (bad,) = read_files([write(f"{header}\n{row}")]).bad
    assert bad.code == code and says in bad.message


def test_all_bad_rows_are_reported(write: Write) -> None:
    result = read_files([write("M,N,K\n" + "0,0,0\n" * 1000)])
    assert [bad.where.line for bad in result.bad] == list(range(2, 1002))


def test_more_bad_rows_than_anybody_reads(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "MAX_BAD_ROWS", 10)
    with pytest.raises(InputError, match="more than 10 bad rows; the first: M: '0'") as caught:
        read_files([write("M,N,K\n" + "0,0,0\n" * 11)])
    assert caught.value.code == "CKP008"


def test_more_rows_than_one_call_reads(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(contents, "MAX_ROWS", 10)
    with pytest.raises(InputError, match="more than 10 rows") as caught:
        read_files([write("M,N,K\n" + "1,2,3\n" * 11)], layout="plain")
    assert caught.value.code == "CKP008"


@pytest.mark.parametrize(
    ("name", "pieces", "says"),
    [
        ("line", [b"M,N,K\n1,2,3\n", b"9" * BIG, b"\n4,5,6\n"], "2 rows, 1 bad: CKP010"),
        ("header", [b"M,", b"N," * (BIG // 2)], "CKP007"),
        ("zeros", [b"\0" * BIG], "CKP002"),
        ("quotes", [b"M,N,K\n", b'"' * BIG], "0 rows, 1 bad: CKP010"),
    ],
)
def test_a_hundred_megabytes_cost_bounded_memory(tmp_path: Path, name: str, pieces: list[bytes], says: str) -> None:
    path = tmp_path / name
    with path.open("wb") as stream:
        stream.writelines(pieces)
    program = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_AS, (400 << 20, 400 << 20))\n"
        "from porter.ck_parser import read_files\n"
        "from porter.errors import InputError\n"
        "try:\n"
        "    result = read_files([sys.argv[1]], layout='plain')\n"
        "    print(f'{len(result.rows)} rows, {len(result.bad)} bad: {result.bad[0].code}')\n"
        "except InputError as error:\n"
        "    print(error.code)\n"
    )
    run = subprocess.run([sys.executable, "-c", program, str(path)], capture_output=True, text=True, timeout=60)
    assert (run.stdout.strip(), run.stderr) == (says, "")


def test_reading_a_pipe(tmp_path: Path) -> None:
    pipe = tmp_path / "blockscale.fifo"
    os.mkfifo(pipe)
    writer = subprocess.Popen([sys.executable, "-c", f"open({str(pipe)!r}, 'w').write('M,N,K\\n1,2,3\\n')"])
    try:
        assert len(read_files([str(pipe)]).rows) == 1
    finally:
        writer.wait(timeout=30)


def test_importing_is_light() -> None:
    program = (
        "import sys; before = set(sys.modules); import porter.ck_parser\n"
        "print(sorted({name.split('.')[0] for name in set(sys.modules) - before} - set(sys.stdlib_module_names)))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.strip() == "['porter']"


_SAMPLE_FILES = (
    "\n".join((TUNED_HEADER, tuned(), tuned(samples.BPRESHUFFLE, 2), tuned(samples.ASM, 3, libtype="asm"), "")),
    "M, N, K\n16, 1536, 7168\n",
    f"{XDL_HEADER}\n{xdl_row(1)}\n",
    f"{TILE_HEADER}\n{tile_row(1, 1)}\n",
)


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_damage_to_a_file_is_accounted_for(write: Write, data: st.DataObject) -> None:
    content = data.draw(st.sampled_from(_SAMPLE_FILES)).encode()
    for _ in range(data.draw(st.integers(0, 3))):
        at = data.draw(st.integers(0, len(content)))
        upto = min(len(content), at + data.draw(st.integers(0, 40)))
        patch = st.one_of(
            st.binary(max_size=8), st.sampled_from([b",", b'"', b"\n", b"\r", b"-", b"nan", b"\0", b"," * 50])
        )
        content = content[:at] + data.draw(patch) + content[upto:]
    _read_or_refuse(write(content))


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=200))
def test_any_bytes_below_a_header_are_accounted_for(write: Write, tail: bytes) -> None:
    _read_or_refuse(write(TUNED_HEADER.encode() + b"\n" + tail))


def _read_or_refuse(path: str) -> None:
    try:
        result = read_files([path], layout="plain")
    except InputError as error:
        assert error.code in STATED and str(error).encode("utf-8")
        return
    assert result.read + len(result.unsupported) + result.other + len(result.bad) == result.data_rows
    for bad in result.bad:
        assert bad.code in STATED and str(bad).encode("utf-8")
    for row in result.rows:
        assert row.notes is not None and 1 <= row.shape.m < 2**31
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss < 4 * 2**20
