# SPDX-License-Identifier: Apache-2.0
"""Code objects for tests, made by LLVM's assembler and linker where they are installed."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from oracle.machine import Memory, Mode, Program
from oracle.machine.elf import OLDEST
from oracle.machine.encode import Instruction

KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.s"))


def llvm(name: str) -> str:
    """The newest versioned LLVM tool on PATH; skips the test without one."""
    for version in range(40, OLDEST - 1, -1):
        path = shutil.which(f"{name}-{version}")
        if path:
            return path
    pytest.skip(f"{name} {OLDEST} or newer is not installed (Debian: llvm-22, lld-22)")


def assemble(text: str, folder: Path, arch: str = "gfx950") -> Path:
    """A relocatable object of assembly text. FlyDSL spells the triple of `.amdgcn_target` another way than LLVM."""
    lines = [line for line in text.splitlines() if ".amdgcn_target" not in line]
    (folder / "k.s").write_text("\n".join(lines) + "\n", encoding="utf-8")
    command = [llvm("llvm-mc"), "-triple=amdgcn-amd-amdhsa", f"-mcpu={arch}", "-filetype=obj", "k.s", "-o", "k.o"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[:2000]
    return folder / "k.o"


def link(text: str, folder: Path, arch: str = "gfx950") -> Path:
    """A code object, as a driver would load it."""
    linker = llvm("ld.lld")
    assemble(text, folder, arch)
    subprocess.run([linker, "-shared", "k.o", "-o", "k.co"], cwd=folder, check=True)
    return folder / "k.co"


def disassemble(file: Path) -> str:
    """llvm-objdump's text."""
    command = [llvm("llvm-objdump"), "-d", "--section=.text", str(file)]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def meanings(instructions: Sequence[Instruction]) -> list[tuple[str, bytes, int]]:
    """Records without their place: line number out, pc counted from the first instruction."""
    result = []
    for ins in instructions:
        raw = ins.record()
        result.append((ins.mnemonic, raw[:4] + raw[12:], ins.pc - instructions[0].pc))
    return result


def gemm(program: Program, m: int = 20, size: int = 512, mode: Mode | None = None) -> bytes:
    """Run a committed GEMM kernel (N and K of 512, first tile row) on fixed bytes; returns C's bytes."""
    rng = np.random.default_rng(3)
    kernel = program.kernel()
    memory = Memory()
    c = np.full((m, size), 0x7FC1, np.uint16)
    fp8 = [rng.integers(0, 0x78, (rows, size), dtype=np.uint8) for rows in (m, size)]
    for array in fp8:
        array |= rng.integers(0, 2, array.shape, dtype=np.uint8) << 7
    scales = [rng.uniform(0.5, 2, shape).astype(np.float32) for shape in ((m, size // 128), (size // 128,) * 2)]
    arrays = [c, *fp8, *scales]
    pointers = [memory.place(array, f"array {n}") for n, array in enumerate(arrays)]
    assert [argument.size for argument in kernel.arguments] == [8] * 5 + [4]
    assert kernel.reqd_workgroup_size is not None
    program.launch((4,), kernel.reqd_workgroup_size, [*pointers, m], memory, mode)
    return c.tobytes()
