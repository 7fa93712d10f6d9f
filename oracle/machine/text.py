# SPDX-License-Identifier: Apache-2.0
"""Reads ISA text: LLVM assembly as FlyDSL prints it, or what llvm-objdump prints. No meaning is given to it here."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from .errors import ProgramError
from .metadata import Descriptor, from_directives, parse_yaml

LONGEST = 5  # dwords of one instruction
SUFFIXES = ("_e32", "_e64", "_sdwa", "_dpp")
_OBJDUMP = re.compile(
    r"^\s+(?P<text>\S.*?)\s*// (?P<pc>[0-9A-Fa-f]{4,}):(?P<words>(?: [0-9A-Fa-f]{8})+)(?:\s*<(?P<to>[^>]*)>)?\s*$"
)
_OBJDUMP_LABEL = re.compile(r"^(?P<pc>[0-9A-Fa-f]{8,}) <(?P<name>[^>]+)>:\s*$")
_LABEL = re.compile(r'^(?P<name>[A-Za-z_.$@][\w.$@]*|"[^"]+"):(?P<rest>.*)$')
_LOCAL_LABEL = re.compile(r"^(?P<name>[0-9]{1,9}):(?P<rest>.*)$")
_LOCAL_TARGET = re.compile(r"(?P<name>[0-9]{1,9})(?P<way>[bf])")
_DIRECTIVE = re.compile(r"^\.amdhsa_(\w+)\s+(.+)$")


@dataclass(frozen=True, slots=True)
class Line:
    """One instruction as written. pc and words are None in assembly text; encoding is e32, e64, sdwa, dpp or empty."""

    number: int
    text: str
    mnemonic: str
    encoding: str
    operands: tuple[str, ...]
    modifiers: tuple[str, ...]
    pc: int | None = None
    words: tuple[int, ...] | None = None


@dataclass(slots=True)
class Listing:
    """Everything read from one text: instructions, labels (by index into them), descriptors, metadata, target."""

    path: str
    lines: list[Line] = field(default_factory=list)
    labels: dict[str, int] = field(default_factory=dict)
    descriptors: dict[str, Descriptor] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    target: str = ""
    local_labels: dict[str, list[int]] = field(default_factory=dict)

    def place(self, word: str, index: int) -> int | None:
        """Index of the instruction behind a label, or a local one (`1b`, `1f`) as seen from instruction `index`."""
        if word in self.labels:
            return self.labels[word]
        match = _LOCAL_TARGET.fullmatch(word)
        if not match:
            return None
        places = self.local_labels.get(match["name"], [])
        if match["way"] == "b":
            return next((place for place in reversed(places) if place <= index), None)
        return next((place for place in places if place > index), None)


def read(text: str, path: str = "") -> Listing:
    """Read either form of text.

    Raises ProgramError (CKM010 no instruction, CKM011 unreadable line, CKM012 metadata).
    """
    listing = Listing(path)
    source = text.splitlines()
    objdump = any(_OBJDUMP.match(line) for line in source)
    section_is_code = True
    at = 0
    while at < len(source):
        raw = source[at]
        number = at + 1
        at += 1
        if objdump:
            _read_objdump(listing, raw, number)
            continue
        line = _strip_comment(raw).strip()
        if not line:
            continue
        if line == ".amdgpu_metadata":
            end = at
            while end < len(source) and source[end].strip() != ".end_amdgpu_metadata":
                end += 1
            metadata = parse_yaml(source[at:end])
            listing.metadata = metadata if isinstance(metadata, dict) else {}
            at = end + 1
            continue
        if line.startswith(".amdhsa_kernel"):
            at = _read_descriptor(listing, source, at, line.split(None, 1)[-1].strip())
            continue
        if line.startswith(".amdgcn_target"):
            listing.target = line.split(None, 1)[-1].strip().strip('"')
            continue
        local = _LOCAL_LABEL.match(line)
        if local:
            # A number may be defined again and again; `1b` and `1f` mean its nearest one backwards and forwards.
            listing.local_labels.setdefault(local["name"], []).append(len(listing.lines))
            line = local["rest"].strip()
            if not line:
                continue
        label = _LABEL.match(line)
        if label:
            listing.labels[label["name"].strip('"')] = len(listing.lines)
            line = label["rest"].strip()
            if not line:
                continue
        if line.startswith("."):
            directive = line.split(None, 1)
            if directive[0] == ".section":
                section_is_code = ".text" in line
            elif directive[0] in (".text", ".rodata", ".data"):
                section_is_code = directive[0] == ".text"
            elif directive[0] in (".long", ".byte", ".short", ".quad", ".fill", ".zero") and not section_is_code:
                continue
            continue
        if not section_is_code:
            continue
        listing.lines.append(instruction(line, number, path))
    if not listing.lines:
        raise ProgramError("CKM010", "no instruction in the text", path)
    return listing


def _read_objdump(listing: Listing, raw: str, number: int) -> None:
    match = _OBJDUMP.match(raw)
    if match:
        words = tuple(int(word, 16) for word in match["words"].split())
        if len(words) > LONGEST:
            raise ProgramError("CKM011", f"instruction of {len(words)} dwords", listing.path, number)
        listing.lines.append(instruction(match["text"], number, listing.path, int(match["pc"], 16), words))
        return
    label = _OBJDUMP_LABEL.match(raw)
    if label:
        listing.labels[label["name"]] = len(listing.lines)
        return
    stripped = raw.strip()
    if not stripped or stripped.endswith(":") or "file format" in stripped or stripped == "...":
        return
    if raw[:1].isspace() and not stripped.startswith("//"):
        raise ProgramError("CKM011", f"cannot read {stripped!r}", listing.path, number)


def _read_descriptor(listing: Listing, source: list[str], at: int, name: str) -> int:
    values: dict[str, int] = {}
    while at < len(source):
        line = _strip_comment(source[at]).strip()
        at += 1
        if line == ".end_amdhsa_kernel":
            listing.descriptors[name] = from_directives(values)
            return at
        match = _DIRECTIVE.match(line)
        if match:
            # Registers may be given as expressions; the metadata then carries the number.
            try:
                values[match[1]] = int(match[2], 0)
            except ValueError:
                continue
    raise ProgramError("CKM012", f".amdhsa_kernel {name} without its end", listing.path, at)


def _strip_comment(line: str) -> str:
    cut = len(line)
    for mark in (";", "//"):
        place = line.find(mark)
        if place >= 0:
            cut = min(cut, place)
    return line[:cut]


def instruction(text: str, number: int, path: str, pc: int | None = None, words: tuple[int, ...] | None = None) -> Line:
    """Split one instruction into mnemonic, operands and modifiers."""
    mnemonic, _, rest = text.partition(" ") if "\t" not in text else text.replace("\t", " ", 1).partition(" ")
    mnemonic = mnemonic.strip().lower()
    if not re.fullmatch(r"[a-z][a-z0-9_]*", mnemonic):
        raise ProgramError("CKM011", f"cannot read {text!r}", path, number, pc)
    encoding = ""
    for suffix in SUFFIXES:
        if mnemonic.endswith(suffix):
            mnemonic, encoding = mnemonic.removesuffix(suffix), suffix[1:]
            break
    operands: list[str] = []
    modifiers: list[str] = []
    pieces = list(_split(rest, ","))
    for place, piece in enumerate(pieces):
        words_of = [word for word in _split(piece, " ") if word]
        if not words_of:
            if len(pieces) > 1:
                raise ProgramError("CKM011", f"empty operand in {text!r}", path, number, pc)
            continue
        if place < len(pieces) - 1:
            operands.append(" ".join(words_of))
            continue
        if not is_modifier(words_of[0]) or mnemonic == "s_waitcnt":
            operands.append(words_of[0])
            words_of = words_of[1:]
        modifiers.extend(words_of)
    return Line(number, text.strip(), mnemonic, encoding, tuple(operands), tuple(modifiers), pc, words)


BARE_MODIFIERS = frozenset(
    [
        "offen",
        "idxen",
        "lds",
        "sc0",
        "sc1",
        "nt",
        "glc",
        "slc",
        "dlc",
        "gds",
        "clamp",
        "tfe",
        "row_mirror",
        "row_half_mirror",
        "bound_ctrl",
        "addr64",
    ]
)


def is_modifier(word: str) -> bool:
    """Whether a word is a modifier rather than an operand."""
    return word in BARE_MODIFIERS or (
        re.match(r"^[a-z_]\w*:(?!:)[^:]", word) is not None and not re.match(r"^[vsa]\[", word)
    )


def _split(text: str, separator: str) -> Iterator[str]:
    depth, start = 0, 0
    for place, char in enumerate(text):
        if char in "[(":
            depth += 1
        elif char in "])":
            depth -= 1
        elif char == separator and depth == 0:
            yield text[start:place].strip()
            start = place + 1
    yield text[start:].strip()
