# SPDX-License-Identifier: Apache-2.0
"""Code objects of our own text: kernels with chosen loops, and instances of CK as far as the census reads them."""

from __future__ import annotations

import struct
from collections.abc import Mapping

MFMA = "v_mfma_f32_16x16x128_f8f6f4 a[0:3], v[0:7], v[8:15], a[0:3]"
#: As the Itanium ABI spells a kernel's choice: main loop and TailNumber behind whatever else.
SYMBOL = "_ZN2ck4testIXELb{main}ELNS_25InMemoryDataOperationEnumE0ELi2ELNS_10TailNumberE{tail}EEEvT_"


def loop(*body: str, label: str = "1") -> str:
    """Instructions and a branch back to them."""
    return "\n".join([f"{label}:", *body, "s_sub_u32 s8, s8, 1", "s_cmp_lg_u32 s8, 0", f"s_cbranch_scc1 {label}b"])


def kernel(
    name: str, body: str, vgprs: int = 64, acc: int = 4, lds: int = 1024, described: str = ""
) -> tuple[str, str]:
    """Assembly of a kernel of 256 threads, and its metadata; described: more lines of that."""
    text = f"""
\t.p2align 8
\t.globl {name}
\t.type {name},@function
{name}:
{body}
\ts_endpgm
.L{name}_end:
\t.size {name}, .L{name}_end-{name}
\t.section .rodata
\t.amdhsa_kernel {name}
\t\t.amdhsa_group_segment_fixed_size {lds}
\t\t.amdhsa_next_free_vgpr {vgprs + acc}
\t\t.amdhsa_next_free_sgpr 32
\t\t.amdhsa_accum_offset {vgprs}
\t.end_amdhsa_kernel
\t.text"""
    metadata = f"""
  - .name: {name}
    .symbol: {name}.kd
    .kernarg_segment_size: 8
    .kernarg_segment_align: 8
    .group_segment_fixed_size: {lds}
    .private_segment_fixed_size: 0
    .wavefront_size: 64
    .sgpr_count: 38
    .vgpr_count: {vgprs + acc}
    .max_flat_workgroup_size: 256
{described}"""
    return text, metadata


def module(*kernels: tuple[str, str], tables: str = "") -> str:
    """The text of a whole module."""
    metadata = "".join(described for _, described in kernels).rstrip()
    listed = f"amdhsa.kernels:{metadata}" if kernels else "amdhsa.kernels: []"
    head = '\t.amdgcn_target "amdgcn-amd-amdhsa--gfx950"\n\t.text'
    tail = f".amdgpu_metadata\n---\n{listed}\namdhsa.version:\n  - 1\n  - 2\n...\n.end_amdgpu_metadata\n"
    return "\n".join([head, *(text for text, _ in kernels), tables, tail])


#: 16x64x256 over four waves: a wave has one MFMA a K block.
FACTS = {
    "ScaleBlockM": 1,
    "MPerBlock": 16,
    "NPerBlock": 64,
    "KPerBlock": 256,
    "MPerXDL": 16,
    "BlockSize": 256,
    "AK1": 16,
    "BK1": 16,
    "CVector": 4,
    "KShare": 32,
    "Padded": 1,
    "Preshuffled": 1,
    "FlushDenormals": 1,
}


def instance(choices: Mapping[int, tuple[bool, int]], facts: Mapping[str, int] = FACTS, loops: int = 12) -> str:
    """A module as `porter ck build` makes it: a kernel for each (main loop, TailNumber) of `choices`, by number of K
    tiles, with a trip of two; and CK's helper beside them."""
    made = []
    for main, tail in sorted(set(choices.values())):
        body = loop(*[MFMA] * 4) if main else f"{MFMA}\n{MFMA}"
        made.append(kernel(SYMBOL.format(main=int(main), tail=tail), body))
    helper = kernel("_ZN2ckL12flush_icacheEv", "s_icache_inv")
    table = bytes(1 + 2 * choices[n][1] + choices[n][0] if n in choices else 0 for n in range(loops))
    fact = struct.Struct("<24si")
    tables = {
        "porter_argument": struct.pack("<24sII", b"M", 0, 4) + struct.pack("<24sII", b"", 8, 0),
        "porter_instance": b"".join(fact.pack(name.encode(), value) for name, value in {**facts, "": 0}.items()),
        "porter_kernels": table,
    }
    return module(*made, helper, tables="\n".join(_data(name, raw) for name, raw in tables.items()))


def _data(name: str, raw: bytes) -> str:
    numbers = ", ".join(map(str, raw))
    head = f"\t.section .rodata\n\t.globl {name}\n\t.type {name},@object\n{name}:\n\t.byte {numbers}"
    return f"{head}\n\t.size {name}, {len(raw)}\n\t.text"
