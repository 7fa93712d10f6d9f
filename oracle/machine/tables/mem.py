# SPDX-License-Identifier: Apache-2.0
"""Vector memory: MUBUF, FLAT, GLOBAL, SCRATCH (CDNA4 ISA 12.13 to 12.15): vmcnt, in order."""

from __future__ import annotations

from .opcode import Opcode, rows

# Loads name their destination first, stores their data after the address. `returning` forms exist by the sc0 modifier.
BUFFER = """
buffer_load_{ubyte,sbyte,ushort,sshort}   | b32 = a:b32 s:b128 s:b32 | load
buffer_load_{ubyte,sbyte,short}_d16       | b32 = a:b32 s:b128 s:b32 | load read-destination
buffer_load_{ubyte,sbyte,short}_d16_hi    | b32 = a:b32 s:b128 s:b32 | load read-destination
buffer_load_dword                         | b32 = a:b32 s:b128 s:b32 | load
buffer_load_dwordx2                       | b64 = a:b32 s:b128 s:b32 | load
buffer_load_dwordx3                       | b96 = a:b32 s:b128 s:b32 | load
buffer_load_dwordx4                       | b128 = a:b32 s:b128 s:b32 | load
buffer_store_{byte,short}                 | = b32 a:b32 s:b128 s:b32 | store
buffer_store_{byte,short}_d16_hi          | = b32 a:b32 s:b128 s:b32 | store
buffer_store_dword                        | = b32 a:b32 s:b128 s:b32 | store
buffer_store_dwordx2                      | = b64 a:b32 s:b128 s:b32 | store
buffer_store_dwordx3                      | = b96 a:b32 s:b128 s:b32 | store
buffer_store_dwordx4                      | = b128 a:b32 s:b128 s:b32 | store
buffer_atomic_{add,sub,smin,umin,smax,umax,and,or,xor,swap,inc,dec} | = b32 a:b32 s:b128 s:b32 | atomic
buffer_atomic_{add_f32,pk_add_f16,pk_add_bf16} | = b32 a:b32 s:b128 s:b32 | atomic
buffer_atomic_add_f64                     | = b64 a:b32 s:b128 s:b32 | atomic
buffer_wbl2                               | =
buffer_inv                                | =
buffer_wbinvl1                            | =
buffer_wbinvl1_vol                        | =
"""

FLAT = """
{flat,global,scratch}_load_{ubyte,sbyte,ushort,sshort} | b32 = | load
{flat,global,scratch}_load_{ubyte,sbyte,short}_d16     | b32 = | load read-destination
{flat,global,scratch}_load_{ubyte,sbyte,short}_d16_hi  | b32 = | load read-destination
{flat,global,scratch}_load_dword                       | b32 = | load
{flat,global,scratch}_load_dwordx2                     | b64 = | load
{flat,global,scratch}_load_dwordx3                     | b96 = | load
{flat,global,scratch}_load_dwordx4                     | b128 = | load
global_load_lds_{ubyte,sbyte,ushort,sshort,dword,dwordx3,dwordx4} | = | load lds
{flat,global,scratch}_store_{byte,short}               | = b32 | store
{flat,global,scratch}_store_{byte,short}_d16_hi        | = b32 | store
{flat,global,scratch}_store_dword                      | = b32 | store
{flat,global,scratch}_store_dwordx2                    | = b64 | store
{flat,global,scratch}_store_dwordx3                    | = b96 | store
{flat,global,scratch}_store_dwordx4                    | = b128 | store
{flat,global}_atomic_{add,sub,smin,umin,smax,umax,and,or,xor,swap,inc,dec} | = b32 | atomic
{flat,global}_atomic_{add_f32,pk_add_f16,pk_add_bf16}  | = b32 | atomic
{flat,global}_atomic_add_f64                           | = b64 | atomic
{flat,global}_atomic_cmpswap                           | = b64 | atomic
{flat,global}_atomic_add_x2                            | = b64 | atomic
"""


def opcodes() -> list[Opcode]:
    """Every vector memory opcode."""
    flat = rows(FLAT, "flat", "v", "v")
    return [
        *rows(BUFFER, "buffer", "v", "v"),
        *(Opcode(op.name, op.name.partition("_")[0], op.destinations, op.sources, op.flags) for op in flat),
    ]
