# SPDX-License-Identifier: Apache-2.0
"""Which registers an instruction reads and writes, as one integer with a bit a register."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from oracle.machine.encode import DST, DST2, READ_DST, SRC0, SRC1, SRC2, SRC3, SRC4, Instruction
from oracle.machine.operands import SGPR, VGPR

#: Bits 0 to 511: VGPRs, then AGPRs; from here on SGPRs by number.
SCALARS = 512
VCC, M0, EXEC = (SCALARS + number for number in (106, 124, 126))
#: The scalar condition code, behind the 128 SGPRs.
SCC = SCALARS + 128
_PAIR = 3
_SOURCES = (SRC0, SRC1, SRC2, SRC3, SRC4)
_SCC_KEPT = (
    "s_mov",
    "s_cmov",
    "s_cselect",
    "s_mul",
    "s_bfm",
    "s_pack",
    "s_getreg",
    "s_setreg",
    "s_brev",
    "s_ff",
    "s_flbit",
    "s_sext",
    "s_bitset",
    "s_bitreplicate",
)
_SCC_READ = ("s_cselect", "s_cmov", "s_addc", "s_subb")


def row(kind: str, number: int) -> int:
    """The bit of a register."""
    return number if kind == VGPR else SCALARS + number


def bits(ins: Instruction, places: Sequence[int], every: bool = False) -> int:
    """The registers named at these operand places; `every` counts dwords too that packed forms do not pick."""
    found = 0
    for place in places:
        entry = ins.operands.get(place)
        if entry is None or entry[0].kind not in (VGPR, SGPR):
            continue
        value = entry[0]
        mask = (1 << value.dwords) - 1
        if not every and 2 <= place < 5:
            mask &= ~ins.unread[place - 2]
        found |= mask << row(value.kind, value.number)
    return found


def reads(ins: Instruction) -> int:
    """Registers that must hold their values when the instruction is issued."""
    found = bits(ins, _SOURCES)
    if ins.flags & READ_DST:
        found |= bits(ins, (DST,))
    if "vcc-source" in ins.opcode.flags or "_vcc" in ins.mnemonic:
        found |= _PAIR << VCC
    if "saveexec" in ins.mnemonic or "wrexec" in ins.mnemonic:
        found |= _PAIR << EXEC
    return found


def writes(ins: Instruction) -> int:
    """Registers that hold something else afterwards, at once or when a load lands."""
    found = bits(ins, (DST, DST2))
    if "swap" in ins.opcode.flags:
        found |= bits(ins, (SRC0,))
    if "exec" in ins.opcode.flags:
        found |= _PAIR << EXEC
    return found


def reads_scc(ins: Instruction) -> bool:
    """Whether the result depends on SCC."""
    return ins.mnemonic.startswith((*_SCC_READ, "s_cbranch_scc"))


def writes_scc(ins: Instruction) -> bool:
    """Whether SCC changes."""
    return ins.opcode.family == "salu" and not ins.mnemonic.startswith(_SCC_KEPT)


def rows(mask: int) -> Iterator[int]:
    """The bits that are set, lowest first."""
    while mask:
        low = mask & -mask
        yield low.bit_length() - 1
        mask ^= low


def name(bit: int) -> str:
    """A register as assembly spells it."""
    if bit >= SCALARS:
        special = {VCC: "vcc_lo", VCC + 1: "vcc_hi", M0: "m0", EXEC: "exec_lo", EXEC + 1: "exec_hi", SCC: "scc"}
        return special.get(bit, f"s{bit - SCALARS}")
    return f"a{bit - 256}" if bit >= 256 else f"v{bit}"
