# SPDX-License-Identifier: Apache-2.0
"""Names of kernels wherever they are met: aiter's kernelNames, symbols of compiled code, and names in traces.

The signature of this operator in each library: CK's two grid-wise templates, CK-Tile's `QuantGemmKernel` over an
`ABQuant` pipeline, aiter's assembly, opus, Triton and FlyDSL names.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from porter.ck_parser.cpp_names import Names
from porter.ck_parser.cpp_tokens import DamagedList, arguments
from porter.ck_parser.device_templates import SYMBOL_TEMPLATES, IsGeneric, instantiate
from porter.ck_parser.instance import CkInstance
from porter.ck_parser.names import grammars, parse_kernel_name
from porter.ck_parser.quoting import quote
from porter.ck_parser.readers.contents import FileContents, SourcePlace
from porter.ck_parser.rows import CK_LIBTYPES, InstanceEntry
from porter.ck_parser.symbols.itanium import demangle
from porter.ck_parser.table import CellError, Reason
from porter.errors import KernelNameError, SourceSpan
from porter.problem import Family

#: Longer names are cut before anything reads them; the longest real ones have 3,000 characters.
MAX_SYMBOL_CHARS = 65_536

_MOE = Reason(
    "CKP046",
    "a grouped GEMM of MoE layers, which is another operator",
    "porter ports plain GEMMs of one weight",
)
_TEMPLATES = {template.name: template for template in SYMBOL_TEMPLATES}
_GRIDWISE = re.compile(rf"\b({'|'.join(_TEMPLATES)})(?=\s*<|$)")
_MANGLED_GRIDWISE = re.compile("|".join(_TEMPLATES))
_CKTILE_TILE = re.compile(r"TileGemmShape<\s*((?:[\w:]*sequence<[^<>]{1,60}>\s*,\s*){2}[\w:]*sequence<[^<>]{1,60}>)")
#: (pattern, libtype, family, reason): names that carry no instance.
_SIGNATURES: tuple[tuple[re.Pattern[str], str, Family | None, Reason | None], ...] = (
    (
        re.compile(r"GridwiseMoeGemmBlockScale|moe_gemm\w*blockscale|\bmoe_ck2stages_\w*|kernel_moe_gemm"),
        "ck",
        None,
        _MOE,
    ),
    (re.compile(r"QuantGemmKernel(?=.*ABQuant)", re.DOTALL), "cktile", None, None),
    (re.compile(r"fp8gemm_(?:bf16|fp16)_blockscale_BpreShuffle_"), "asm", Family.BPRESHUFFLE, None),
    (re.compile(r"\bf8_block_scale_mi350_x|\bflatmm_uk_gfx9_f16f8_"), "asm", Family.BPRESHUFFLE, None),
    (re.compile(r"\bopus_gemm_\w*a8w8_bs_bpreshuf"), "opus", Family.BPRESHUFFLE, None),
    (re.compile(r"\b_?(?:fused_)?gemm_a8w8_blockscale_preshuffle\w*"), "triton", Family.BPRESHUFFLE, None),
    (re.compile(r"\b_?(?:fused_)?gemm_a8w8_blockscale\w*|\b_?w8a8_block_fp8_matmul\w*"), "triton", Family.PLAIN, None),
    (re.compile(r"\bflydsl\w*blockscale\w*|\bbs_gemm_\w+"), "flydsl", Family.BPRESHUFFLE, None),
)
#: Triton's second pass adds split-K slices up; it is part of the first kernel's GEMM.
_REDUCTION = re.compile(r"_reduce_kernel\b")


@dataclass(frozen=True, slots=True)
class KernelMatch:
    """A kernel of this operator.

    name: as aiter would name it where that is known, else as met; family: None where the name does not tell; instance:
    None where the name carries none; written: what the name says beyond the instance; refusal: why it cannot be ported;
    note: what is missing for an instance.
    """

    name: str
    libtype: str
    family: Family | None
    instance: CkInstance | None = None
    written: tuple[tuple[str, str], ...] = ()
    refusal: Reason | None = None
    note: str = ""


def recognise(name: str) -> KernelMatch | None:
    """The kernel that a name of a trace is, or None where it is not of this operator; never raises."""
    name = name[:MAX_SYMBOL_CHARS].strip().removesuffix(".kd").removesuffix(" [clone .kd]")
    if any(grammar.recognises(name) for grammar in grammars()):
        named = _named(name)
        if named:
            return named
    readable = demangle(name) or name
    gridwise = _GRIDWISE.search(readable) or (_MANGLED_GRIDWISE.search(name) if readable == name else None)
    if gridwise:
        return _gridwise(gridwise[1] if gridwise.re is _GRIDWISE else gridwise[0], readable, gridwise.end())
    for pattern, libtype, family, refusal in _SIGNATURES:
        found = pattern.search(readable)
        if found:
            written = _tile(readable) if libtype == "cktile" else ()
            note = "the name carries no CK instance: the shape alone decides"
            if _REDUCTION.search(readable):
                note = "the second pass of split-K: part of the kernel before it"
            return KernelMatch(name, libtype, family, written=written, refusal=refusal, note="" if refusal else note)
    return None


def read_name(argument: str) -> FileContents | None:
    """A kernel name that stands for itself as an input; None where it is nothing like one.

    Raises KernelNameError (CKP032, CKP033) for a name that leaves its grammar.
    """
    if any(grammar.recognises(argument) for grammar in grammars()):
        parse_kernel_name(argument)
    match = recognise(argument)
    if match is None:
        return None
    where = SourceSpan("argument", 1)
    contents = FileContents(where.path, data_rows=1)
    place = SourcePlace(where)
    if match.instance:
        contents.instances.append(entry(match, where))
    elif match.refusal:
        contents.set_aside(place, match.refusal, match.name)
    elif match.libtype in CK_LIBTYPES:
        contents.refuse(place, CellError("CKP031", f"kernel name {quote(argument)}: {match.note}"))
    else:
        reason = Reason("CKP040", f"libtype {match.libtype} is not Composable Kernel", "porter explain M N K")
        contents.set_aside(place, reason, match.name)
    return contents


def entry(match: KernelMatch, where: SourceSpan) -> InstanceEntry:
    """The entry of a match that has an instance."""
    assert match.instance is not None
    notes = (match.note,) if match.note else ()
    return InstanceEntry(match.instance, None, "", where, written=match.written, refusal=match.refusal, notes=notes)


def _named(name: str) -> KernelMatch | None:
    try:
        kernel = parse_kernel_name(name)
    except KernelNameError as error:
        if "blockscale" not in name:
            return None  # a relative of another operator, such as aiter's per-token asm kernels
        libtype = "cktile" if "_cktile_" in name else "ck" if name.startswith("a8w8_") else "other"
        return KernelMatch(name, libtype, None, note=error.message)
    instance = kernel if isinstance(kernel, CkInstance) else None
    note = "" if instance else "the name carries no CK instance: the shape alone decides"
    return KernelMatch(name, kernel.libtype, kernel.family, instance, note=note)


def _gridwise(template: str, readable: str, at: int) -> KernelMatch:
    shape = _TEMPLATES[template]
    missing = KernelMatch(template, "ck", shape.family, note="the name is cut: the shape alone decides")
    try:
        given, _ = arguments(readable, at)
        made = instantiate(shape, given, Names(""), 0)
    except (DamagedList, IsGeneric):
        return missing
    except CellError as error:
        return KernelMatch(template, "ck", shape.family, note=f"{error.message} [{error.code}]")
    return KernelMatch(
        made.instance.name, "ck", shape.family, made.instance, made.written, made.refusal, "; ".join(made.notes)
    )


def _tile(readable: str) -> tuple[tuple[str, str], ...]:
    """The three sequences that a CK-Tile symbol carries; its other parameters are types that no name tells."""
    found = _CKTILE_TILE.search(readable)
    if not found:
        return ()
    sequences = re.findall(r"sequence<([^<>]*)>", found[1])
    names = ("tile_mnk", "warp_mnk", "warp_tile_mnk")
    return tuple(
        (name, "x".join(re.findall("[0-9]+", numbers))) for name, numbers in zip(names, sequences, strict=True)
    )
