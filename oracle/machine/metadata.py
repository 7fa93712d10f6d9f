# SPDX-License-Identifier: Apache-2.0
"""What a code object says about a kernel: descriptor (launch state) and metadata (arguments, resources).

Source of the rules: LLVM, "User Guide for AMDGPU Backend", code object v3 and newer.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .errors import ProgramError


@dataclass(frozen=True, slots=True)
class Argument:
    """One kernarg: byte offset and size in the segment, LLVM's value kind (`global_buffer`, `by_value`, ...)."""

    offset: int
    size: int
    kind: str
    name: str = ""

    @property
    def hidden(self) -> bool:
        return self.kind.startswith("hidden_")


# Launch state in the order in which the hardware loads user SGPRs: (directive, SGPRs).
USER_SGPRS = (
    ("private_segment_buffer", 4),
    ("dispatch_ptr", 2),
    ("queue_ptr", 2),
    ("kernarg_segment_ptr", 2),
    ("dispatch_id", 2),
    ("flat_scratch_init", 2),
    ("private_segment_size", 1),
)


@dataclass(frozen=True, slots=True)
class Descriptor:
    """The kernel descriptor: which SGPRs are loaded at launch, and the initial MODE register.

    preload_length and preload_offset: kernarg dwords loaded into SGPRs. mode: MODE bits 3:0 rounding, 7:4 denormals,
    8 dx10_clamp, 9 ieee.
    """

    user_sgprs: tuple[str, ...] = ("kernarg_segment_ptr",)
    workgroup_ids: tuple[bool, bool, bool] = (True, False, False)
    workgroup_info: bool = False
    preload_length: int = 0
    preload_offset: int = 0
    accum_offset: int = 256
    next_free_vgpr: int = 0
    lds_bytes: int = 0
    scratch_bytes: int = 0
    kernarg_bytes: int = 0
    mode: int = 0x3F0


@dataclass(frozen=True, slots=True)
class Kernel:
    """One kernel. Byte counts for LDS (a workgroup), scratch (a lane) and kernarg; register counts as metadata states
    them (`vgprs` is VGPRs and AGPRs together); `spills` are (VGPR, SGPR) counts."""

    name: str
    symbol: str
    descriptor: Descriptor
    arguments: tuple[Argument, ...] = ()
    vgprs: int = 0
    agprs: int = 0
    sgprs: int = 0
    lds_bytes: int = 0
    scratch_bytes: int = 0
    kernarg_bytes: int = 0
    spills: tuple[int, int] = (0, 0)
    reqd_workgroup_size: tuple[int, int, int] | None = None
    max_flat_workgroup_size: int = 1024


def from_directives(values: Mapping[str, int]) -> Descriptor:
    """Descriptor from the `.amdhsa_*` directives of assembly text."""

    def flag(name: str, default: int = 0) -> int:
        return values.get(name, default)

    mode = (
        flag("float_round_mode_32")
        | flag("float_round_mode_16_64") << 2
        | flag("float_denorm_mode_32") << 4
        | flag("float_denorm_mode_16_64", 3) << 6
        | flag("dx10_clamp", 1) << 8
        | flag("ieee_mode", 1) << 9
    ) & 0xFFFFFFFF
    return Descriptor(
        user_sgprs=tuple(name for name, _ in USER_SGPRS if flag(f"user_sgpr_{name}")),
        workgroup_ids=(
            bool(flag("system_sgpr_workgroup_id_x", 1)),
            bool(flag("system_sgpr_workgroup_id_y")),
            bool(flag("system_sgpr_workgroup_id_z")),
        ),
        workgroup_info=bool(flag("system_sgpr_workgroup_info")),
        preload_length=flag("user_sgpr_kernarg_preload_length"),
        preload_offset=flag("user_sgpr_kernarg_preload_offset"),
        accum_offset=flag("accum_offset", 256),
        next_free_vgpr=flag("next_free_vgpr"),
        lds_bytes=flag("group_segment_fixed_size"),
        scratch_bytes=flag("private_segment_fixed_size"),
        kernarg_bytes=flag("kernarg_size"),
        mode=mode,
    )


def from_bytes(raw: bytes) -> Descriptor:
    """Descriptor from the 64 bytes of a `.kd` symbol (gfx90a and newer layout)."""
    if len(raw) < 64:
        raise ProgramError("CKM012", f"kernel descriptor of {len(raw)} bytes, expected 64")
    lds, scratch, kernarg = struct.unpack_from("<III", raw, 0)
    rsrc3, rsrc1, rsrc2 = struct.unpack_from("<III", raw, 44)
    properties, preload = struct.unpack_from("<HH", raw, 56)
    return Descriptor(
        user_sgprs=tuple(name for bit, (name, _) in enumerate(USER_SGPRS) if properties >> bit & 1),
        workgroup_ids=(bool(rsrc2 >> 7 & 1), bool(rsrc2 >> 8 & 1), bool(rsrc2 >> 9 & 1)),
        workgroup_info=bool(rsrc2 >> 10 & 1),
        preload_length=preload & 0x7F,
        preload_offset=preload >> 7,
        accum_offset=((rsrc3 & 63) + 1) * 4,
        next_free_vgpr=((rsrc1 & 63) + 1) * 8,
        lds_bytes=lds,
        scratch_bytes=scratch,
        kernarg_bytes=kernarg,
        mode=(rsrc1 >> 12 & 0xFF) | (rsrc1 >> 21 & 1) << 8 | (rsrc1 >> 23 & 1) << 9,
    )


