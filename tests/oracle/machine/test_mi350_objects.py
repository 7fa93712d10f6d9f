# SPDX-License-Identifier: Apache-2.0
"""The `f8_block_scale_mi350` kernels that aiter's wheel ships, with verdicts (docs/against-ck.md).

Their epilogue writes C into the LDS that the last K block's prefetch still fills and reads. The host function always
passes splitk = 0, so the eight bytes that test it can hold the wait and the barrier that are missing.
"""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np
import pytest
import torch

from oracle.compare import canaries
from oracle.datasets import DATASETS, dataset
from oracle.kernarg import Field, KernargLayout
from oracle.machine import Memory, Mode, Report, Severity, load
from oracle.reference import Problem, reference, shuffle_weight, x_scale_to_k_major
from tests.oracle.machine.objects import llvm
from tests.oracle.machine.test_assembler_objects import equal

TILES = (32, 64, 96, 128)
COLUMNS = 256
SLOT = 16
POINTERS = ("C", "X", "W", "XC", "XQ", "WQ", "tmp0", "tmp1", "tmp2")
NUMBERS = ("K", "N", "M", "experts", "Xs", "Ws", "Cs", "n0", "n1", "n2", "n3", "splitk", "activation")
FIELDS = [(name, 8) for name in POINTERS] + [(name, 4) for name in NUMBERS] + [("tmp3", 8)]
LAYOUT = KernargLayout(
    tuple(Field(name, SLOT * slot, size) for slot, (name, size) in enumerate(FIELDS)), SLOT * len(FIELDS)
)

#: `s_cmp_eq_u32 s74, 0` and the `s_cbranch_scc0` behind it: splitk, at the end of either main loop.
SPLITK_TEST = re.compile(rb"\x4a\x80\x06\xbf..\x84\xbf", re.DOTALL)
WAIT, BARRIER, NOTHING = 0xBF8C0070, 0xBF8A0000, 0xBF800000  # s_waitcnt vmcnt(0) lgkmcnt(0); s_barrier; s_nop 0
CHECKED = Mode(checks=True, landing="late")


def shipped(wheel: Path, tile: int) -> Path:
    llvm("llvm-objdump")
    return wheel / "aiter_meta" / "hsa" / "gfx950" / f"f8_block_scale_mi350_x{tile}.co"


def changed(file: Path, folder: Path, first: int, second: int) -> Path:
    """The object with two instructions in the place of the splitk test."""
    code, places = SPLITK_TEST.subn(struct.pack("<II", first, second), file.read_bytes())
    assert places == 2
    (folder / file.name).write_bytes(code)
    return folder / file.name


def run(file: Path, tile: int, problem: Problem, mode: Mode = CHECKED) -> tuple[torch.Tensor, Report]:
    program = load(file)
    m, n, k = problem.m, problem.n, problem.k
    c = canaries(m, n).view(np.uint16)
    operands = {
        "X": problem.x,
        "W": shuffle_weight(problem.w),
        "XQ": x_scale_to_k_major(problem.xs),
        "WQ": problem.ws,
    }
    memory = Memory()
    values = dict.fromkeys((name for name, _ in FIELDS), 0)
    values["C"] = memory.place(c, "C", initialised=False)
    for name, operand in operands.items():
        values[name] = memory.place(operand.numpy(), name, writable=False)
    values |= {"K": k, "N": n, "M": m, "experts": 1, "Xs": k, "Ws": k, "Cs": 2 * n}
    report = program.launch((-(-n // COLUMNS), -(-m // tile)), (256,), LAYOUT.pack(values), memory, mode)
    return torch.from_numpy(c.copy()), report


def wanted(problem: Problem) -> torch.Tensor:
    return reference(problem, "16x16x128", fp32_denormals="flush")


def high(report: Report) -> set[str]:
    return {finding.code for finding in report.findings if finding.severity is Severity.HIGH}


def cases() -> list[object]:
    """Ragged and full M; an odd and an even number of K blocks, since either half of the loop may be the last."""
    quick = {(32, "general"), (128, "cancel"), (64, "special")}
    return [
        pytest.param(tile, name, marks=[] if (tile, name) in quick else pytest.mark.proof)
        for tile in TILES
        for name in DATASETS
    ]


@pytest.mark.parametrize(("tile", "name"), cases())
def test_every_bit_and_no_finding_once_the_epilogue_waits(tile: int, name: str, wheel: Path, tmp_path: Path) -> None:
    file = changed(shipped(wheel, tile), tmp_path, WAIT, BARRIER)
    for m, k, order in ((2 * tile - 5, 640, "ascending"), (tile, 1024, "descending")):
        problem = dataset(name, m, 512, k, seed=tile)
        got, report = run(file, tile, problem, Mode(checks=True, landing="late", wave_order=order))
        right = wanted(problem)
        assert len(right.to(torch.int32).unique()) > 20 and equal(got, right).all()
        assert not high(report)


@pytest.mark.parametrize("tile", TILES)
def test_the_race_as_shipped(tile: int, wheel: Path) -> None:
    """C is written over a DMA in flight and by waves ahead of one that still issues it; then read back wrong."""
    problem = dataset("general", tile, 512, 1024, seed=1)
    got, report = run(shipped(wheel, tile), tile, problem)
    wrong = (~equal(got, wanted(problem))).double().mean().item()
    assert 0.04 < wrong < 0.15
    assert high(report) == {"CKM204", "CKM205", "CKM206", "CKM207", "CKM234"}
    pairs = {
        (finding.code, *sorted(party.text.split()[0] for party in (finding.party, finding.other) if party))
        for finding in report.findings
        if finding.severity is Severity.HIGH
    }
    assert pairs == {
        ("CKM204", "buffer_load_dwordx4", "ds_read_b32"),
        ("CKM205", "ds_read_b128", "ds_write_b64"),
        ("CKM206", "ds_read_b128", "ds_write_b64"),
        ("CKM207", "buffer_load_dwordx4", "ds_write_b64"),
        ("CKM234", "buffer_load_dwordx4", "ds_write_b64"),
    }


@pytest.mark.parametrize(
    ("first", "second", "left"),
    [
        (WAIT, NOTHING, {"CKM205", "CKM206", "CKM207"}),
        (NOTHING, BARRIER, {"CKM207", "CKM234", "CKM244"}),
    ],
    ids=["wait", "barrier"],
)
def test_half_of_the_cure_leaves_its_half(first: int, second: int, left: set[str], wheel: Path, tmp_path: Path) -> None:
    """The wait alone lets waves run ahead of each other; the barrier alone lets the DMA land behind it."""
    file = changed(shipped(wheel, 32), tmp_path, first, second)
    _, report = run(file, 32, dataset("general", 32, 256, 512, seed=1))
    assert high(report) == left


def test_columns_beyond_n_are_stored_into_the_next_row(wheel: Path, tmp_path: Path) -> None:
    """N = 384 passes the host function's N % 128; the kernel stores 256 columns a workgroup with no bound on C."""
    file = changed(shipped(wheel, 32), tmp_path, WAIT, BARRIER)
    problem = dataset("general", 32, 384, 512, seed=2)
    got, report = run(file, 32, problem)
    assert high(report) == {"CKM221", "CKM232"}
    right = equal(got, wanted(problem))
    assert right[:, 128:].all() and right[0].all() and not right[1:, :128].any()
