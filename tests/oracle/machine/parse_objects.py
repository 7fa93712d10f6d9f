# SPDX-License-Identifier: Apache-2.0
"""Reads every code object of a wheel: `python -m tests.oracle.machine.parse_objects WHEEL [JOBS]`.

Exit code 1 where one cannot be read, with a line for each. The wheel is data here: nothing of it is imported or
run.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from zipfile import ZipFile

from oracle.machine import MachineError, load


def objects(wheel: Path, under: str = "/hsa/") -> list[str]:
    """Names of the code objects in the wheel, sorted."""
    return sorted(name for name in opened(wheel, os.getpid()).namelist() if under in name and name.endswith(".co"))


@cache
def opened(wheel: Path, process: int) -> ZipFile:
    """Open until the process ends: a wheel's table of contents costs more than an object. Processes share no file."""
    return ZipFile(wheel)


def parse(wheel: Path, name: str) -> tuple[str, str, int]:
    """(name, what is wrong or nothing, instructions)."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / Path(name).name
        file.write_bytes(opened(wheel, os.getpid()).read(name))
        try:
            program = load(file)
        except MachineError as error:
            return name, f"{error.message} [{error.code}]", 0
    return name, "" if program.kernels else "no kernel", len(program.instructions)


def results(wheel: Path, jobs: int) -> Iterator[tuple[str, str, int]]:
    """`parse` of every object, in order."""
    names = objects(wheel)
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(parse, [wheel] * len(names), names, chunksize=8)


def main(arguments: Sequence[str]) -> int:
    wheel, jobs = Path(arguments[0]), int(arguments[1]) if len(arguments) > 1 else 2
    opened.cache_clear()
    instructions, wrong = 0, Counter[str]()
    parsed = 0
    for name, fault, count in results(wheel, jobs):
        parsed, instructions = parsed + (not fault), instructions + count
        if fault:
            wrong[fault] += 1
            print(f"{name}: {fault}")
    print(f"{parsed} parsed ({instructions} instructions), {wrong.total()} failed")
    return int(wrong.total() > 0 or not parsed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
