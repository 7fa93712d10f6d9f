# SPDX-License-Identifier: Apache-2.0
"""The instruction tables and the compiled core cannot drift apart."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from oracle.machine.binding import core
from oracle.machine.tables import OPCODES
from oracle.machine.tables.header import header
from oracle.machine.tables.layout import FINDING, LAUNCH
from oracle.machine.tables.records import USER_SGPRS, FindingRecord, LaunchRecord

PROGRAM = "from oracle.machine.binding import core; print(core.__file__)"
DRIFTS = {
    "two opcodes swapped": ("tables/vop.py", "v_{min,max}_{i32,u32}", "v_{max,min}_{i32,u32}"),
    "an opcode added": ("tables/sop.py", "s_absdiff_i32  ", "s_new_i32 | i32 = i32\ns_absdiff_i32  "),
    "two fields swapped": (
        "tables/records.py",
        '    lane: Annotated[int, C("u32")] = 0\n    other_wave: Annotated[int, C("u32")] = 0\n',
        '    other_wave: Annotated[int, C("u32")] = 0\n    lane: Annotated[int, C("u32")] = 0\n',
    ),
    "a field widened": ("tables/records.py", 'vgprs: Annotated[int, C("u32"', 'vgprs: Annotated[int, C("u64"'),
    "a number changed": ("tables/records.py", "    OFFEN = 1\n    IDXEN = 2\n", "    OFFEN = 2\n    IDXEN = 1\n"),
}


@pytest.fixture
def copy(repository: Path, tmp_path: Path) -> Path:
    shutil.copytree(repository / "oracle", tmp_path / "oracle", ignore=shutil.ignore_patterns("__pycache__"))
    return tmp_path / "oracle" / "machine"


def run(machine: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=machine.parents[1], capture_output=True, text=True, check=False, timeout=60
    )


def test_the_header_is_fresh(repository: Path) -> None:
    written = (repository / "oracle" / "machine" / "core" / "abi.h").read_text(encoding="utf-8")
    assert written == header(), "run: make generate"


def test_the_core_names_and_implements_every_opcode() -> None:
    assert core.implemented() == [(name, True) for name in OPCODES]


def test_a_core_of_the_same_tables_is_taken(copy: Path) -> None:
    done = run(copy, "-c", PROGRAM)
    assert done.returncode == 0 and Path(done.stdout.strip()).parent == copy, done.stderr


@pytest.mark.parametrize("drift", DRIFTS.values(), ids=DRIFTS)
def test_a_core_of_other_tables_is_refused(copy: Path, drift: tuple[str, str, str]) -> None:
    name, old, new = drift
    text = (copy / name).read_text(encoding="utf-8")
    assert text.count(old) == 1
    (copy / name).write_text(text.replace(old, new), encoding="utf-8")
    done = run(copy, "-c", PROGRAM)
    assert done.returncode == 1 and not done.stdout
    assert "CoreUnusable" in done.stderr and "[CKM015]" in done.stderr and "pip install -e ." in done.stderr
    # The header can be written while the core does not fit, and then asks for another one.
    before = (copy / "core" / "abi.h").read_text(encoding="utf-8")
    assert run(copy, "oracle/machine/tables").returncode == 0
    assert (copy / "core" / "abi.h").read_text(encoding="utf-8") != before


def test_a_missing_core_says_so(copy: Path) -> None:
    for built in copy.glob("_core.*.so"):
        built.unlink()
    done = run(copy, "-c", PROGRAM)
    assert done.returncode == 1 and "[CKM016]" in done.stderr and "pip install -e ." in done.stderr


def test_records_lie_where_the_header_says() -> None:
    raw = FINDING.pack(FindingRecord(code=204, ins=5, other=7, workgroup=1 << 40, seen=3))
    assert len(raw) == 64 and raw[:12] == bytes([204, 0, 0, 0, 5, 0, 0, 0, 7, 0, 0, 0])
    assert FindingRecord(*FINDING.unpack(raw)) == FindingRecord(204, 5, 7, workgroup=1 << 40, seen=3)


def test_a_launch_is_packed_by_name() -> None:
    names = [name for name in LaunchRecord._fields if name not in ("grid", "block", "user_sgpr")]
    numbers = {name: 100 + n for n, name in enumerate(names)}
    record = LaunchRecord(grid=(1, 2, 3), block=(4, 5, 6), user_sgpr=tuple(range(10, 10 + USER_SGPRS)), **numbers)
    raw = LAUNCH.pack(record)
    for field in LAUNCH.fields:
        value = getattr(record, field.name)
        first = value[0] if isinstance(value, tuple) else value
        assert int.from_bytes(raw[field.offset : field.offset + 4], "little") == first, field.name
