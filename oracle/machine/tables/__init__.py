# SPDX-License-Identifier: Apache-2.0
"""The instruction tables, one file a family; `OPCODES` is the list that Python and the C core share.

The position of a mnemonic in `OPCODES` is its number in the byte code. `python -m oracle.machine.tables` writes the
C header from it; a test compares the two.
"""

from __future__ import annotations

from . import ds, mem, mfma, smem, sop, vop
from .opcode import Opcode, Slot, ValueType

OPCODES: dict[str, Opcode] = {op.name: op for family in (sop, smem, vop, mfma, ds, mem) for op in family.opcodes()}
NUMBERS: dict[str, int] = {name: number for number, name in enumerate(OPCODES)}
ALIASES: dict[str, str] = mfma.ALIASES

__all__ = ["ALIASES", "NUMBERS", "OPCODES", "Opcode", "Slot", "ValueType", "header"]


def header() -> str:
    """Text of core/opcodes.h."""
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        "/* Written by `python -m oracle.machine.tables` from the instruction tables; do not edit. */",
        "#ifndef OPCODES_H",
        "#define OPCODES_H",
        "enum opcode {",
        *(f"    OP_{name}," for name in OPCODES),
        "    OPCODE_COUNT",
        "};",
        "#define OPCODE_NAMES \\",
        *(f'    "{name}", \\' for name in OPCODES),
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"
