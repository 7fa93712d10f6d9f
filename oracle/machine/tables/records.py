# SPDX-License-Identifier: Apache-2.0
"""What crosses the boundary to the C core, apart from the opcodes: records and the numbers in them.

The one description: `header` writes the C declarations from it, and the rest of `oracle.machine` packs and unpacks with
the same types. Fields lie at multiples of their size, little-endian, as C puts them (the header asserts it).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, NamedTuple


class Documented(IntEnum):
    """Numbers with a comment for the header."""

    comment: str

    def __new__(cls, value: int, comment: str = "") -> Documented:
        member = int.__new__(cls, value)
        member._value_ = value
        member.comment = comment
        return member


class OperandKind(Documented):
    """What an operand is."""

    NONE = 0
    SGPR = 1
    VGPR = 2
    CONSTANT = 3
    SPECIAL = 4


class Special(Documented):
    """Registers without a number in the SGPR file."""

    SCC = 0
    VCCZ = 1
    EXECZ = 2
    SHARED_BASE = 3
    SHARED_LIMIT = 4
    PRIVATE_BASE = 5
    PRIVATE_LIMIT = 6


class Mod(Documented):
    """Source modifiers."""

    NEG = 1
    ABS = 2
    SEXT = 4


class Float(Documented):
    """How neg and abs act on an operand."""

    NONE = 0
    F32 = 1
    F64 = 2
    F16 = 3
    PK16 = 4
    PK32 = 5
    MIX = 6


class Place(Documented):
    """Order of an instruction's operands: two destinations, then five sources."""

    DST = 0
    DST2 = 1
    SRC0 = 2
    SRC1 = 3
    SRC2 = 4
    SRC3 = 5
    SRC4 = 6


class Flag(Documented):
    """Properties of an instruction."""

    READ_DST = 1, "the destination is also a source"
    SDWA = 2
    DPP = 4
    MODS = 8, "some source carries neg, abs or op_sel"
    FP32 = 16, "MODE's fp32 rounding and denormal fields apply"
    FP16_64 = 32, "MODE's fp16/fp64 fields apply"
    KEEP_HIGH = 64, "a 16-bit result keeps bits 31:16"
    EXEC = 128, "writes EXEC besides its destination"
    LANE = 256, "crosses lanes, ignores EXEC or copies: what the sources lack, the result lacks"
    HALF_DST = 512, "16-bit result"
    ALL_LANES = 1024, "reads every lane whatever EXEC says"
    VECTOR = 2048, "not issued under VSKIP"
    VALU = 4096, "register indexing may move its operands"
    HIGH_ADDEND = 8192, "the high half of SRC2 reaches only the result's high half and the carry"
    LANE_MASK = 16384, "SRC2 has a bit a lane, and only those of active lanes are read"


class Mem(Documented):
    """Properties of a memory instruction."""

    OFFEN = 1
    IDXEN = 2
    LDS = 4
    SC0 = 8
    PRIVATE = 16, "private memory alone: a store may spill what holds no value"
    SADDR = 32
    VADDR = 64
    VECTOR_ORDER = 128, "what it returns lands in the order of issue, among all with this bit"
    RETURN = 256
    SC1 = 512, "of the agent's scope or the system's"
    LDS_ORDER = 1024, "the same for LDS"


class Code(Documented):
    """Findings, keyed by (code, instruction, other instruction); `oracle.machine.report` words them."""

    NONE = 0
    VGPR_NOT_WAITED = 201
    SGPR_NOT_WAITED = 202
    WAW_NOT_WAITED = 203
    LDS_DMA_NOT_WAITED = 204
    LDS_RAW = 205
    LDS_WAR = 206
    LDS_WAW = 207
    LDS_LATE_WAR = 208
    VGPR_UNINIT = 211
    SGPR_UNINIT = 212
    LDS_UNINIT = 213
    MEMORY_UNINIT = 214
    OUTSIDE = 221
    RANGE_RULE = 222
    MISALIGNED = 223
    LDS_LIMIT = 224
    READ_ONLY = 225
    PARTIAL_RANGE = 226
    SCRATCH = 227
    RANGE_RULE_LOAD = 228
    BARRIER_DIVERGENT = 231
    WORKGROUP_CONFLICT = 232
    MISALIGNED_LOW = 233
    WAW_LDS_DMA = 234
    READ_WRITE = 235
    NOT_ACQUIRED = 236
    WAVE_CONFLICT = 237
    WAVE_LATE = 238
    ATOMIC_ORDER = 239
    IDLE_WAIT = 241, "Python's own, as the next two"
    IDLE_BARRIER = 242
    LOST = 243
    LDS_LATE_WRITE = 244
    OFFSET_WRAPS = 271
    PARTIAL_WORD = 272