def kernels(descriptors: Mapping[str, Descriptor], metadata: Mapping[str, Any]) -> dict[str, Kernel]:
    """Join descriptors (by kernel symbol, without `.kd`) with the `amdhsa.kernels` metadata."""
    listed = metadata.get("amdhsa.kernels", [])
    if not isinstance(listed, Sequence) or not all(isinstance(entry, Mapping) for entry in listed):
        raise ProgramError("CKM012", "metadata: amdhsa.kernels is not a list of maps")
    entries: dict[str, Mapping[str, Any]] = {str(e.get(".symbol", "")).removesuffix(".kd"): e for e in listed}
    found = {}
    for symbol, descriptor in descriptors.items():
        entry = entries.get(symbol)
        found[symbol] = _kernel(symbol, descriptor, entry)
    return found


def _kernel(symbol: str, descriptor: Descriptor, entry: Mapping[str, Any] | None) -> Kernel:
    if entry is None:
        return Kernel(
            symbol,
            symbol,
            descriptor,
            vgprs=descriptor.next_free_vgpr,
            lds_bytes=descriptor.lds_bytes,
            scratch_bytes=descriptor.scratch_bytes,
            kernarg_bytes=descriptor.kernarg_bytes,
        )
    try:
        arguments = tuple(
            Argument(int(a[".offset"]), int(a[".size"]), str(a[".value_kind"]), str(a.get(".name", "")))
            for a in entry.get(".args", [])
        )
        required = entry.get(".reqd_workgroup_size")
        size = (int(required[0]), int(required[1]), int(required[2])) if required else None
        return Kernel(
            str(entry.get(".name", symbol)),
            symbol,
            replace(descriptor, next_free_vgpr=descriptor.next_free_vgpr or int(entry.get(".vgpr_count", 0))),
            arguments,
            vgprs=int(entry.get(".vgpr_count", 0)),
            agprs=int(entry.get(".agpr_count", 0)),
            sgprs=int(entry.get(".sgpr_count", 0)),
            lds_bytes=int(entry.get(".group_segment_fixed_size", descriptor.lds_bytes)),
            scratch_bytes=int(entry.get(".private_segment_fixed_size", descriptor.scratch_bytes)),
            kernarg_bytes=int(entry.get(".kernarg_segment_size", descriptor.kernarg_bytes)),
            spills=(int(entry.get(".vgpr_spill_count", 0)), int(entry.get(".sgpr_spill_count", 0))),
            reqd_workgroup_size=size,
            max_flat_workgroup_size=int(entry.get(".max_flat_workgroup_size", 1024)),
        )
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise ProgramError("CKM012", f"metadata of kernel {symbol}: {error!r}") from error


def parse_yaml(lines: Sequence[str]) -> Any:
    """The subset of YAML that LLVM prints for metadata: maps, lists, plain and quoted scalars, by indentation."""
    items = [(len(line) - len(line.lstrip()), line.strip()) for line in lines]
    items = [(indent, text) for indent, text in items if text and text not in ("---", "...") and text[0] != "#"]
    value, rest = _block(items, 0, -1)
    if rest != len(items):
        raise ProgramError("CKM012", f"metadata: cannot read {items[rest][1]!r}")
    return value


def _block(items: list[tuple[int, str]], at: int, parent: int) -> tuple[Any, int]:
    if at >= len(items) or items[at][0] <= parent:
        return None, at
    indent = items[at][0]
    if items[at][1].startswith("- ") or items[at][1] == "-":
        return _list(items, at, indent)
    return _map(items, at, indent)


def _list(items: list[tuple[int, str]], at: int, indent: int) -> tuple[list[Any], int]:
    result: list[Any] = []
    while at < len(items) and items[at][0] == indent and items[at][1].startswith("-"):
        text = items[at][1][1:].lstrip()
        inner = indent + len(items[at][1]) - len(text)
        if ":" in text and not text.startswith(("'", '"')):
            items[at] = (inner, text)
            value, at = _map(items, at, inner)
            result.append(value)
        else:
            result.append(_scalar(text))
            at += 1
    return result, at


def _map(items: list[tuple[int, str]], at: int, indent: int) -> tuple[dict[str, Any], int]:
    result: dict[str, Any] = {}
    while at < len(items) and items[at][0] == indent and not items[at][1].startswith("- "):
        key, colon, text = items[at][1].partition(":")
        if not colon:
            raise ProgramError("CKM012", f"metadata: cannot read {items[at][1]!r}")
        text = text.strip()
        at += 1
        if text:
            result[key] = _scalar(text)
        elif at < len(items) and items[at][0] == indent and items[at][1].startswith("-"):
            result[key], at = _list(items, at, indent)
        else:
            result[key], at = _block(items, at, indent)
    return result, at


def _scalar(text: str) -> Any:
    if not text:
        return None
    if text in ("[]", "{}"):
        return [] if text == "[]" else {}
    if text[0] in "'\"" and text[-1] == text[0] and len(text) > 1:
        return text[1:-1]
    try:
        return int(text, 0)
    except ValueError:
        return text
