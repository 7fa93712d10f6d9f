# SPDX-License-Identifier: Apache-2.0
"""A loaded program and its launch."""

from __future__ import annotations

import os
import re
import struct
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from pathlib import Path

import numpy as np

from . import elf
from .binding import core
from .encode import Encoder, Instruction
from .errors import ExecutionError, LaunchError, ProgramError
from .hazards import hazards
from .memory import CODE_BASE, Memory, Region
from .metadata import USER_SGPRS, Argument, Kernel, kernels
from .report import Counters, Finding, Report, Requests, decode
from .tables.layout import FINDING, LAUNCH
from .tables.records import USER_SGPRS as USER_SGPR_COUNT
from .tables.records import Code, Documented, Fault, FindingRecord, Landing, Launch, LaunchRecord, Order, Range, Request
from .text import read
from .traits import Traits

ARCHITECTURES = ("gfx942", "gfx950")
LDS_LIMIT = {"gfx942": 65536, "gfx950": 163840}


def _words(numbers: type[Documented]) -> tuple[str, ...]:
    return tuple(number.name.lower() for number in numbers)


LANDINGS, BUFFER_RANGES, ORDERS = _words(Landing), _words(Range), _words(Order)
#: kind: (code, words)
_FAULTS: dict[int, tuple[str, str]] = {
    Fault.TRAP: ("CKM111", "trap or halt {value}"),
    Fault.BAD_JUMP: ("CKM112", "jump to {value:#x}, which is no instruction of the program"),
    Fault.BUDGET: ("CKM113", "no end after {value} instructions of one wave (does it wait for another workgroup?)"),
    Fault.HWREG: ("CKM114", "hardware register {value} is not modelled"),
    Fault.DESCRIPTOR: ("CKM115", "buffer descriptor {value:#x} uses swizzling or add_tid, which is not modelled"),
    Fault.EXEC: ("CKM116", "EXEC is {value:#x}, but this instruction needs every lane active"),
    Fault.UNMODELLED: ("CKM025", "no document says what this instruction does here, so it is not modelled"),
    Fault.INDEX: ("CKM026", "register indexing reaches register {value}, which the kernel does not have"),
}

Value = int | float | bytes


@dataclass(frozen=True, slots=True)
class Mode:
    """How to run.

    landing: loads and LDS DMA land at once (`eager`) or only when a wait retires them (`late`). buffer_range: soffset
    counted (`signed`: what AMD's own emulator says of gfx950), counted in unsigned 32-bit (`unsigned`), or left out
    (`excluded`); each 32-bit word of an access is checked by itself. wave_order: in which order the waves of a
    workgroup run between barriers; `seeded` draws it from `seed`. workgroup_order: the same for the workgroups, which
    several threads take from the front. checks: find races, missing waits and uninitialised reads. threads: 0 means one
    a CPU. workgroups: linear ids to run, all by default. dot: `auto`, or `double` to switch the fixed-point path off.
    budget: instructions a wave may execute.
    """

    landing: str = "eager"
    buffer_range: str = "signed"
    wave_order: str = "ascending"
    workgroup_order: str = "ascending"
    seed: int = 0
    checks: bool = False
    threads: int = 0
    workgroups: Sequence[int] | None = None
    dot: str = "auto"
    budget: int = 20_000_000


@dataclass(frozen=True)
class Program:
    """Instructions, kernels and image of one text or code object; a launch starts from the image as loaded."""

    path: str
    arch: str
    instructions: list[Instruction]
    labels: dict[str, int]
    kernels: dict[str, Kernel]
    image: tuple[elf.Segment, ...] = ()
    code: bytes = field(default=b"", repr=False)

    @cached_property
    def hazards(self) -> tuple[Finding, ...]:
        """Hazard distances that the text breaks (CKM251-CKM253), part of every report with checks on."""
        return hazards(self.instructions, self.arch)

    @cached_property
    def traits(self) -> Traits:
        """What every launch asks of the instructions."""
        return Traits.of(self.instructions)

    def kernel(self, name: str | None = None) -> Kernel:
        """The kernel called `name`, or the only one. Raises LaunchError (CKM102)."""
        if name is None and len(self.kernels) == 1:
            return next(iter(self.kernels.values()))
        if name is None or name not in self.kernels:
            raise LaunchError("CKM102", f"no kernel {name!r}; there are {sorted(self.kernels)}", self.path)
        return self.kernels[name]

    def launch(
        self,
        grid: Sequence[int],
        block: Sequence[int],
        kernarg: bytes | Sequence[Value],
        memory: Memory,
        mode: Mode | None = None,
        kernel: str | None = None,
        progress: Callable[[int, int], object] | None = None,
    ) -> Report:
        """Run `grid` workgroups of `block` work items.

        grid and block: up to three dimensions, x first; grid counts workgroups. kernarg: the segment's bytes, or one
        value for each argument that is not hidden (device addresses, integers, floats). progress(done, total) is
        called about five times a second. Raises LaunchError (CKM102-CKM105) and ExecutionError (CKM025, CKM026,
        CKM111-CKM116).
        """
        return _Launch(self, self.kernel(kernel), grid, block, kernarg, memory, mode or Mode()).run(progress)