class Fault(Documented):
    """Why a wave cannot go on."""

    NONE = 0
    TRAP = 1
    BAD_JUMP = 2
    BUDGET = 3
    HWREG = 4
    DESCRIPTOR = 5
    EXEC = 6
    UNMODELLED = 7
    INDEX = 8


class Count(Documented):
    """Counters of a launch, in the order of its result."""

    VMEM_READ = 0
    VMEM_WRITE = 1
    SMEM_READ = 2
    LDS_READ = 3
    LDS_WRITE = 4
    LDS_DMA = 5
    ATOMIC = 6
    SCRATCH = 7
    BANK_CYCLES = 8
    BANK_CONFLICTS = 9
    OUT_OF_RANGE = 10
    MFMA_INTEGER = 11
    MFMA_DOUBLE = 12
    MFMA_WIDE = 13


class Request(Documented):
    """Vector memory requests of a launch: rows of its result, one an allocation."""

    LOAD = 0, "to VGPRs"
    DMA = 1, "to LDS"
    STORE = 2
    ATOMIC = 3


class Landing(Documented):
    """When loads and LDS DMA land."""

    EAGER = 0
    LATE = 1


class Range(Documented):
    """How soffset counts in a buffer's range check."""

    SIGNED = 0
    UNSIGNED = 1
    EXCLUDED = 2


class Order(Documented):
    """Order of a workgroup's waves between barriers."""

    ASCENDING = 0
    DESCENDING = 1
    SEEDED = 2


class Launch(Documented):
    """Flags of a launch."""

    FNUZ = 1, "gfx942's fp8"
    DOUBLE_ONLY = 2, "exact dot only in double"
    SYNCHRONISES = 4, "workgroups may order their accesses, so it runs on one thread"


@dataclass(frozen=True, slots=True)
class C:
    """How the core declares a field. type: u8 to u64, i32 or a record; length: of the array, 0 for a plain field."""

    type: str
    length: int = 0
    comment: str = ""


class OperandRecord(NamedTuple):
    """One operand."""

    kind: Annotated[int, C("u8", comment="enum operand_kind")]
    dwords: Annotated[int, C("u8")]
    reg: Annotated[int, C("u16", comment="row or SGPR number, or enum special")]
    mods: Annotated[int, C("u8", comment="MOD_*")]
    select: Annotated[int, C("u8", comment="SDWA: 0..3 byte, 4..5 word, 6 dword")]
    floating: Annotated[int, C("u8", comment="enum float_kind")]
    unread: Annotated[int, C("u8", comment="bit per dword (of the first 8) that the instruction does not look at")]
    value: Annotated[int, C("u64", comment="CONSTANT")]


