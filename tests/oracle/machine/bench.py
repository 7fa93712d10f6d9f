# SPDX-License-Identifier: Apache-2.0
"""A small bench for the machine's tests: wraps instructions into a kernel, feeds lanes, reads lanes back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from oracle.machine import Memory, Mode, Program, Report, load
from oracle.machine.check_examples import kernel_text

LANES = 64
Words = npt.NDArray[np.uint32]


def launch(
    body: str,
    arrays: Sequence[npt.NDArray[Any]],
    *,
    grid: Sequence[int] = (1,),
    block: Sequence[int] = (64,),
    mode: Mode | None = None,
    initialised: bool = True,
    **options: Any,
) -> Report:
    """Run `body` with the device addresses of `arrays` as kernarg (8 bytes each)."""
    memory = Memory()
    addresses = [memory.place(array, f"array {n}", initialised=initialised or n > 0) for n, array in enumerate(arrays)]
    raw = b"".join(a.to_bytes(8, "little") for a in addresses).ljust(64, b"\0")
    return program(body, **options).launch(grid, block, raw, memory, mode)


def program(body: str, **options: Any) -> Program:
    """The wrapped program."""
    return load(kernel_text(body, **options))


def lanes_of(body: str, inputs: Sequence[Words], outputs: int = 1, *, setup: str = "", **options: Any) -> Words:
    """Run `body` on one wave: input k is in v[10 + k], output k is read from v[40 + k]; returns [outputs, 64] dwords.

    The address registers are v2 (4 * lane) and s[4:5], s[6:7]; v3, v4 and s[8:15] are free.
    """
    given = np.zeros((max(len(inputs), 1), LANES), np.uint32)
    for k, row in enumerate(inputs):
        given[k] = row
    result = np.zeros((outputs, LANES), np.uint32)
    loads = "\n".join(f"\tglobal_load_dword v{10 + k}, v2, s[6:7] offset:{256 * k}" for k in range(len(inputs)))
    stores = "\n".join(f"\tglobal_store_dword v2, v{40 + k}, s[4:5] offset:{256 * k}" for k in range(outputs))
    text = f"""
\ts_load_dwordx4 s[4:7], s[0:1], 0x0
\tv_lshlrev_b32_e32 v2, 2, v0
\ts_waitcnt lgkmcnt(0)
{loads}
\ts_waitcnt vmcnt(0)
{setup}
{body}
\ts_waitcnt vmcnt(0) lgkmcnt(0)
\ts_mov_b64 exec, -1
{stores}
"""
    launch(text, [result, given], **options)
    return result


def f32(values: Any) -> Words:
    """Bits of floats."""
    return np.asarray(values, np.float32).view(np.uint32)


def as_f32(words: Words) -> npt.NDArray[np.float32]:
    """Floats of bits."""
    return words.view(np.float32)
