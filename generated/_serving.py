# SPDX-License-Identifier: Apache-2.0
"""A kernel's name, and which shapes the kernel can serve: what porter and the dispatch beside its kernels go by.

Standard library only; `porter convert` copies this file as it is.
"""

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any, NamedTuple

#: K and N width of one weight scale block, and K width of one activation scale block; fixed in every CK instance
#: of the family (docs/notes/ck.md#layouts).
SCALE_BLOCK = 128
#: Dies of a chip, each with an L2 of its own; docs/notes/hardware.md#sizes.
XCDS = {"gfx950": 8, "gfx942": 8}
#: What N must be a multiple of: a lane stores 4 columns at once, as aiter's plain instances with the narrower C vector
#: do (docs/notes/ck.md#tails; real rows have N = 100); a preshuffled B is whole groups of 16 rows.
N_MULTIPLE = {"plain": 4, "bpreshuffle": 16}
#: What a 32-bit signed byte offset and an i32 argument can hold; docs/notes/flydsl.md#arguments. Descriptors are
#: rebased to the tile, so only what one descriptor covers has to stay below: a tile's rows of A, B and C, and all of
#: both scales.
INT32_LIMIT = 1 << 31
#: Work-items of one launch in a dimension, which HIP wants below 2^32 (HIP API reference, hipModuleLaunchKernel).
GRID_LIMIT = 1 << 32
#: Columns that a work-item of split-K's second pass adds up.
REDUCED_COLUMNS = 4


#: What stands between the name of a kernel and the kind of its measurement twin; no kernel's own name has it.
TWIN_MARK = "_twin_"


class Schedule(str, Enum):
    """Where the promotes stand: beside their MFMAs, all after the last MFMA of the K block, or one tile row late."""

    INLINE = "inline"
    CLUSTER = "cluster"
    SKEW = "skew"


_SCHEDULES = [schedule.value for schedule in Schedule]


class KernelName(NamedTuple):
    """The fields of a kernel's name, as `KernelSpec` has them; contract: `ck`, which a name leaves out, or `cktile`."""

    family: str
    arch: str
    scale_block_m: int
    core: str
    tile_m: int
    tile_n: int
    tile_k: int
    mfma: str
    schedule: str
    waves_per_eu: int
    xcds: int
    split_k: int
    scale_layout: str
    out_dtype: str
    contract: str = "ck"

    @property
    def threads(self) -> int:
        """Work-items of a workgroup."""
        return 512 if self.core == "8w" else 256

    def __str__(self) -> str:
        suffix = "" if self.contract == "ck" else f"_{self.contract}"
        return (
            f"flydsl_a8w8_blockscale_{self.family}_{self.arch}_{self.scale_block_m}x{SCALE_BLOCK}x{SCALE_BLOCK}"
            f"_{self.core}_{self.tile_m}x{self.tile_n}x{self.tile_k}_{self.mfma}_{self.schedule}"
            f"_wpe{self.waves_per_eu}_xcd{self.xcds}_ks{self.split_k}_{self.scale_layout}_{self.out_dtype}{suffix}"
        )


GRAMMAR = (
    "flydsl_a8w8_blockscale_{plain|bpreshuffle}_{arch}_{sbm}x128x128_{4w|8w|dec}_{tm}x{tn}x{tk}_{mfma}"
    f"_{{{'|'.join(_SCHEDULES)}}}_wpe{{n}}_xcd{{n}}_ks{{n}}_{{rm|km}}_{{bf16|fp16}}[_cktile]"
)
_NUMBER = r"(?:0|[1-9][0-9]{0,5})"
_TOKENS = (
    ("the prefix flydsl_a8w8_blockscale", r"flydsl_a8w8_blockscale_"),
    ("the family (plain or bpreshuffle)", r"(?P<family>plain|bpreshuffle)_"),
    (f"the arch ({' or '.join(XCDS)})", rf"(?P<arch>{'|'.join(XCDS)})_"),
    ("the scale block (1x128x128 or 128x128x128)", r"(?P<scale_block_m>1|128)x128x128_"),
    ("the core (4w, 8w or dec)", r"(?P<core>4w|8w|dec)_"),
    ("the tile MxNxK", rf"(?P<tile_m>{_NUMBER})x(?P<tile_n>{_NUMBER})x(?P<tile_k>{_NUMBER})_"),
    ("the MFMA shape MxNxK", rf"(?P<mfma>{_NUMBER}x{_NUMBER}x{_NUMBER})_"),
    (
        f"the schedule ({', '.join(_SCHEDULES[:-1])} or {_SCHEDULES[-1]})",
        rf"(?P<schedule>{'|'.join(_SCHEDULES)})_",
    ),
    ("wpe and a number", rf"wpe(?P<waves_per_eu>{_NUMBER})_"),
    ("xcd and a number", rf"xcd(?P<xcds>{_NUMBER})_"),
    ("ks and a number", rf"ks(?P<split_k>{_NUMBER})_"),
    ("the x_scale layout (rm or km)", r"(?P<scale_layout>rm|km)_"),
    ("the output dtype (bf16 or fp16)", r"(?P<out_dtype>bf16|fp16)(?=_|\Z)"),
    ("the end of the name, or _cktile", r"(?:_(?P<contract>cktile))?\Z"),
)
_INTEGERS = {field for field, kind in KernelName.__annotations__.items() if kind in (int, "int")}