class InstructionRecord(NamedTuple):
    """One instruction."""

    op: Annotated[int, C("u16")]
    flags: Annotated[int, C("u16")]
    line: Annotated[int, C("u32", comment="1-based line of the source text")]
    pc: Annotated[int, C("u32", comment="byte offset in the text section")]
    target: Annotated[int, C("i32", comment="branch: instruction index; waitcnt: vmcnt; s_nop and friends: immediate")]
    offset0: Annotated[
        int,
        C("i32", comment="memory offset in bytes; waitcnt: lgkmcnt; hwreg: id | offset << 6 | (width - 1) << 11"),
    ]
    offset1: Annotated[int, C("i32")]
    op_sel: Annotated[int, C("u8", comment="this and the next three: bit per source; bit 3 is the destination half")]
    op_sel_hi: Annotated[int, C("u8")]
    neg_lo: Annotated[int, C("u8")]
    neg_hi: Annotated[int, C("u8")]
    clamp: Annotated[int, C("u8")]
    omod: Annotated[int, C("u8", comment="0, 1 *2, 2 *4, 3 /2")]
    cbsz: Annotated[int, C("u8", comment="also bitop3's truth table")]
    blgp: Annotated[int, C("u8")]
    memory: Annotated[int, C("u16", comment="MEM_*")]
    dpp: Annotated[int, C("u16", comment="DPP control, ISA encoding")]
    row_mask: Annotated[int, C("u8")]
    bank_mask: Annotated[int, C("u8")]
    bound_ctrl: Annotated[int, C("u8")]
    dst_select: Annotated[int, C("u8")]
    dst_unused: Annotated[int, C("u8", comment="0 pad, 1 sign extend, 2 preserve")]
    width: Annotated[int, C("u8", comment="memory: bytes a lane and access")]
    size: Annotated[int, C("u8", comment="encoded bytes")]
    o: Annotated[tuple[OperandRecord, ...], C("operand", len(Place), comment="by enum place")]


class FindingRecord(NamedTuple):
    """One kind of finding at one pair of instructions: how often it was seen, and the first example."""

    code: Annotated[int, C("u32")]
    ins: Annotated[int, C("u32")]
    other: Annotated[int, C("u32", comment="1 + the other instruction, or 0")]
    wave: Annotated[int, C("u32")] = 0
    lane: Annotated[int, C("u32")] = 0
    other_wave: Annotated[int, C("u32")] = 0
    other_lane: Annotated[int, C("u32")] = 0
    workgroup: Annotated[int, C("u64")] = 0
    other_workgroup: Annotated[int, C("u64")] = 0
    seen: Annotated[int, C("u64")] = 0
    address: Annotated[int, C("u64")] = 0


USER_SGPRS = 32


class LaunchRecord(NamedTuple):
    """One launch."""

    grid: Annotated[tuple[int, int, int], C("u32", 3)]
    block: Annotated[tuple[int, int, int], C("u32", 3)]
    waves: Annotated[int, C("u32", comment="waves a workgroup")]
    entry: Annotated[int, C("u32", comment="instruction index")]
    instructions: Annotated[int, C("u32")]
    lds_bytes: Annotated[int, C("u32")]
    scratch_bytes: Annotated[int, C("u32", comment="a lane")]
    vgprs: Annotated[int, C("u32", comment="rows that exist")]
    agprs: Annotated[int, C("u32")]
    user_sgprs: Annotated[int, C("u32", comment="how many of `user_sgpr` are loaded")]
    user_sgpr: Annotated[tuple[int, ...], C("u32", USER_SGPRS)]
    workgroup_id: Annotated[int, C("u32", comment="bit per dimension: which ids follow the user SGPRs")]
    workgroup_info: Annotated[int, C("u32")]
    mode: Annotated[int, C("u32", comment="initial MODE register")]
    landing: Annotated[int, C("u32")]
    range_rule: Annotated[int, C("u32")]
    wave_order: Annotated[int, C("u32")]
    checks: Annotated[int, C("u32")]
    granule_shift: Annotated[int, C("u32", comment="LDS checker granularity: log2 bytes, 0, 2 or 4")]
    order_shift: Annotated[int, C("u32", comment="log2 bytes of global memory whose order is kept together")]
    threads: Annotated[int, C("u32")]
    flags: Annotated[int, C("u32", comment="LAUNCH_*")]
    seed: Annotated[int, C("u64")]
    budget: Annotated[int, C("u64", comment="instructions a wave may execute")]
    code_address: Annotated[int, C("u64", comment="device address of pc 0")]
    workgroup_count: Annotated[int, C("u64", comment="entries of the workgroup list")]