def load(source: str | os.PathLike[str], arch: str | None = None) -> Program:
    """Read ISA text (FlyDSL's, LLVM's or llvm-objdump's), or the file that holds it, or a code object.

    A string with a line break is text, anything else a path. arch: gfx950 or gfx942; needed where the source does not
    name it. Raises ProgramError (CKM010-CKM024) and DisassemblerMissing (CKM030).
    """
    if isinstance(source, str) and "\n" in source:
        return _from_text(source, "", arch)
    path = Path(source)
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise ProgramError("CKM010", f"cannot read: {error.strerror}", str(path)) from error
    if raw[:4] == b"\x7fELF":
        return _from_object(raw, str(path), arch)
    try:
        return _from_text(raw.decode("utf-8"), str(path), arch)
    except UnicodeDecodeError as error:
        raise ProgramError("CKM010", "neither text nor a code object", str(path)) from error


def _architecture(named: str, asked: str | None, path: str) -> str:
    match = re.search(r"gfx[0-9a-f]+", named)
    found = match[0] if match else ""
    if asked and found and asked != found:
        raise ProgramError("CKM013", f"the program is for {found}, not {asked}", path)
    arch = asked or found
    if arch not in ARCHITECTURES:
        raise ProgramError("CKM013", f"architecture {arch or 'not named'}: expected {' or '.join(ARCHITECTURES)}", path)
    return arch


def _from_text(text: str, path: str, arch: str | None) -> Program:
    listing = read(text, path)
    instructions = Encoder(listing).encode()
    found = kernels(listing.descriptors, listing.metadata)
    for symbol in found:
        if listing.labels.get(symbol, len(instructions)) >= len(instructions):
            raise ProgramError("CKM012", f"kernel {symbol} has no code", path)
    architecture = _architecture(listing.target, arch, path)
    return _program(path, architecture, instructions, listing.labels, found)


def _from_object(raw: bytes, path: str, arch: str | None) -> Program:
    image = elf.read(raw, path)
    listing = read(image.disassembly, path)
    instructions = Encoder(listing).encode()
    by_pc = {ins.pc: index for index, ins in enumerate(instructions)}
    labels = {name: by_pc[address] for name, address in image.symbols.items() if address in by_pc}
    found = kernels(image.descriptors, image.metadata)
    for symbol in found:
        if symbol not in labels:
            raise ProgramError("CKM012", f"kernel {symbol} has no code", path)
    return _program(path, _architecture(image.arch, arch, path), instructions, labels, found, image.segments)


def _program(
    path: str,
    arch: str,
    instructions: list[Instruction],
    labels: dict[str, int],
    found: dict[str, Kernel],
    image: tuple[elf.Segment, ...] = (),
) -> Program:
    pcs = [ins.pc for ins in instructions]
    if any(b <= a for a, b in pairwise(pcs)) or pcs[-1] >= 1 << 32:
        raise ProgramError("CKM011", "instruction addresses do not increase", path)
    return Program(path, arch, instructions, labels, found, image, b"".join(ins.record() for ins in instructions))