def kernel_of(spec: Mapping[str, Any]) -> KernelName:
    """The fields of the kernel that a module's SPEC describes, a measurement twin's too."""
    return read_name(spec["name"].partition(TWIN_MARK)[0])


def read_name(name: str) -> KernelName:
    """The fields of a name; `str` of them is the name. Raises ValueError naming the first token that does not fit."""
    rest = name
    found: dict[str, str] = {}
    for what, pattern in _TOKENS:
        match = re.match(pattern, rest)
        if match is None:
            raise ValueError(f"{rest.split('_', 1)[0] or 'end of name'!r} where {what} was expected")
        found.update({field: text for field, text in match.groupdict().items() if text})
        rest = rest[match.end() :]
    fields: dict[str, Any] = {field: int(text) if field in _INTEGERS else text for field, text in found.items()}
    return KernelName(**fields)


class Refusal(NamedTuple):
    """Why a kernel cannot serve a shape. code: CKS1xx; text: one sentence with every number; hint: the way out."""

    code: str
    text: str
    hint: str = ""


def refusals(
    kernel: KernelName, m: int, n: int, k: int, a_stride: int | None = None, b_stride: int | None = None
) -> Iterator[Refusal]:
    """Every reason why a kernel cannot serve C[m, n] = A[m, k] @ B[n, k]^T; nothing when it can.

    a_stride, b_stride: as of `spans`.
    """
    for axis, size in (("M", m), ("N", n), ("K", k)):
        if size < 1:
            yield Refusal("CKS130", f"{axis} {size} is less than 1")
    if min(m, n, k) < 1:
        return
    blocks, rest = divmod(k, SCALE_BLOCK)
    if rest:
        text = f"K {k} is not a multiple of {SCALE_BLOCK}, the scale block"
        yield Refusal("CKS131", text, f"pad A and B with zeros to K {(blocks + 1) * SCALE_BLOCK}")
    elif kernel.split_k > blocks:
        yield Refusal("CKS132", f"split_k {kernel.split_k} is more than the {blocks} blocks of {SCALE_BLOCK} in K")
    multiple = N_MULTIPLE[kernel.family]
    if n % multiple:
        text = f"N {n} is not a multiple of {multiple}, which the {kernel.family} family needs"
        yield Refusal("CKS134", text, f"pad B with zero rows to N {-(-n // multiple) * multiple} and drop the columns")
    for what, size in spans(kernel, m, n, k, a_stride, b_stride):
        if size >= INT32_LIMIT:
            text = f"{what} is {size} bytes, not below {INT32_LIMIT}: 32-bit offsets cannot reach all of it"
            yield Refusal("CKS140", text)
    if m > most_rows(kernel):
        yield Refusal("CKS141", f"M {m} does not fit the kernel's i32 argument, {most_rows(kernel)} at most")
    for what, workgroups in launches(kernel, m, n):
        if workgroups * kernel.threads >= GRID_LIMIT:
            items = f"{workgroups} workgroups x {kernel.threads} work-items"
            text = f"{what} of {items} is not below {GRID_LIMIT}, the most that HIP launches"
            yield Refusal("CKS142", text, "fewer rows a call")


def most_rows(kernel: KernelName) -> int:
    """The largest M that the launcher can round up to whole tiles in i32."""
    return INT32_LIMIT - kernel.tile_m


def launches(kernel: KernelName, m: int, n: int) -> Iterator[tuple[str, int]]:
    """Workgroups of every launch; none of a kernel without tiles, which has its own reasons."""
    if min(kernel.tile_m, kernel.tile_n) < 1:
        return
    yield "a launch", -(-m // kernel.tile_m) * -(-n // kernel.tile_n) * kernel.split_k
    if kernel.split_k > 1:
        yield "the second pass", m * -(-n // (REDUCED_COLUMNS * kernel.threads))


def spans(
    kernel: KernelName, m: int, n: int, k: int, a_stride: int | None = None, b_stride: int | None = None
) -> Iterator[tuple[str, int]]:
    """What one descriptor covers, and its bytes. a_stride, b_stride: from a row of A or B to the next; K if None."""
    a_stride, b_stride = k if a_stride is None else a_stride, k if b_stride is None else b_stride
    width = 2 if kernel.split_k == 1 else 4  # bytes of an element: C, or the fp32 workspace
    blocks, x_rows, w_rows = -(-k // SCALE_BLOCK), -(-m // max(1, kernel.scale_block_m)), -(-n // SCALE_BLOCK)
    yield f"a tile of A, {kernel.tile_m} rows x {a_stride} bytes,", kernel.tile_m * a_stride
    yield f"a tile of B, {kernel.tile_n} rows x {b_stride} bytes,", kernel.tile_n * b_stride
    yield f"a tile of the result, {kernel.tile_m} rows x {width * n} bytes,", kernel.tile_m * width * n
    yield f"x_scale, {x_rows} x {blocks} x 4 bytes,", x_rows * blocks * 4
    yield f"w_scale, {w_rows} x {blocks} x 4 bytes,", w_rows * blocks * 4
