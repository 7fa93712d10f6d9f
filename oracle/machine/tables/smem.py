# SPDX-License-Identifier: Apache-2.0
"""Scalar memory (CDNA4 ISA 12.6): lgkmcnt, returned out of order."""

from __future__ import annotations

from .opcode import Opcode, rows

# Stores and atomics name their data first in the text; here the address comes first, as in a load.
TABLE = """
s_load_dword           | b32  = b64 | memory offset-operand
s_load_dwordx2         | b64  = b64 | memory offset-operand
s_load_dwordx4         | b128 = b64 | memory offset-operand
s_load_dwordx8         | b256 = b64 | memory offset-operand
s_load_dwordx16        | b512 = b64 | memory offset-operand
s_buffer_load_dword    | b32  = b128 | memory offset-operand
s_buffer_load_dwordx2  | b64  = b128 | memory offset-operand
s_buffer_load_dwordx4  | b128 = b128 | memory offset-operand
s_buffer_load_dwordx8  | b256 = b128 | memory offset-operand
s_buffer_load_dwordx16 | b512 = b128 | memory offset-operand
s_store_dword          | = b64 b32  | memory offset-operand store
s_store_dwordx2        | = b64 b64  | memory offset-operand store
s_store_dwordx4        | = b64 b128 | memory offset-operand store
s_atomic_{add,sub,smin,umin,smax,umax,and,or,xor,swap,inc,dec} | = b64 b32 | memory offset-operand atomic
s_memtime              | b64  =
s_memrealtime          | b64  =
s_dcache_{inv,wb,inv_vol,wb_vol} | =
"""


def opcodes() -> list[Opcode]:
    """Every scalar memory opcode."""
    return list(rows(TABLE, "smem", "s", "s"))
