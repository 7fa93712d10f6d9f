# SPDX-License-Identifier: Apache-2.0
"""Lines of text to the fixed-size records of the C core: operands by slot, modifiers by family, branch targets.

Whatever is not understood raises ProgramError: CKM020 unknown mnemonic, CKM021 operand, CKM022 modifier, CKM023 branch
target, CKM024 immediate.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from .errors import ProgramError
from .operands import CONSTANT, INTEGER, SGPR, SPECIAL, VGPR, OperandError, Value, parse
from .tables import ALIASES, NUMBERS, OPCODES, Opcode, Slot
from .tables.layout import INSTRUCTION
from .tables.opcode import TYPES
from .tables.records import Flag, Float, InstructionRecord, Mem, Mod, OperandKind, OperandRecord, Place
from .text import Line, Listing

_KINDS = {kind.name.lower(): kind for kind in OperandKind}
_FLOATING = {"": Float.NONE} | {kind.name.lower(): kind for kind in Float if kind}
_NO_OPERAND = OperandRecord(OperandKind.NONE, 0, 0, 0, 0, Float.NONE, 0, 0)

DST, DST2, SRC0, SRC1, SRC2, SRC3, SRC4 = _PLACES = tuple(map(int, Place))
_NEG, _ABS, _SEXT = map(int, Mod)
(
    READ_DST,
    SDWA,
    DPP,
    MODS,
    FP32,
    FP16_64,
    KEEP_HIGH,
    EXEC,
    LANE,
    HALF_DST,
    ALL_LANES,
    VECTOR,
    VALU,
    HIGH_ADDEND,
    LANE_MASK,
) = Flag
OFFEN, IDXEN, LDS, SC0, PRIVATE, SADDR, VADDR, VECTOR_ORDER, RETURN, SC1, LDS_ORDER = Mem
SDWA_SELECT = {f"BYTE_{n}": n for n in range(4)} | {"WORD_0": 4, "WORD_1": 5, "DWORD": 6}
SDWA_UNUSED = {"UNUSED_PAD": 0, "UNUSED_SEXT": 1, "UNUSED_PRESERVE": 2}
HWREGS = {"HW_REG_MODE": 1, "HW_REG_STATUS": 2, "HW_REG_TRAPSTS": 3, "HW_REG_HW_ID": 4, "HW_REG_XCC_ID": 20}
WIDTHS = {
    "ubyte": 1,
    "sbyte": 1,
    "byte": 1,
    "ushort": 2,
    "sshort": 2,
    "short": 2,
    "dword": 4,
    "dwordx2": 8,
    "dwordx3": 12,
    "dwordx4": 16,
}
# f8f6f4 operands: VGPRs by format (cbsz, blgp): e4m3, e5m2, e2m3, e3m2, e2m1.
F8F6F4_DWORDS = (8, 8, 6, 6, 4)
# Vector instructions of 4 bytes that LLVM prints without a suffix.
_SHORT = frozenset({"v_readfirstlane_b32", "v_nop", "v_swap_b32"})
_INLINE_FLOATS = frozenset({"0.5", "1.0", "2.0", "4.0", "0.15915494", "0.15915494309189532"})
_SCALAR_FAMILIES = frozenset({"salu", "control", "smem"})
_VALU_FAMILIES = frozenset({"valu", "vopc", "vop3p"})
GPR_INDEX = {"SRC0": 1, "SRC1": 2, "SRC2": 4, "DST": 8}
_SCOPES = {"sc0": SC0, "glc": SC0, "sc1": SC1}
_IGNORED = frozenset({"nt", "slc", "dlc"})


@dataclass(slots=True)
class Instruction:
    """One encoded instruction. pc: bytes from the start of its section; target: branch target (index), wait counts, or
    immediate, as `InstructionRecord` says."""

    opcode: Opcode
    line: Line
    pc: int = 0
    size: int = 4
    target: int = 0
    offset0: int = 0
    offset1: int = 0
    op_sel: int = 0
    op_sel_hi: int = 0
    neg_lo: int = 0
    neg_hi: int = 0
    clamp: int = 0
    omod: int = 0
    cbsz: int = 0
    blgp: int = 0
    memory: int = 0
    dpp: int = 0
    row_mask: int = 15
    bank_mask: int = 15
    bound_ctrl: int = 0
    dst_select: int = 6
    dst_unused: int = 0
    width: int = 0
    flags: int = 0
    selects: tuple[int, int] = (6, 6)
    unread: tuple[int, int, int] = (0, 0, 0)
    operands: dict[int, tuple[Value, Slot]] = field(default_factory=dict)

    @property
    def mnemonic(self) -> str:
        return self.opcode.name

    @property
    def text(self) -> str:
        return self.line.text

    def record(self) -> bytes:
        """The bytes of an InstructionRecord."""
        return INSTRUCTION.pack(
            InstructionRecord(
                op=NUMBERS[self.opcode.name],
                flags=self.flags,
                line=self.line.number,
                pc=self.pc,
                target=self.target,
                offset0=self.offset0,
                offset1=self.offset1,
                op_sel=self.op_sel,
                op_sel_hi=self.op_sel_hi,
                neg_lo=self.neg_lo,
                neg_hi=self.neg_hi,
                clamp=self.clamp,
                omod=self.omod,
                cbsz=self.cbsz,
                blgp=self.blgp,
                memory=self.memory,
                dpp=self.dpp,
                row_mask=self.row_mask,
                bank_mask=self.bank_mask,
                bound_ctrl=self.bound_ctrl,
                dst_select=self.dst_select,
                dst_unused=self.dst_unused,
                width=self.width,
                size=self.size,
                o=tuple(map(self._operand, _PLACES)),
            )
        )

    def _operand(self, place: int) -> OperandRecord:
        if place not in self.operands:
            return _NO_OPERAND
        value, slot = self.operands[place]
        return OperandRecord(
            kind=_KINDS[value.kind],
            dwords=min(value.dwords, 255),
            reg=value.number,
            mods=value.neg * _NEG | value.absolute * _ABS | value.sext * _SEXT,
            select=self.selects[place - SRC0] if place in (SRC0, SRC1) else 6,
            floating=_FLOATING[slot.type.floating],
            unread=self.unread[place - SRC0] if SRC0 <= place <= SRC2 else 0,
            value=value.bits & (1 << 64) - 1,
        )


_VECTOR = Slot("vector", TYPES["b32"], "b32")
_VECTOR2 = Slot("vector", TYPES["b64"], "b64")
_SCALAR = Slot("scalar", TYPES["b32"], "b32")
_SCALAR2 = Slot("scalar", TYPES["b64"], "b64")
_SCALAR4 = Slot("scalar", TYPES["b128"], "b128")


def _is_literal(word: str) -> bool:
    """Whether an operand takes a dword of its own: an integer or float that is not inline, `lit()`, an address."""
    if INTEGER.fullmatch(word):
        return not -16 <= int(word, 0) <= 64
    if word.startswith("lit(") or re.fullmatch(r"[A-Za-z_.$][\w.$]*@.*", word):
        return True
    return re.fullmatch(r"-?[0-9]*\.[0-9]+(e[-+]?[0-9]+)?", word) is not None and word.lstrip("-") not in _INLINE_FLOATS


class Encoder:
    """Encodes the lines of one listing."""

    def __init__(self, listing: Listing) -> None:
        self.listing = listing
        self.symbols: dict[str, int] = {}
        self.line = listing.lines[0]
        self.index = 0

    def encode(self) -> list[Instruction]:
        """Every instruction, with pc (given, or counted in text without addresses) and branch targets resolved."""
        pcs = self._layout()
        by_pc = {pc: index for index, pc in enumerate(pcs)}
        if self.listing.lines[0].pc is None:
            for name, index in self.listing.labels.items():
                self.symbols.setdefault(name, pcs[index] if index < len(pcs) else pcs[-1] + 4)
        result = []
        for index, (line, pc) in enumerate(zip(self.listing.lines, pcs, strict=True)):
            self.line, self.index = line, index
            result.append(self._one(line, pc, by_pc))
        return result

    def _layout(self) -> list[int]:
        pcs, at = [], 0
        for line in self.listing.lines:
            if line.pc is not None:
                at = line.pc
            pcs.append(at)
            at += self._size(line)
        return pcs

    def _size(self, line: Line) -> int:
        if line.words:
            return 4 * len(line.words)
        opcode = OPCODES.get(ALIASES.get(line.mnemonic, line.mnemonic))
        if opcode is None:
            return 8
        if line.mnemonic.startswith("v_mfma_scale"):
            return 16
        wide = opcode.family in ("smem", "ds", "buffer", "flat", "global", "scratch", "mfma", "vop3p")
        if wide or line.encoding in ("e64", "sdwa", "dpp") or line.mnemonic == "s_setreg_imm32_b32":
            return 8
        if opcode.family in ("valu", "vopc") and line.encoding == "" and line.mnemonic not in _SHORT:
            return 8
        if opcode.flags & {"imm16", "uimm16", "hwreg", "hwreg-first", "branch", "message", "waitcnt"}:
            return 4
        literal = any(_is_literal(word) for word in line.operands)
        return 8 if literal else 4

    def fail(self, code: str, message: str) -> ProgramError:
        return ProgramError(code, f"{message} in {self.line.text!r}", self.listing.path, self.line.number, self.line.pc)

    def _one(self, line: Line, pc: int, by_pc: Mapping[int, int]) -> Instruction:
        name = ALIASES.get(line.mnemonic, line.mnemonic)
        opcode = OPCODES.get(name)
        if opcode is None:
            raise self.fail("CKM020", f"unknown mnemonic {line.mnemonic}")
        ins = Instruction(opcode, line, pc, self._size(line))
        if "read-destination" in opcode.flags:
            ins.flags |= READ_DST
        if opcode.family not in _SCALAR_FAMILIES:
            ins.flags |= VECTOR
        if opcode.family in _VALU_FAMILIES:
            ins.flags |= VALU
        _FAMILIES[opcode.family](self, ins, list(line.operands), list(line.modifiers))
        if "branch" in opcode.flags:
            ins.target = self._branch(line, pc, by_pc)
        return ins

    def _branch(self, line: Line, pc: int, by_pc: Mapping[int, int]) -> int:
        word = line.operands[-1] if line.operands else ""
        place = self.listing.place(word, self.index)
        if place is not None:
            return place
        if line.words and INTEGER.fullmatch(word):
            offset = int(word)
            offset -= 65536 if offset >= 32768 else 0
            target = by_pc.get(pc + 4 + 4 * offset)
            if target is not None:
                return target
        raise self.fail("CKM023", f"branch target {word!r} is not an instruction")

    # Operands

    def operand(self, ins: Instruction, place: int, word: str, slot: Slot) -> Value:
        """Parse `word` for `slot` and store it at `place`."""
        try:
            value = parse(word, slot.type, self.symbols)
        except OperandError as error:
            raise self.fail("CKM021", str(error)) from None
        if value.kind in (VGPR, SGPR) and value.dwords != slot.type.dwords:
            raise self.fail("CKM021", f"operand {word} has {value.dwords} dwords, expected {slot.type.dwords}")
        if slot.register == "vector" and value.kind != VGPR:
            raise self.fail("CKM021", f"operand {word} must be a vector register")
        if slot.register == "scalar" and value.kind == VGPR:
            raise self.fail("CKM021", f"operand {word} must be scalar")
        if (value.neg or value.absolute) and slot.type.floating not in ("f32", "f64", "f16", "mix"):
            raise self.fail("CKM022", f"neg or abs on {word}")
        if value.sext and ins.line.encoding != "sdwa":
            raise self.fail("CKM022", f"sext on {word}")
        if value.kind in (CONSTANT, SPECIAL) and place in (DST, DST2):
            raise self.fail("CKM021", f"{word} cannot be written")
        ins.operands[place] = (value, slot)
        return value

    def signature(self, ins: Instruction, words: list[str]) -> None:
        """Destinations then sources in the order of the table row."""
        op = ins.opcode
        expected = len(op.destinations) + len(op.sources)
        if len(words) != expected:
            raise self.fail("CKM021", f"{len(words)} operands, expected {expected}")
        for place, (word, slot) in enumerate(zip(words, op.destinations, strict=False)):
            self.operand(ins, DST + place, word, slot)
        for place, (word, slot) in enumerate(zip(words[len(op.destinations) :], op.sources, strict=True)):
            self.operand(ins, SRC0 + place, word, slot)

    def integer(self, word: str, low: int, high: int) -> int:
        """An immediate in [low, high]."""
        if not INTEGER.fullmatch(word):
            raise self.fail("CKM024", f"cannot read immediate {word!r}")
        number = int(word, 0)
        if not low <= number <= high:
            raise self.fail("CKM024", f"immediate {word} is outside [{low}, {high}]")
        return number

    def reject(self, modifiers: Sequence[str]) -> None:
        if modifiers:
            raise self.fail("CKM022", f"unknown modifier {modifiers[0]!r}")

    # Families

    def salu(self, ins: Instruction, words: list[str], modifiers: list[str]) -> None:
        self.reject(modifiers)
        flags = ins.opcode.flags
        if "imm16" in flags or "uimm16" in flags:
            if not words:
                raise self.fail("CKM021", "an immediate is missing")
            number = self.integer(words.pop(), -32768, 65535)
            ins.target = (
                number - 65536 if "imm16" in flags and number >= 32768 else number & 0xFFFF if number >= 0 else number
            )
        elif "hwreg" in flags:
            ins.offset0 = self._hwreg(words.pop()) if words else 0
        elif "hwreg-first" in flags:
            ins.offset0 = self._hwreg(words.pop(0)) if words else 0
        self.signature(ins, words)
        if "exec" in flags:
            ins.flags |= EXEC

    def _hwreg(self, word: str) -> int:
        match = re.fullmatch(r"hwreg\(([^)]*)\)", word)
        if not match:
            return self.integer(word, 0, 65535)
        parts = [part.strip() for part in match[1].split(",")]
        number = HWREGS.get(parts[0])
        if number is None:
            number = self.integer(parts[0], 0, 63)
        offset = self.integer(parts[1], 0, 31) if len(parts) > 1 else 0
        width = self.integer(parts[2], 1, 32) if len(parts) > 2 else 32
        return number | offset << 6 | (width - 1) << 11

    def control(self, ins: Instruction, words: list[str], modifiers: list[str]) -> None:
        flags = ins.opcode.flags
        if "waitcnt" in flags:
            self._waitcnt(ins, [*words, *modifiers])
            return
        self.reject(modifiers)
        if "imm16" in flags:
            ins.target = self.integer(words.pop(), 0, 65535) if words else 0
        elif "gpr-idx" in flags:
            ins.target = self._gpr_index(words.pop()) if words else 0
        elif "branch" in flags or "message" in flags:
            words = words[:-1]
        if ins.mnemonic == "s_endpgm" and words == ["0"]:
            words = []
        self.signature(ins, words)

    def _gpr_index(self, word: str) -> int:
        """Which operands are indexed, as M0[15:12] has them."""
        match = re.fullmatch(r"gpr_idx\(([A-Z0-9, ]*)\)", word)
        if not match:
            return self.integer(word, 0, 15)
        names = [name.strip() for name in match[1].split(",") if name.strip()]
        if any(name not in GPR_INDEX for name in names):
            raise self.fail("CKM024", f"cannot read {word!r}")
        return sum({GPR_INDEX[name] for name in names})

    def _waitcnt(self, ins: Instruction, words: list[str]) -> None:
        ins.target = ins.offset0 = -1
        text = " ".join(words)
        if INTEGER.fullmatch(text):
            raw = self.integer(text, 0, 65535)
            ins.target, ins.offset0 = (raw & 15) | (raw >> 14 & 3) << 4, raw >> 8 & 15
            return
        if not re.fullmatch(r"(?:(?:vm|exp|lgkm)cnt(?:_sat)?\([0-9]{1,4}\)[\s&,]*)+", text):
            raise self.fail("CKM024", "cannot read the counters")
        for name, saturating, count in re.findall(r"(vm|exp|lgkm)cnt(_sat)?\(([0-9]+)\)", text):
            limit = {"vm": 63, "exp": 7, "lgkm": 15}[name]
            number = min(int(count), limit) if saturating else self.integer(count, 0, limit)
            if name == "vm":
                ins.target = number
            elif name == "lgkm":
                ins.offset0 = number

    def smem(self, ins: Instruction, words: list[str], modifiers: list[str]) -> None:
        offset = 0
        for word in modifiers:
            if word.startswith("offset:"):
                offset = self.integer(word[7:], -(1 << 20), (1 << 21) - 1)
            elif word != "glc":
                self.reject([word])
            elif "atomic" in ins.opcode.flags:
                ins.memory |= RETURN
        if "offset-operand" in ins.opcode.flags:
            if len(words) != 3:
                raise self.fail("CKM021", f"{len(words)} operands, expected 3")
            word = words.pop()
            if INTEGER.fullmatch(word):
                offset += self.integer(word, -(1 << 20), (1 << 21) - 1)
            else:
                self.operand(ins, SRC1, word, _SCALAR)
                if ins.operands[SRC1][0].kind != SGPR:
                    raise self.fail("CKM021", f"offset {word} must be an SGPR or an immediate")
        ins.offset0 = offset
        if ins.opcode.flags & {"store", "atomic"}:
            self._scalar_data(ins, words)
        else:
            self.signature(ins, words)
        for place in (DST, SRC0, SRC2):
            if place in ins.operands and ins.operands[place][0].kind != SGPR:
                raise self.fail("CKM021", "scalar memory needs SGPR operands")

    def _scalar_data(self, ins: Instruction, words: list[str]) -> None:
        """Data, then address; an atomic returns into its data register."""
        if len(words) != 2:
            raise self.fail("CKM021", f"{len(words) + 1} operands, expected 3")
        base, data = ins.opcode.sources
        self.operand(ins, SRC0, words[1], base)
        self.operand(ins, SRC2, words[0], data)
        if ins.memory & RETURN:
            ins.operands[DST] = ins.operands[SRC2]

    def valu(self, ins: Instruction, words: list[str], modifiers: list[str]) -> None:
        op = ins.opcode
        self.signature(ins, words)
        sources = len(op.sources)
        for word in modifiers:
            self._valu_modifier(ins, word, sources)
        if ins.line.encoding == "sdwa":
            ins.flags |= SDWA
        if ins.line.encoding == "dpp":
            ins.flags |= DPP
        mods = any(v.neg or v.absolute for v, _ in ins.operands.values())
        halves = ins.op_sel & 7 and any(s.type.floating == "f16" or s.name in ("b16", "u16", "i16") for s in op.sources)
        if mods or halves:
            ins.flags |= MODS
        for flag, bit in (("fp32", FP32), ("fp16", FP16_64), ("fp64", FP16_64), ("keep-high", KEEP_HIGH)):
            if flag in op.flags:
                ins.flags |= bit
        if "lane" in op.flags:
            ins.flags |= LANE
        if "swap" in op.flags:
            ins.flags |= READ_DST
        if "exec" in op.flags:
            ins.flags |= EXEC
        if op.destinations and op.destinations[0].name in ("f16", "u16", "i16", "b16"):
            ins.flags |= HALF_DST
        if op.name in ("v_mad_u64_u32", "v_mad_i64_i32"):
            ins.flags |= HIGH_ADDEND
        if sources == 3 and op.sources[2].name == "mask":
            ins.flags |= LANE_MASK
        if op.name == "v_cvt_scalef32_pk_fp4_f32":
            ins.cbsz, ins.op_sel = ins.op_sel >> 2 & 3, 0  # the byte of the destination; no source has halves
        if (ins.clamp or ins.omod) and not (op.destinations and op.destinations[0].type.floating):
            raise self.fail("CKM022", "clamp or output modifier on an integer result")

    def _valu_modifier(self, ins: Instruction, word: str, sources: int) -> None:
        name, _, argument = word.partition(":")
        encoding = ins.line.encoding
        if word == "clamp":
            ins.clamp = 1
        elif name in ("mul", "div"):
            ins.omod = {"mul:2": 1, "mul:4": 2, "div:2": 3}.get(word, 0)
            if not ins.omod:
                self.reject([word])
        elif name in ("op_sel", "op_sel_hi", "neg_lo", "neg_hi"):
            bits = self._bits(argument)
            if len(bits) == sources + 1 and name == "op_sel" and ins.opcode.family != "vop3p":
                value = sum(bit << n for n, bit in enumerate(bits[:-1])) | bits[-1] << 3
            elif len(bits) <= 4:
                value = sum(bit << n for n, bit in enumerate(bits))
            else:
                raise self.fail("CKM022", f"{word} has {len(bits)} entries")
            setattr(ins, name, value)
        elif name == "bitop3" and "bitop3" in ins.opcode.flags:
            ins.cbsz = self.integer(argument, 0, 255)
        elif encoding == "sdwa" and name in ("dst_sel", "src0_sel", "src1_sel") and argument in SDWA_SELECT:
            select = SDWA_SELECT[argument]
            if name == "dst_sel":
                ins.dst_select = select
            else:
                ins.selects = (select, ins.selects[1]) if name == "src0_sel" else (ins.selects[0], select)
        elif encoding == "sdwa" and name == "dst_unused" and argument in SDWA_UNUSED:
            ins.dst_unused = SDWA_UNUSED[argument]
        elif "permlane" in ins.mnemonic and name in ("bound_ctrl", "fi"):
            ins.bound_ctrl |= self.integer(argument, 0, 1) << (name == "fi")
        elif encoding == "dpp":
            self._dpp(ins, word, name, argument)
        else:
            self.reject([word])

    def _dpp(self, ins: Instruction, word: str, name: str, argument: str) -> None:
        rows = {"row_shl": 0x100, "row_shr": 0x110, "row_ror": 0x120, "row_newbcast": 0x150}
        fixed = {
            "wave_shl:1": 0x130,
            "wave_rol:1": 0x134,
            "wave_shr:1": 0x138,
            "wave_ror:1": 0x13C,
            "row_mirror": 0x140,
            "row_half_mirror": 0x141,
            "row_bcast:15": 0x142,
            "row_bcast:31": 0x143,
        }
        if name == "quad_perm":
            lanes = self._bits(argument, 3)
            if len(lanes) != 4:
                self.reject([word])
            ins.dpp = sum(lane << 2 * n for n, lane in enumerate(lanes))
        elif name in rows:
            ins.dpp = rows[name] + self.integer(argument, 0 if name == "row_newbcast" else 1, 15)
        elif word in fixed:
            ins.dpp = fixed[word]
        elif name == "row_mask":
            ins.row_mask = self.integer(argument, 0, 15)
        elif name == "bank_mask":
            ins.bank_mask = self.integer(argument, 0, 15)
        elif name == "bound_ctrl":
            ins.bound_ctrl = 1  # LLVM prints the set bit as bound_ctrl:0 or bound_ctrl:1
        else:
            self.reject([word])

    def _bits(self, argument: str, high: int = 1) -> list[int]:
        if not re.fullmatch(r"\[[0-9](,\s*[0-9])*\]", argument):
            raise self.fail("CKM022", f"cannot read the list {argument!r}")
        return [self.integer(part.strip(), 0, high) for part in argument[1:-1].split(",")]

    def vop3p(self, ins: Instruction, words: list[str], modifiers: list[str]) -> None:
        op = ins.opcode
        mixed = any(slot.name == "mix" for slot in op.sources)
        ins.op_sel_hi = 0 if mixed else 7
        if mixed:
            words = self._mix_modifiers(ins, words)
        self.valu(ins, words, modifiers)
        ins.unread = self._unread_halves(ins)
        for n, slot in enumerate(op.sources):
            value = ins.operands[SRC0 + n][0]
            wide_constant = value.kind == CONSTANT and slot.type.dwords == 2 and value.bits != 0
            if wide_constant and not ins.unread[n] >> 1 & 1:
                # Whether hardware repeats a constant in the high dword is not documented.
                raise self.fail("CKM022", f"high half of constant source {n}")

    @staticmethod
    def _unread_halves(ins: Instruction) -> tuple[int, int, int]:
        """Dwords of 64-bit packed sources that neither op_sel nor op_sel_hi picks."""
        unread = [0, 0, 0]
        for n, slot in enumerate(ins.opcode.sources):
            if slot.type.dwords != 2:
                continue
            low, high = ins.op_sel >> n & 1, ins.op_sel_hi >> n & 1
            if ins.mnemonic == "v_pk_mov_b32":
                high = low
            unread[n] = 3 & ~(1 << low | 1 << high)
        return unread[0], unread[1], unread[2]

    def _mix_modifiers(self, ins: Instruction, words: list[str]) -> list[str]:
        plain = []
        for n, word in enumerate(words):
            bare = word
            if n > 0 and bare.startswith("-") and not re.match(r"-[\d.]", bare):
                ins.neg_lo |= 1 << (n - 1)
                bare = bare[1:]
            if n > 0 and bare.startswith("|"):
                ins.neg_hi |= 1 << (n - 1)
                bare = bare.strip("|")
            plain.append(bare)
        return plain

    def mfma(self, ins: Instruction, words: list[str], modifiers: list[str]) -> None:
        for word in modifiers:
            name, _, argument = word.partition(":")
            if name in ("cbsz", "blgp") and "f8f6f4" in ins.opcode.flags:
                setattr(ins, name, self.integer(argument, 0, 4))
            elif name in ("op_sel", "op_sel_hi") and "scale" in ins.mnemonic:
                setattr(ins, name, sum(bit << n for n, bit in enumerate(self._bits(argument))))
            elif name in ("cbsz", "abid", "blgp") and argument == "0":
                continue
            else:
                # Broadcasts (cbsz, abid, blgp of the older shapes) are not modelled.
                self.reject([word])
        op = ins.opcode
        expected = 1 + len(op.sources)
        if len(words) != expected:
            raise self.fail("CKM021", f"{len(words)} operands, expected {expected}")
        self.operand(ins, DST, words[0], op.destinations[0])
        for n, (word, slot) in enumerate(zip(words[1:], op.sources, strict=True)):
            if n < 2 and "f8f6f4" in op.flags:
                dwords = F8F6F4_DWORDS[ins.cbsz if n == 0 else ins.blgp]
                name = f"b{32 * dwords}"
                slot = Slot("vector", TYPES[name], name)
            self.operand(ins, SRC0 + n, word, slot)
        ins.flags |= ALL_LANES

    def ds(self, ins: Instruction, words: list[str], modifiers: list[str]) -> None:
        op = ins.opcode
        two = "two" in op.flags
        element = self._ds_width(op.name)
        scale = element * (64 if "st64" in op.name else 1) if two else 1
        for word in modifiers:
            name, _, argument = word.partition(":")
            if name == "offset" and not two:
                swizzle = argument.startswith("swizzle")
                ins.offset0 = self._swizzle(argument) if swizzle else self.integer(argument, 0, 65535)
            elif name in ("offset0", "offset1") and two:
                setattr(ins, name, self.integer(argument, 0, 255) * scale)
            else:
                self.reject([word])
        if ins.mnemonic == "ds_swizzle_b32" and ins.offset0 >= 0xE000:
            raise self.fail("CKM022", "swizzle in FFT mode is not modelled:")
        ins.width = element
        ins.memory |= LDS_ORDER
        self.signature(ins, words)
        if "lane" in op.flags:
            ins.flags |= LANE

    @staticmethod
    def _ds_width(name: str) -> int:
        match = re.search(r"_(?:b|u|i|f)(8|16|32|64|96|128)(?:_d16|_d16_hi|_tr_b\d+)?$", name)
        return int(match[1]) // 8 if match else 4

    def _swizzle(self, text: str) -> int:
        match = re.fullmatch(r"swizzle\((\w+),\s*(.*)\)", text)
        if not match:
            raise self.fail("CKM022", f"cannot read {text!r}")
        kind, rest = match[1], [part.strip() for part in match[2].split(",")]
        if kind == "QUAD_PERM" and len(rest) == 4:
            return 0x8000 | sum(self.integer(lane, 0, 3) << 2 * n for n, lane in enumerate(rest))
        if kind == "BITMASK_PERM" and len(rest) == 1 and re.fullmatch(r'"[01pi]{5}"', rest[0]):
            keep = invert = set_ = 0
            for n, char in enumerate(reversed(rest[0][1:-1])):
                keep |= (char in "pi") << n
                set_ |= (char == "1") << n
                invert |= (char == "i") << n
            return keep | set_ << 5 | invert << 10
        if kind == "SWAP" and len(rest) == 1:
            return 31 | self.integer(rest[0], 1, 16) << 10
        if kind == "ROTATE" and len(rest) == 2:
            return 0xC000 | self.integer(rest[0], 0, 1) << 10 | self.integer(rest[1], 0, 31) << 5
        if kind == "REVERSE" and len(rest) == 1:
            return 31 | (self.integer(rest[0], 2, 32) - 1) << 10
        if kind == "BROADCAST" and len(rest) == 2:
            size, lane = self.integer(rest[0], 2, 32), self.integer(rest[1], 0, 31)
            return (32 - size) | lane << 5
        raise self.fail("CKM022", f"cannot read {text!r}")

    def _width(self, name: str) -> int:
        match = re.search(
            r"_(?:load|store|lds)_(?:lds_)?(ubyte|sbyte|byte|ushort|sshort|short|dword(?:x[234])?)(?:_d16(?:_hi)?)?$",
            name,
        )
        if match:
            return WIDTHS[match[1]]
        return 8 if name.endswith(("_x2", "_f64", "cmpswap")) else 4

    def buffer(self, ins: Instruction, words: list[str], modifiers: list[str]) -> None:
        op = ins.opcode
        ins.memory |= VECTOR_ORDER
        for word in modifiers:
            name, _, argument = word.partition(":")
            if word in ("offen", "idxen", "lds"):
                ins.memory |= {"offen": OFFEN, "idxen": IDXEN, "lds": LDS}[word]
            elif name == "offset":
                ins.offset0 = self.integer(argument, 0, 4095)
            elif word in _SCOPES:
                ins.memory |= _SCOPES[word]
            elif word not in _IGNORED:
                self.reject([word])
        ins.width = self._width(op.name)
        if not op.sources:
            return
        self._returning(ins)
        data = [] if ins.memory & LDS else words[:1]
        rest = words[1:] if data else words
        if len(rest) != 3 or (ins.memory & LDS and "load" not in op.flags):
            raise self.fail("CKM021", f"{len(words)} operands, expected {3 + len(data)}")
        if ins.memory & LDS:
            self.operand(ins, SRC0, "m0", _SCALAR)
        elif "load" in op.flags:
            self.operand(ins, DST, data[0], op.destinations[0])
        else:
            self._data(ins, data[0], op.sources[0])
        both = ins.memory & OFFEN and ins.memory & IDXEN
        if ins.memory & (OFFEN | IDXEN):
            self.operand(ins, SRC1, rest[0], _VECTOR2 if both else _VECTOR)
        elif rest[0] not in ("off", "v0"):
            raise self.fail("CKM021", f"address {rest[0]} without offen or idxen")
        self.operand(ins, SRC2, rest[1], _SCALAR4)
        if ins.operands[SRC2][0].kind != SGPR:
            raise self.fail("CKM021", f"descriptor {rest[1]} must be SGPRs")
        self.operand(ins, SRC3, rest[2], _SCALAR)

    def _returning(self, ins: Instruction) -> None:
        if "atomic" in ins.opcode.flags and ins.memory & SC0:
            ins.memory |= RETURN

    def _data(self, ins: Instruction, word: str, slot: Slot) -> None:
        self.operand(ins, SRC0, word, slot)
        if ins.memory & RETURN:
            # Buffer atomics return into their data register, half of it for a compare-and-swap.
            value, _ = ins.operands[SRC0]
            if ins.mnemonic.endswith("cmpswap"):
                value = Value(value.kind, value.number, 1, acc=value.acc)
                slot = _VECTOR
            ins.operands[DST] = (value, slot)

    def flat(self, ins: Instruction, words: list[str], modifiers: list[str]) -> None:
        op = ins.opcode
        family = op.family
        if family != "flat":  # a flat access may be one of LDS
            ins.memory |= VECTOR_ORDER
        if family == "scratch":
            ins.memory |= PRIVATE
        for word in modifiers:
            name, _, argument = word.partition(":")
            if name == "offset":
                ins.offset0 = self.integer(argument, -4096, 4095)
            elif word in _SCOPES:
                ins.memory |= _SCOPES[word]
            elif word not in _IGNORED:
                self.reject([word])
        self._returning(ins)
        ins.width = self._width(op.name)
        to_lds = "lds" in op.flags
        words = list(words)
        takes = 1 if family == "flat" else 2
        has_result = ("load" in op.flags and not to_lds) or bool(ins.memory & RETURN)
        has_data = "store" in op.flags or "atomic" in op.flags
        if len(words) != takes + has_result + has_data:
            raise self.fail("CKM021", f"{len(words)} operands, expected {takes + has_result + has_data}")
        if has_result:
            slot = op.destinations[0] if op.destinations else op.sources[0]
            self.operand(ins, DST, words.pop(0), _VECTOR if op.name.endswith("cmpswap") else slot)
        base = words.pop() if takes == 2 else "off"
        address = words.pop(0)
        if has_data:
            self.operand(ins, SRC0, words.pop(0), op.sources[0])
        if to_lds:
            ins.memory |= LDS
            self.operand(ins, SRC0, "m0", _SCALAR)
        if base != "off":
            ins.memory |= SADDR
            self.operand(ins, SRC2, base, _SCALAR if family == "scratch" else _SCALAR2)
            if ins.operands[SRC2][0].kind != SGPR:
                raise self.fail("CKM021", f"base {base} must be SGPRs")
        if family == "scratch" or base != "off":
            if address != "off":
                ins.memory |= VADDR
                self.operand(ins, SRC1, address, _VECTOR)
        else:
            self.operand(ins, SRC1, address, _VECTOR2)


_FAMILIES: dict[str, Callable[[Encoder, Instruction, list[str], list[str]], None]] = {
    "salu": Encoder.salu,
    "control": Encoder.control,
    "smem": Encoder.smem,
    "valu": Encoder.valu,
    "vopc": Encoder.valu,
    "vop3p": Encoder.vop3p,
    "mfma": Encoder.mfma,
    "ds": Encoder.ds,
    "buffer": Encoder.buffer,
    "flat": Encoder.flat,
    "global": Encoder.flat,
    "scratch": Encoder.flat,
}