class _Launch:
    """One launch: checks the request, packs the records, words the result."""

    def __init__(
        self,
        program: Program,
        kernel: Kernel,
        grid: Sequence[int],
        block: Sequence[int],
        kernarg: bytes | Sequence[Value],
        memory: Memory,
        mode: Mode,
    ) -> None:
        self.program, self.kernel, self.memory, self.mode = program, kernel, memory, mode
        self.grid = self._dimensions("grid", grid, 1 << 31)
        self.block = self._dimensions("block", block, 1024)
        self.threads_a_workgroup = self.block[0] * self.block[1] * self.block[2]
        self._check()
        self.kernarg = np.frombuffer(bytearray(self._pack(kernarg)), dtype=np.uint8)

    def _dimensions(self, name: str, given: Sequence[int], limit: int) -> tuple[int, int, int]:
        values = tuple(int(v) for v in given)
        if not 1 <= len(values) <= 3 or any(not 1 <= v <= limit for v in values):
            raise LaunchError("CKM103", f"{name} {values}: one to three numbers from 1 to {limit}", self.program.path)
        filled = values + (1,) * (3 - len(values))
        return filled[0], filled[1], filled[2]

    def _check(self) -> None:
        kernel, mode, path = self.kernel, self.mode, self.program.path
        if self.threads_a_workgroup > kernel.max_flat_workgroup_size:
            raise LaunchError(
                "CKM103",
                f"block of {self.threads_a_workgroup}: {kernel.name} takes {kernel.max_flat_workgroup_size}",
                path,
            )
        if kernel.reqd_workgroup_size and kernel.reqd_workgroup_size != self.block:
            raise LaunchError("CKM103", f"block {self.block}: {kernel.name} needs {kernel.reqd_workgroup_size}", path)
        if not 0 <= kernel.lds_bytes <= LDS_LIMIT[self.program.arch]:
            raise LaunchError(
                "CKM104",
                f"{kernel.name} takes {kernel.lds_bytes} bytes of LDS, the limit is {LDS_LIMIT[self.program.arch]}",
                path,
            )
        if not 0 <= kernel.kernarg_bytes <= 1 << 16:
            raise LaunchError("CKM104", f"{kernel.name} takes {kernel.kernarg_bytes} bytes of kernarg", path)
        if not 0 <= kernel.scratch_bytes <= 1 << 20:
            raise LaunchError("CKM104", f"{kernel.name} takes {kernel.scratch_bytes} bytes of scratch a lane", path)
        for name, value, allowed in (
            ("landing", mode.landing, LANDINGS),
            ("buffer_range", mode.buffer_range, BUFFER_RANGES),
            ("wave_order", mode.wave_order, ORDERS),
            ("workgroup_order", mode.workgroup_order, ORDERS),
            ("dot", mode.dot, ("auto", "double")),
        ):
            if value not in allowed:
                raise LaunchError("CKM105", f"mode: {name} {value!r} is not one of {allowed}")
        if mode.budget < 1 or mode.threads < 0:
            raise LaunchError("CKM105", "mode: budget must be positive and threads not negative")

    # Kernarg

    def _pack(self, given: bytes | Sequence[Value]) -> bytes:
        size = self.kernel.kernarg_bytes
        if isinstance(given, bytes | bytearray | memoryview):
            raw = bytes(given)
            if len(raw) < size:
                raise LaunchError("CKM102", f"kernarg of {len(raw)} bytes, {self.kernel.name} reads {size}")
            return raw or bytes(8)
        visible = [a for a in self.kernel.arguments if not a.hidden]
        if len(given) != len(visible):
            raise LaunchError("CKM102", f"{len(given)} kernel arguments, {self.kernel.name} takes {len(visible)}")
        segment = bytearray(max(size, 8))
        for argument, value in zip(visible, given, strict=True):
            self._store(segment, argument, self._bytes(argument, value))
        for argument in self.kernel.arguments:
            if argument.hidden:
                self._store(segment, argument, self._hidden(argument).to_bytes(argument.size, "little"))
        return bytes(segment)

    def _store(self, segment: bytearray, argument: Argument, raw: bytes) -> None:
        if argument.offset < 0 or argument.offset + argument.size > len(segment):
            raise LaunchError("CKM102", f"argument at byte {argument.offset} is outside the segment of {len(segment)}")
        segment[argument.offset : argument.offset + argument.size] = raw

    def _bytes(self, argument: Argument, value: Value) -> bytes:
        try:
            if isinstance(value, bytes | bytearray):
                if len(value) != argument.size:
                    raise ValueError(f"{len(value)} bytes")
                return bytes(value)
            if isinstance(value, float | np.floating):
                return struct.pack({2: "<e", 4: "<f", 8: "<d"}[argument.size], float(value))
            number = int(value)
            return number.to_bytes(argument.size, "little", signed=number < 0)
        except (KeyError, ValueError, OverflowError, TypeError, struct.error) as error:
            place = f"argument {argument.name or argument.offset} of {argument.size} bytes"
            raise LaunchError("CKM102", f"{place} cannot hold {value!r}: {error}") from error

    def _hidden(self, argument: Argument) -> int:
        kind = argument.kind.removeprefix("hidden_")
        axis = "xyz".find(kind[-1])
        if kind.startswith("block_count_"):
            return self.grid[axis]
        if kind.startswith("group_size_"):
            return self.block[axis]
        if kind == "grid_dims":
            return max(n for n in range(1, 4) if n == 1 or self.grid[n - 1] > 1 or self.block[n - 1] > 1)
        return 0  # remainders, offsets and pointers to services that the machine does not have

    # Records

    def _packet(self) -> bytes:
        """The AQL dispatch packet that dispatch_ptr shows (HSA runtime specification 2.9.6)."""
        items = tuple(g * b for g, b in zip(self.grid, self.block, strict=True))
        return struct.pack(
            "<HH3HH3IIIQQQQ", 2, 3, *self.block, 0, *(i & 0xFFFFFFFF for i in items), self.kernel.scratch_bytes,
            self.kernel.lds_bytes, 0, 0, 0, 0,
        )  # fmt: skip

    def _user_sgprs(self, kernarg: int, packet: int) -> list[int]:
        descriptor = self.kernel.descriptor
        pairs = {"kernarg_segment_ptr": kernarg, "dispatch_ptr": packet, "queue_ptr": packet, "dispatch_id": 0}
        registers: list[int] = []
        for name, count in USER_SGPRS:
            if name not in descriptor.user_sgprs:
                continue
            if name in pairs:
                registers += [pairs[name] & 0xFFFFFFFF, pairs[name] >> 32]
            elif name == "private_segment_size":
                registers.append(self.kernel.scratch_bytes)
            else:
                registers += [0] * count
        dwords = np.zeros(descriptor.preload_offset + descriptor.preload_length, dtype=np.uint8)
        if dwords.size:
            segment = self.kernarg.tobytes().ljust(4 * dwords.size, b"\0")
            for n in range(descriptor.preload_offset, dwords.size):
                registers.append(struct.unpack_from("<I", segment, 4 * n)[0])
        if len(registers) > USER_SGPR_COUNT:
            raise LaunchError("CKM102", f"{len(registers)} user SGPRs, at most {USER_SGPR_COUNT}")
        return registers

    def _workgroups(self) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
        total, asked = self.grid[0] * self.grid[1] * self.grid[2], self.mode.workgroups
        chosen: np.ndarray[tuple[int], np.dtype[np.uint64]] = np.arange(total, dtype=np.uint64)
        if asked is not None:
            if not asked or any(not 0 <= int(w) < total for w in asked):
                raise LaunchError("CKM105", f"mode: workgroups must be from 0 to {total - 1}")
            chosen = np.array(sorted({int(w) for w in asked}), dtype=np.uint64)
        if self.mode.workgroup_order == "descending":
            chosen = np.flip(chosen).copy()
        elif self.mode.workgroup_order == "seeded":
            np.random.default_rng(self.mode.seed).shuffle(chosen)
        return chosen

    def _threads(self, workgroups: int) -> int:
        # One thread keeps the order of what workgroups say to one another, and so the result, the same every time.
        if self.program.traits.synchronises:
            return 1
        asked = self.mode.threads or len(os.sched_getaffinity(0))
        return max(1, min(asked, workgroups, 256))

    def run(self, progress: Callable[[int, int], object] | None) -> Report:
        service = Memory()
        service.regions.update(self.memory.regions)
        kernarg = service.place(self.kernarg, "(kernarg)", writable=False)
        packet = service.place(
            np.frombuffer(bytearray(self._packet()), dtype=np.uint8), "(dispatch packet)", writable=False
        )
        regions = list(service.regions.values())
        for number, segment in enumerate(self.program.image):
            array = np.frombuffer(bytearray(segment.data), dtype=np.uint8)
            if array.size:
                name = f"(image {number})"
                regions.append(Region(name, CODE_BASE + segment.address, array, segment.writable, True))
        regions.sort(key=lambda region: region.address)
        workgroups = self._workgroups()
        config = self._config(self._user_sgprs(kernarg, packet), len(workgroups))
        started = time.perf_counter()
        result = core.launch(
            LAUNCH.pack(config), self.program.code, [r.record() for r in regions], workgroups.tobytes(), progress
        )
        seconds = time.perf_counter() - started
        return self._report(result, seconds, len(workgroups), service, [region.name for region in regions])

    def _flags(self) -> int:
        flags = (self.program.arch == "gfx942") * Launch.FNUZ | (self.mode.dot == "double") * Launch.DOUBLE_ONLY
        return flags | self.program.traits.synchronises * Launch.SYNCHRONISES

    def _config(self, user: list[int], workgroups: int) -> LaunchRecord:
        kernel, mode, program = self.kernel, self.mode, self.program
        agprs = max(0, kernel.descriptor.next_free_vgpr - kernel.descriptor.accum_offset)
        ids = kernel.descriptor.workgroup_ids
        return LaunchRecord(
            grid=self.grid,
            block=self.block,
            waves=(self.threads_a_workgroup + 63) // 64,
            entry=program.labels[kernel.symbol],
            instructions=len(program.instructions),
            lds_bytes=kernel.lds_bytes,
            scratch_bytes=kernel.scratch_bytes,
            vgprs=256,
            agprs=min(256, agprs),
            user_sgprs=len(user),
            user_sgpr=(*user, *[0] * (USER_SGPR_COUNT - len(user))),
            workgroup_id=ids[0] | ids[1] << 1 | ids[2] << 2,
            workgroup_info=int(kernel.descriptor.workgroup_info),
            mode=kernel.descriptor.mode,
            landing=LANDINGS.index(mode.landing),
            range_rule=BUFFER_RANGES.index(mode.buffer_range),
            wave_order=ORDERS.index(mode.wave_order),
            checks=int(mode.checks),
            granule_shift=program.traits.granule_shift,
            order_shift=program.traits.order_shift,
            threads=self._threads(workgroups),
            flags=self._flags(),
            seed=mode.seed & (1 << 64) - 1,
            budget=mode.budget,
            code_address=CODE_BASE,
            workgroup_count=workgroups,
        )

    def _report(
        self, result: core.Result, seconds: float, workgroups: int, service: Memory, regions: list[str]
    ) -> Report:
        found, lost, executed_raw, useful_raw, counters, requests_raw, fault, conflict = result
        instructions = self.program.instructions
        if fault[0]:
            kind, index, wave, workgroup, value = fault
            ins = instructions[index]
            code, words = _FAULTS[kind]
            raise ExecutionError(
                code,
                f"{words.format(value=value)} at {ins.text!r} (workgroup {workgroup}, wave {wave})",
                self.program.path,
                ins.line.number,
                ins.pc,
            )
        counts = np.frombuffer(executed_raw, dtype=np.uint64)
        rows = np.frombuffer(requests_raw, dtype=np.uint64).reshape(-1, len(Request)).tolist()
        requests = Requests.by_operand([*regions, "(no allocation)"], rows)
        executed = tuple(counts.tolist())
        traits = self.program.traits
        approximate = {mnemonic for index, mnemonic in traits.approximate if executed[index]}
        return Report(
            self.kernel.name,
            self._findings(found, conflict, service, self._idle(executed, useful_raw) + self._lost(lost)),
            Counters.of(traits.by_family(counts), requests, counters),
            seconds,
            workgroups,
            executed,
            tuple(useful_raw),
            tuple(sorted(approximate)),
        )

    def _idle(self, executed: tuple[int, ...], useful: bytes) -> list[FindingRecord]:
        """Records of executed waits and barriers that did nothing; known only with checks on."""
        if not self.mode.checks:
            return []
        traits = self.program.traits
        idle = [(Code.IDLE_WAIT, index, asked & ~useful[index]) for index, asked in traits.waits]
        idle += [(Code.IDLE_BARRIER, index, int(not useful[index])) for index in traits.barriers]
        return [
            FindingRecord(code, index, 0, seen=executed[index], address=left)
            for code, index, left in idle
            if left and executed[index]
        ]

    def _lost(self, lost: int) -> list[FindingRecord]:
        """A record, at the kernel's first instruction, where the core had more kinds of finding than it can hold."""
        entry = self.program.labels[self.kernel.symbol]
        return [FindingRecord(Code.LOST, entry, 0, seen=1)] if lost else []

    def _findings(
        self,
        found: list[bytes],
        conflict: tuple[int, int, int, int, int],
        service: Memory,
        whole: list[FindingRecord],
    ) -> tuple[Finding, ...]:
        """Merge the threads' records and the launch's own: counts add up, the lowest workgroup is the example."""
        merged: dict[tuple[int, int, int], FindingRecord] = {}
        for raw in found:
            record = FindingRecord(*FINDING.unpack(raw))
            key = (record.code, record.ins, record.other)
            known = merged.get(key, record._replace(seen=0))
            example = min(known, record, key=lambda r: r.workgroup)
            merged[key] = example._replace(seen=known.seen + record.seen)
        bytes_, address, first, second, index = conflict
        if bytes_:
            whole.append(
                FindingRecord(
                    Code.WORKGROUP_CONFLICT, index, 0, workgroup=first, other_workgroup=second, seen=bytes_,
                    address=address,
                )
            )  # fmt: skip
        merged |= {(record.code, record.ins, 0): record for record in whole}
        findings = [decode(record, self.program.instructions, service.describe) for record in merged.values()]
        findings += self.program.hazards if self.mode.checks else ()
        findings.sort(key=lambda f: (-f.severity, f.party.pc, f.code, f.other.pc if f.other else -1))
        return tuple(findings)
