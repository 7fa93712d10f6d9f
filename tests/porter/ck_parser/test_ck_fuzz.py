# SPDX-License-Identifier: Apache-2.0
"""Damaged files of every form: an error with code and line, or an account that adds up; no traceback, no hang."""

from __future__ import annotations

import json
import random
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import pytest

from porter.ck_parser import parse_kernel_name, read_files
from porter.ck_parser.traces import read_trace
from porter.errors import PorterError
from tests.porter.ck_parser.ck_forms import cpp_helper, cpp_source, cpp_tuple, python_source
from tests.porter.ck_parser.ck_samples import ASM, BPRESHUFFLE, CKTILE, PLAIN, TUNED_HEADER, tuned

INSTANCES = [parse_kernel_name(name) for name in (PLAIN, BPRESHUFFLE)]
FORMS: dict[str, tuple[str, str]] = {
    "tuned table": (
        "a8w8_blockscale_tuned_gemm.csv",
        "\n".join([TUNED_HEADER, *[tuned(n) for n in (PLAIN, CKTILE, ASM)] * 3]),
    ),
    "untuned table": ("a8w8_blockscale_untuned_gemm.csv", "M,N,K\n" + "16, 1536, 7168\n" * 9),
    "python source": ("gemm_a8w8_blockscale_instance.py", python_source(dict(enumerate(INSTANCES)))),
    "C++ tuples": ("device_gemm_ab_scale.hpp", cpp_source(*[cpp_tuple(INSTANCES[0])] * 3)),
    "C++ helper": ("impl.cuh", cpp_helper(INSTANCES[0])),
    "trace table": ("trace.csv", "Kernel_Name,Start_Timestamp,End_Timestamp\n" + f'"{PLAIN}",100,900\n' * 4),
    "Chrome trace": (
        "trace.json",
        json.dumps({"traceEvents": [{"ph": "X", "cat": "kernel", "name": PLAIN, "ts": 1, "dur": 5}] * 4}),
    ),
}
SCRAPS = [
    "",
    "\0",
    '"',
    ",",
    "\n",
    "\r",
    "<",
    ">",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    ";",
    "//",
    "/*",
    "*/",
    "#",
    "'''",
    "-1",
    "NaN",
    "9" * 400,
    "\ufeff",
    "é",
    "S<1,2>",
    "lambda: 0",
    "import os",
    "x" * 3000,
]


@contextmanager
def one_second() -> Iterator[None]:
    """Fail what runs longer: a hang, whatever the machine is doing."""

    def stop(_: int, __: FrameType | None) -> None:
        raise TimeoutError("more than a second")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def damaged(text: str, rng: random.Random) -> bytes:
    """A few cuts, copies, swaps and scraps at random places."""
    data = text
    for _ in range(rng.randint(1, 4)):
        a, b = sorted(rng.randrange(len(data) + 1) for _ in range(2))
        kind = rng.randrange(5)
        if kind == 0:
            data = data[:a] + data[b:]
        elif kind == 1:
            data = data[:b] + data[a:]
        elif kind == 2:
            data = data[:a] + rng.choice(SCRAPS) + data[a:]
        elif kind == 3:
            data = data[:a] + rng.choice(SCRAPS) + data[a + 1 :]
        else:
            data = data[:a]
    raw = bytearray(data.encode())
    if raw and rng.random() < 0.2:
        raw[rng.randrange(len(raw))] = rng.randrange(256)
    return bytes(raw)


def attempt(path: Path) -> None:
    """Read one file as everything it may be; only PorterError may come out, with a code and a place."""
    for read in (lambda: read_files([path], layout="plain"), lambda: read_trace(path)):
        with one_second():
            try:
                result = read()
            except PorterError as error:
                assert error.code.startswith("CKP") and (error.where is None or error.where.line >= 0)
                continue
        if hasattr(result, "data_rows"):
            assert result.read + len(result.unsupported) + len(result.bad) == result.data_rows
            assert all(bad.code.startswith("CKP") and bad.where.line >= 1 for bad in result.bad)


def fuzz(form: str, cases: range, folder: Path) -> None:
    name, text = FORMS[form]
    for case in cases:
        path = folder / name
        path.write_bytes(damaged(text, random.Random(f"{form} {case}")))
        try:
            attempt(path)
        except PorterError:
            raise
        except BaseException as error:
            raise AssertionError(f"{form}, case {case}: {type(error).__name__}: {error}") from error


@pytest.mark.parametrize("form", FORMS)
def test_damaged_files(form: str, tmp_path: Path) -> None:
    fuzz(form, range(150), tmp_path)


@pytest.mark.proof
@pytest.mark.parametrize("form", FORMS)
def test_ten_thousand_damaged_files(form: str, tmp_path: Path) -> None:
    fuzz(form, range(10_000), tmp_path)


@pytest.mark.parametrize("form", FORMS)
def test_the_undamaged_files_read(form: str, tmp_path: Path) -> None:
    name, text = FORMS[form]
    path = tmp_path / name
    path.write_text(text)
    if "trace" in form.lower():
        assert len(read_trace(path).kernels) == 1
    else:
        result = read_files([path])
        assert result.data_rows > 0 and not result.bad
