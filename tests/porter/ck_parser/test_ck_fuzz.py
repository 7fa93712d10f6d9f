# SPDX-License-Identifier: Apache-2.0
"""Damaged files of every form: an account or an error with code and line, never a traceback, a hang or a blow-up."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from pathlib import Path

import ck_forms as forms
import ck_samples as samples
import pytest
from ck_samples import TUNED_HEADER, tuned
from test_ck_tables import TILE_HEADER, XDL_HEADER, tile_row, xdl_row

from porter.ck_parser import CkTileInstance, XdlInstance, parse_kernel_name, read_files
from porter.codes import STATED
from porter.errors import InputError

Write = Callable[..., str]

PLAIN = parse_kernel_name(samples.PLAIN)
TILE = parse_kernel_name(samples.CKTILE)
assert isinstance(PLAIN, XdlInstance) and isinstance(TILE, CkTileInstance)
TUPLE = forms.cpp_tuple(PLAIN)

SEEDS = {
    "a8w8_blockscale.csv": f"{TUNED_HEADER}\n{tuned()}\n{tuned(samples.CKTILE, 2)}\n",
    "shapes_blockscale.csv": "M, N, K\n16, 1536, 7168\n",
    "xdl.csv": f"{XDL_HEADER}\n{xdl_row(1)}\n",
    "tile.csv": f"{TILE_HEADER}\n{tile_row(1, 1)}\n",
    "plain.py": forms.python_source({0: PLAIN, 1: PLAIN}),
    "cktile.py": f"arch = get_gfx()\n{forms.python_source({0: TILE})}\nall_ = expand_blockpercu(kernels_list, 4)\n",
    "tuple.hpp": forms.cpp_source(TUPLE, TUPLE),
    "helper.cuh": forms.cpp_helper(PLAIN),
    "trace.csv": f'Kernel_Name,Start_Timestamp,End_Timestamp\n"{forms.symbol(PLAIN)}",1,2\n',
    "trace.json": f'{{"traceEvents": [\n{{"cat": "kernel", "name": "{forms.symbol(PLAIN)}", "dur": 2}}\n]}}',
}
PATCHES = (
    *(bytes([code]) for code in b"<>(){}[],;:\"'\\/*#\n\r\0-"),
    b"\xff", b"//", b"/*", b'R"(', b"**", b"9" * 40, b"(" * 200, b"<" * 200, b"S<", b"...", b"nan", b"{**x}", b"    ",
)  # fmt: skip


def damage(random_: random.Random) -> tuple[str, bytes]:
    """A file with up to four pieces cut, copied or replaced."""
    name = random_.choice(list(SEEDS))
    content = SEEDS[name].encode()
    for _ in range(random_.randint(1, 4)):
        at = random_.randrange(len(content) + 1)
        upto = min(len(content), at + random_.choice((0, 1, 5, 40, 400)))
        kind = random_.random()
        patch = random_.choice(PATCHES) if kind < 0.6 else content[at:upto] * 2 if kind < 0.8 else b""
        content = content[:at] + patch + content[upto:]
    return name, content


def account(path: str) -> None:
    started = time.process_time()
    try:
        result = read_files([path], layout="plain")
    except InputError as error:
        assert error.code in STATED and error.where and error.where.line >= 1 and str(error).encode()
    else:
        assert result.read + len(result.unsupported) + result.other + len(result.bad) == result.data_rows
        for bad in result.bad:
            assert bad.code in STATED and bad.where.line >= 1 and str(bad).encode()
    assert time.process_time() - started < 1


def fuzz(folder: Path, cases: int, seed: int) -> None:
    random_ = random.Random(seed)
    for number in range(cases):
        name, content = damage(random_)
        path = folder / name
        path.write_bytes(content)
        try:
            account(str(path))
        except Exception as error:
            error.add_note(f"case {number} of seed {seed}: {name}") if hasattr(error, "add_note") else None
            raise


def test_damaged_files_of_each_form(tmp_path: Path) -> None:
    fuzz(tmp_path, 1000, seed=4)


@pytest.mark.proof
@pytest.mark.parametrize("seed", range(10))
def test_ten_thousand_damaged_files(tmp_path: Path, seed: int) -> None:
    fuzz(tmp_path, 1000, seed=100 + seed)


REPEATED = {
    "opened.hpp": f"{TUPLE.split('<')[0]}<",
    "tuples.hpp": f"using X = {TUPLE};\n",
    "commented.hpp": f"// {TUPLE}\n",
    "templates.hpp": "template <",
    "strings.hpp": '"',
    "comments.hpp": "/*",
    "raw.hpp": 'R"(',
    "blank.hpp": " ",
    "constants.hpp": "constexpr int a = a + 1;",
    "lists.json": "[",
    "events.json": '{"cat": "kernel", "name": "x", "dur": 1},\n',
    "rows.csv": f"{tuned()}\n",
    "quotes.csv": '"',
    "calls.py": "kernelInstance(",
    "lines.py": "kernelInstance(1)\n",
}
HEADS = {"json": "[\n", "csv": f"{TUNED_HEADER}\n", "hpp": f"\nusing First = {TUPLE};\n", "py": "x = 1\n"}


def grow(folder: Path, name: str, size: int) -> float:
    """Seconds that a file of `size` bytes of one repeated piece takes."""
    piece = REPEATED[name]
    path = folder / name
    path.write_text(HEADS[name.rpartition(".")[2]] + piece * (size // len(piece)))
    started = time.process_time()
    try:
        read_files([path], layout="plain")
    except InputError as error:
        assert error.code in STATED and error.where
    return time.process_time() - started


@pytest.mark.parametrize("name", REPEATED)
def test_time_grows_with_the_file_and_not_with_its_square(tmp_path: Path, name: str) -> None:
    small, large = grow(tmp_path, name, 2**17), grow(tmp_path, name, 2**20)
    assert large < 0.5 + 20 * small


@pytest.mark.proof
@pytest.mark.parametrize("name", REPEATED)
def test_fifty_megabytes(tmp_path: Path, name: str) -> None:
    assert grow(tmp_path, name, 50 * 2**20) < 120
