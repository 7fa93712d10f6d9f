# SPDX-License-Identifier: Apache-2.0
"""LDS: reads, writes, atomics and lane exchange (CDNA4 ISA 12.12): lgkmcnt, in order."""

from __future__ import annotations

from .opcode import Opcode, rows

# The address VGPR comes first in the text of a write, after the destination in that of a read.
TABLE = """
ds_read_{u8,i8,u16,i16}               | b32 = b32 | read
ds_read_{u8,i8,u16}_d16               | b32 = b32 | read read-destination
ds_read_{u8,i8,u16}_d16_hi            | b32 = b32 | read read-destination
ds_read_{b32,b64,b96,b128}            | $1 = b32 | read
ds_read_b64_tr_{b4,b8,b16}            | b64 = b32 | read
ds_read_b96_tr_b6                     | b96 = b32 | read
ds_read2_b32                          | b64 = b32 | read two
ds_read2st64_b32                      | b64 = b32 | read two
ds_read2_b64                          | b128 = b32 | read two
ds_read2st64_b64                      | b128 = b32 | read two
ds_write_{b8,b16}                     | = b32 b32 | write
ds_write_{b8,b16}_d16_hi              | = b32 b32 | write
ds_write_{b32,b64,b96,b128}           | = b32 $1 | write
ds_write2_b32                         | = b32 b32 b32 | write two
ds_write2st64_b32                     | = b32 b32 b32 | write two
ds_write2_b64                         | = b32 b64 b64 | write two
ds_write2st64_b64                     | = b32 b64 b64 | write two
ds_{add,sub,rsub,min,max,inc,dec}_u32  | = b32 b32 | atomic
ds_{min,max}_i32                      | = b32 b32 | atomic
ds_{and,or,xor}_b32                   | = b32 b32 | atomic
ds_add_f32                            | = b32 b32 | atomic
ds_pk_add_{f16,bf16}                  | = b32 b32 | atomic
ds_{add,sub,rsub,min,max,inc,dec}_rtn_u32 | b32 = b32 b32 | atomic
ds_{min,max}_rtn_i32                  | b32 = b32 b32 | atomic
ds_{and,or,xor}_rtn_b32               | b32 = b32 b32 | atomic
ds_add_rtn_f32                        | b32 = b32 b32 | atomic
ds_pk_add_rtn_{f16,bf16}              | b32 = b32 b32 | atomic
ds_wrxchg_rtn_b32                     | b32 = b32 b32 | atomic
ds_cmpst_rtn_b32                      | b32 = b32 b32 b32 | atomic
ds_swizzle_b32                        | b32 = b32 | lane
ds_permute_b32                        | b32 = b32 b32 | lane
ds_bpermute_b32                       | b32 = b32 b32 | lane
ds_nop                                | =
"""


def opcodes() -> list[Opcode]:
    """Every LDS opcode."""
    return list(rows(TABLE, "ds", "v", "v"))
