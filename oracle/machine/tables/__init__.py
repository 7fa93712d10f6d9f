# SPDX-License-Identifier: Apache-2.0
"""The instruction tables, one file a family; `OPCODES` is the list that Python and the C core share.

The position of a mnemonic in `OPCODES` is its number in the byte code. `records` has the rest of what both share.
`python oracle/machine/tables` writes the C header from the two; `oracle.machine.binding` compares them with the core.
"""

from __future__ import annotations

from . import ds, mem, mfma, smem, sop, vop
from .opcode import Opcode, Slot, ValueType

OPCODES: dict[str, Opcode] = {op.name: op for family in (sop, smem, vop, mfma, ds, mem) for op in family.opcodes()}
NUMBERS: dict[str, int] = {name: number for number, name in enumerate(OPCODES)}
ALIASES: dict[str, str] = mfma.ALIASES

__all__ = ["ALIASES", "NUMBERS", "OPCODES", "Opcode", "Slot", "ValueType"]
