# SPDX-License-Identifier: Apache-2.0
"""Code objects: kernel descriptors, metadata and read-only data by pyelftools, the text by llvm-objdump 20 or newer."""

from __future__ import annotations

import io
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeVar, cast

import msgpack
from elftools.common.exceptions import ELFError
from elftools.elf.constants import P_FLAGS
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from .errors import DisassemblerMissing, ProgramError
from .metadata import Descriptor, from_bytes

T = TypeVar("T")

EM_AMDGPU = 224
# EF_AMDGPU_MACH of e_flags (LLVM AMDGPUUsage, table of AMDGPU ELF header e_flags).
MACHINES = {0x4C: "gfx942", 0x4F: "gfx950"}
OLDEST = 20
_TIMEOUT_SECONDS = 120


@dataclass(frozen=True, slots=True)
class Segment:
    """A loaded part of a code object: virtual address, bytes (zeros for what the file leaves out), PF_W."""

    address: int
    data: bytes
    writable: bool


@dataclass(frozen=True, slots=True)
class Image:
    """What a code object holds. symbols: name to virtual address."""

    arch: str
    disassembly: str
    symbols: dict[str, int]
    descriptors: dict[str, Descriptor]
    metadata: dict[str, Any]
    segments: tuple[Segment, ...]


def disassembler() -> str:
    """Path of an llvm-objdump of version 20 or newer. Raises DisassemblerMissing (CKM030)."""
    names = [f"llvm-objdump-{version}" for version in range(40, OLDEST - 1, -1)] + ["llvm-objdump"]
    seen = []
    for name in names:
        path = shutil.which(name)
        if path is None:
            continue
        version = _version(path)
        if version >= OLDEST:
            return path
        seen.append(f"{name} {version}")
    found = f" (found {', '.join(seen)})" if seen else ""
    raise DisassemblerMissing(
        "CKM030", f"llvm-objdump {OLDEST} or newer is not on PATH{found}; Debian has it in llvm-22"
    )


@cache
def _version(path: str) -> int:
    try:
        out = subprocess.run(
            [path, "--version"], capture_output=True, text=True, timeout=_TIMEOUT_SECONDS, check=False
        ).stdout
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = re.search(r"version (\d+)", out)
    return int(match[1]) if match else 0


def read(raw: bytes, path: str) -> Image:
    """Read a code object. Raises ProgramError (CKM014) for a damaged one and DisassemblerMissing."""
    return _guarded(_read, raw, path)


def symbol_data(raw: bytes, symbol: str, path: str) -> bytes:
    """The bytes of a data symbol of a code object; none where there is no such symbol. Raises ProgramError (CKM014)."""
    return _guarded(lambda raw, path: _symbol_data(raw, symbol), raw, path)


def _guarded(reader: Callable[[bytes, str], T], raw: bytes, path: str) -> T:
    try:
        return reader(raw, path)
    except ProgramError:
        raise
    except (
        ELFError,
        ValueError,
        KeyError,
        IndexError,
        TypeError,
        AttributeError,
        OverflowError,
        UnicodeError,
        msgpack.exceptions.UnpackException,
        AssertionError,
        MemoryError,
        RecursionError,
        OSError,
    ) as error:
        raise ProgramError("CKM014", f"damaged code object: {error!r}", path) from error
    except Exception as error:  # pyelftools and construct raise their own undocumented types on damaged input
        if type(error).__module__.startswith(("elftools", "msgpack", "struct")):
            raise ProgramError("CKM014", f"damaged code object: {error!r}", path) from error
        raise


def _symbol_data(raw: bytes, wanted: str) -> bytes:
    elf = ELFFile(io.BytesIO(raw))
    for section in elf.iter_sections():
        if section["sh_type"] == "SHT_SYMTAB":
            for symbol in cast(SymbolTableSection, section).get_symbol_by_name(wanted) or []:
                return _at(_segments(elf, ""), symbol["st_value"], symbol["st_size"])
    return b""


def _segments(elf: ELFFile, path: str) -> tuple[Segment, ...]:
    return tuple(
        Segment(
            int(s["p_vaddr"]),
            s.data()[: int(s["p_filesz"])] + bytes(_bounded(s["p_memsz"] - s["p_filesz"], path)),
            bool(s["p_flags"] & P_FLAGS.PF_W),
        )
        for s in elf.iter_segments()
        if s["p_type"] == "PT_LOAD"
    )


def _read(raw: bytes, path: str) -> Image:
    elf = ELFFile(io.BytesIO(raw))
    if elf["e_machine"] not in (EM_AMDGPU, "EM_AMDGPU"):
        raise ProgramError("CKM014", "not an AMDGPU code object", path)
    machine = elf["e_flags"] & 0xFF
    arch = MACHINES.get(machine, "")
    if not arch:
        raise ProgramError("CKM013", f"architecture of e_flags {machine:#x} is not known", path)
    segments = _segments(elf, path)
    if not segments:
        raise ProgramError("CKM014", "no loadable segment; link the object first", path)
    symbols, descriptors = {}, {}
    for section in elf.iter_sections():
        if section["sh_type"] not in ("SHT_SYMTAB", "SHT_DYNSYM"):
            continue
        for symbol in cast(SymbolTableSection, section).iter_symbols():
            if symbol.name.endswith(".kd"):
                descriptors[symbol.name[:-3]] = from_bytes(_at(segments, symbol["st_value"], 64))
            elif symbol.name:
                symbols[symbol.name] = int(symbol["st_value"])
    metadata: dict[str, Any] = {}
    for note_raw in _notes(elf):
        unpacked = msgpack.unpackb(note_raw, strict_map_key=False)
        if isinstance(unpacked, dict):
            metadata = unpacked
    return Image(arch, _disassemble(raw, path), symbols, descriptors, metadata, segments)


def _bounded(extra: int, path: str) -> int:
    if not 0 <= extra <= 1 << 28:
        raise ProgramError("CKM014", f"segment with {extra} bytes past its data", path)
    return extra


def _at(segments: tuple[Segment, ...], address: int, size: int) -> bytes:
    for segment in segments:
        start = address - segment.address
        if start >= 0 and start + size <= len(segment.data):
            return segment.data[start : start + size]
    return b""


def _notes(elf: ELFFile) -> list[bytes]:
    found = []
    for section in elf.iter_sections():
        if section["sh_type"] != "SHT_NOTE":
            continue
        data, at = section.data(), 0
        while at + 12 <= len(data):
            name_size, size, kind = (int.from_bytes(data[at + n : at + n + 4], "little") for n in (0, 4, 8))
            start = at + 12 + (name_size + 3) // 4 * 4
            if data[at + 12 : at + 12 + name_size].rstrip(b"\0") == b"AMDGPU" and kind == 32:
                found.append(data[start : start + size])
            at = start + (size + 3) // 4 * 4
    return found


def _disassemble(raw: bytes, path: str) -> str:
    tool = disassembler()
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "object.co")
        with open(file, "wb") as out:
            out.write(raw)
        try:
            done = subprocess.run(
                [tool, "-d", "--section=.text", file], capture_output=True, timeout=_TIMEOUT_SECONDS, check=False
            )
        except subprocess.TimeoutExpired:
            raise ProgramError("CKM014", "llvm-objdump did not end", path) from None
    if done.returncode:
        message = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise ProgramError("CKM014", f"llvm-objdump: {message[-1] if message else done.returncode}", path)
    return done.stdout.decode("utf-8", "replace")
