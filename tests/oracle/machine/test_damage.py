# SPDX-License-Identifier: Apache-2.0
"""Damaged programs end in an error of the machine's own types or run within bounds: never a crash, never a hang."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from oracle.machine import MachineError, Memory, Mode, load
from oracle.machine.elf import disassembler
from oracle.machine.errors import DisassemblerMissing
from tests.oracle.machine.objects import KERNELS, link

TEXTS = 250
OBJECTS = 60


def damaged_texts(count: int) -> Iterator[str]:
    rng = random.Random(11)
    sources = [path.read_text(encoding="utf-8") for path in KERNELS]
    alphabet = "vsa[]:0123456789,()x-| _\n\tqz%"
    for _ in range(count):
        text = rng.choice(sources)
        lines = text.split("\n")
        kind = rng.randrange(6)
        where = rng.randrange(len(lines))
        if kind == 0:
            place = rng.randrange(len(text))
            yield text[:place] + rng.choice(alphabet) + text[place + 1 :]
        elif kind == 1:
            yield text[: rng.randrange(len(text))]
        elif kind == 2:
            del lines[where]
            yield "\n".join(lines)
        elif kind == 3:
            lines[where], lines[-where - 1] = lines[-where - 1], lines[where]
            yield "\n".join(lines)
        elif kind == 4:
            digits = [n for n, char in enumerate(text) if char.isdigit()]
            place = rng.choice(digits)
            yield text[:place] + rng.choice(["99999999999999999999", "-1", "0x", "255", "7"]) + text[place + 1 :]
        else:
            words = lines[where].split(" ")
            rng.shuffle(words)
            lines[where] = " ".join(words)
            yield "\n".join(lines)


def attempt(source: str | Path) -> str:
    """Load and run under every check with a small budget; the error's code, or `ran`."""
    try:
        program = load(source)
        kernel = program.kernel()
        memory = Memory()
        pointers = [memory.place(np.zeros(1 << 16, np.uint8), f"array {n}") for n in range(5)]
        raw = b"".join(p.to_bytes(8, "little") for p in pointers) + (3).to_bytes(4, "little")
        block = kernel.reqd_workgroup_size or (64,)
        mode = Mode(checks=True, landing="late", budget=3000, threads=1)
        program.launch((1,), block, raw.ljust(max(kernel.kernarg_bytes, 64), b"\0"), memory, mode)
    except MachineError as error:
        assert error.code.startswith("CKM") and error.message
        return error.code
    return "ran"


@pytest.mark.parametrize("count", [TEXTS, pytest.param(4 * TEXTS, marks=pytest.mark.proof)])
def test_damaged_texts(count: int) -> None:
    outcomes = [attempt(text + "\n") for text in damaged_texts(count)]
    assert len(outcomes) == count
    assert len(set(outcomes)) > 5


@pytest.fixture(scope="session")
def code_object(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """The smallest kernel of the folder, assembled and linked."""
    text = min((path.read_text(encoding="utf-8") for path in KERNELS), key=len)
    return link(text, tmp_path_factory.mktemp("object")).read_bytes()


def test_damaged_objects(code_object: bytes, tmp_path: Path) -> None:
    try:
        disassembler()
    except DisassemblerMissing as error:
        pytest.skip(str(error))
    rng = random.Random(5)
    file = tmp_path / "damaged.co"
    file.write_bytes(code_object)
    assert attempt(file) == "ran"
    outcomes = []
    for _ in range(OBJECTS):
        raw = bytearray(code_object)
        if rng.random() < 0.2:
            raw = raw[: rng.randrange(4, len(raw))]
        else:
            for _ in range(rng.choice([1, 8, 64])):
                raw[rng.randrange(4, len(raw))] = rng.randrange(256)
        file.write_bytes(bytes(raw))
        outcomes.append(attempt(file))
    assert len(outcomes) == OBJECTS
    assert len(set(outcomes)) > 3
