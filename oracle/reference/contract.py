# SPDX-License-Identifier: Apache-2.0
"""The GEMM of the family, bit for bit: what a correct kernel writes.

Order of operations: docs/contract.md, after docs/notes/ck.md#order-of-operations (plain and bpreshuffle CK; CK-Tile as
the variant `cktile`), where CK's machine code was held against it. What rounds is in `oracle.reference.rounding`.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Literal, get_args

from oracle.reference.fp8 import Flavour, decode
from oracle.reference.rounding import bf16_bits, bf16_truncated_bits, flush32, fp16_bits
from oracle.reference.steps import CompiledSteps, Steps, StepsName, TorchSteps

if TYPE_CHECKING:
    import torch

#: Columns of w and of K that share one w scale, and columns of K that share one x scale.
SCALE_BLOCK = 128
_WAVE = 64

Mfma = Literal["16x16x128", "32x32x64", "16x16x32", "32x32x16"]
Contract = Literal["ck", "cktile"]
#: Which K indices of a scale block each chained MFMA takes; see `slice_map`.
KSlices = Literal["contiguous", "ck", "assembler"]
OutDtype = Literal["bf16", "fp16"]
Denormals = Literal["keep", "flush"]
#: The last conversion: to nearest even, or bf16 as the upper half of fp32, as aiter's hand-written kernels do it.
Conversion = Literal["nearest", "truncate"]

#: K elements that one MFMA instruction consumes, so 128 over it is the number of roundings of a scale block.
MFMA_SLICE: dict[Mfma, int] = {"16x16x128": 128, "32x32x64": 64, "16x16x32": 32, "32x32x16": 16}

#: (k_slices, MFMA): contiguous K elements of a lane group, beside those of one instruction: facts of CK's and aiter's
#: machine code.
_SHARES: dict[tuple[str, str], int] = {
    ("ck", "32x32x64"): 64,
    ("ck", "32x32x16"): 64,
    ("assembler", "16x16x32"): 16,
}

# Rows and columns computed at once: the float64 temporaries of a piece (2 MiB each) stay near the cache.
_ROWS, _COLUMNS = 256, 1024


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Operands in logical order, all contiguous row-major; `oracle.reference.layouts` converts to memory layouts.

    x: uint8 [M, K], fp8 codes; w: uint8 [N, K], fp8 codes; xs: fp32 [ceil(M / scale_block_m), K/128];
    ws: fp32 [ceil(N/128), K/128]; flavour: of the codes; scale_block_m: rows of x that share a scale, 1 or 128.
    Raises ValueError, with the values, for anything else. M and N may be any size (M = 0 gives an empty result);
    K is a positive multiple of 128.
    """

    x: torch.Tensor
    w: torch.Tensor
    xs: torch.Tensor
    ws: torch.Tensor
    flavour: Flavour
    scale_block_m: int = 1

    def __post_init__(self) -> None:
        import torch

        if self.flavour not in get_args(Flavour):
            raise ValueError(f"flavour must be one of {get_args(Flavour)}, got {self.flavour!r}")
        if self.scale_block_m not in (1, SCALE_BLOCK):
            raise ValueError(f"scale_block_m must be 1 or {SCALE_BLOCK}, got {self.scale_block_m}")
        if self.x.ndim != 2 or self.w.ndim != 2 or self.x.shape[1] != self.w.shape[1]:
            raise ValueError(f"x [M, K] and w [N, K] must share K, got {tuple(self.x.shape)} and {tuple(self.w.shape)}")
        if self.k == 0 or self.k % SCALE_BLOCK:
            raise ValueError(f"K must be a positive multiple of {SCALE_BLOCK}, got {self.k}")
        blocks = self.k // SCALE_BLOCK
        wanted = {
            "x": (self.x, torch.uint8, (self.m, self.k)),
            "w": (self.w, torch.uint8, (self.n, self.k)),
            "xs": (self.xs, torch.float32, (-(-self.m // self.scale_block_m), blocks)),
            "ws": (self.ws, torch.float32, (-(-self.n // SCALE_BLOCK), blocks)),
        }
        for name, (tensor, dtype, shape) in wanted.items():
            if tensor.dtype != dtype or tuple(tensor.shape) != shape or not tensor.is_contiguous():
                raise ValueError(
                    f"{name} must be contiguous {dtype} {shape}, got {tensor.dtype} {tuple(tensor.shape)} "
                    f"with strides {tensor.stride()}"
                )

    @property
    def m(self) -> int:
        return self.x.shape[0]

    @property
    def n(self) -> int:
        return self.w.shape[0]

    @property
    def k(self) -> int:
        return self.x.shape[1]


def reference(
    problem: Problem,
    mfma: Mfma = "16x16x128",
    contract: Contract = "ck",
    split_k: int = 1,
    out: OutDtype = "bf16",
    fp32_denormals: Denormals = "keep",
    steps: StepsName = "compiled",
    k_slices: KSlices | int = "contiguous",
    conversion: Conversion = "nearest",
) -> torch.Tensor:
    """C = x @ w^T with block scales, as bit patterns: uint16 [M, N] of `out`.

    For each element, over the scale blocks in ascending order, acc = +0:
    partial: C = +0, then one RNE to fp32 per `mfma` instruction of the block, over its K indices (`k_slices`);
    `ck`: s = RN32(xs * ws), acc = RN32(s * partial + acc);
    `cktile`: t = RN32(partial * xs), acc = RN32(t * ws + acc);
    at the end one RNE to `out` (with conversion="truncate" the upper half of the fp32, for bf16 only). With split_k = S
    the first (K/128) % S slices take one block more than the others, each starts from +0, and the slices are added in
    ascending order in fp32 (RNE each) before the conversion.
    fp32_denormals="flush" is how aiter builds CK: operands and results of the two scaling steps lose their denormals;
    it is assumed that flushing looks at the rounded result.

    Exactness: an fp8 value is a multiple of 2^-9 up to 448 (e4m3fnuz: 2^-10, 240), so a product is a multiple of 2^-18
    below 2^18 (2^-20, 2^16) and any sum of at most 128 of them fits in 43 bits. A float64 matrix product over one K
    slice is therefore exact whatever its order or fusion.

    steps: the inner loop compiled, or in torch, where it can be read; the bits are the same.
    Pieces of the result are computed side by side, in as many threads as torch would use. Beside operands and result a
    thread needs about 30 MiB. Raises ValueError for an unknown option.
    """
    import torch

    for option, value, known in (
        ("mfma", mfma, get_args(Mfma)),
        ("contract", contract, get_args(Contract)),
        ("out", out, get_args(OutDtype)),
        ("fp32_denormals", fp32_denormals, get_args(Denormals)),
        ("steps", steps, get_args(StepsName)),
        ("k_slices", k_slices, (k_slices,) if isinstance(k_slices, int) else get_args(KSlices)),
        ("conversion", conversion, get_args(Conversion) if out == "bf16" else ("nearest",)),
    ):
        if value not in known:
            raise ValueError(f"{option} must be one of {known}, got {value!r}")
    slices = split_blocks(problem.k // SCALE_BLOCK, split_k)
    taken = slice_map(mfma, k_slices)
    convert = bf16_truncated_bits if conversion == "truncate" else bf16_bits if out == "bf16" else fp16_bits
    keep = fp32_denormals == "keep"
    arithmetic = CompiledSteps() if steps == "compiled" else TorchSteps()
    m, n = problem.m, problem.n
    xs, ws = (problem.xs, problem.ws) if keep else (flush32(problem.xs), flush32(problem.ws))
    xs_rows = xs.repeat_interleave(problem.scale_block_m, 0)
    result = torch.empty((m, n), dtype=torch.int16)

    def compute(corner: tuple[int, int]) -> None:
        m0, n0 = corner
        rows, columns = slice(m0, min(m0 + _ROWS, m)), slice(n0, min(n0 + _COLUMNS, n))
        w = problem.w[columns]
        ws_columns = ws[n0 // SCALE_BLOCK : (n0 + _COLUMNS) // SCALE_BLOCK].repeat_interleave(SCALE_BLOCK, 0)[: len(w)]
        piece = _Piece(
            problem.x[rows], w, xs_rows[rows], ws_columns, problem.flavour, taken, contract, keep, arithmetic
        )
        total = piece.accumulate(*slices[0])
        for first, last in slices[1:]:
            total = total + piece.accumulate(first, last)  # RNE
        result[rows, columns] = convert(total)

    # Whole pieces in parallel, each operation in one thread: torch's own threads would meet at a barrier after every
    # small operation, which on a busy machine takes ten times longer than the work.
    threads = torch.get_num_threads()
    try:
        with ThreadPoolExecutor(threads, initializer=torch.set_num_threads, initargs=(1,)) as pool:
            for _ in pool.map(compute, product(range(0, m, _ROWS), range(0, n, _COLUMNS))):
                pass
    finally:
        torch.set_num_threads(threads)  # threads started later inherit the last number set anywhere
    return result.view(torch.uint16)


def slice_map(mfma: Mfma, k_slices: KSlices | int = "contiguous") -> tuple[tuple[int, ...], ...]:
    """K indices, of the 128 of a scale block, that each chained MFMA takes, in the order of the instructions.

    A lane group holds runs of contiguous K elements, its shares, and each instruction takes the next piece of every
    group's share. k_slices is the elements of a share, or the name of one: `contiguous`, what one instruction takes of
    a group, so that instruction j takes the j-th run, as porter's kernels do; `ck`, what CK's v3 pipelines give a
    group, all that is its of the block; `assembler`, 16, as in aiter's hand-written kernels
    (docs/notes/ck.md#mfma-and-k-slices). An instruction that takes the whole block is the same under every name.
    Raises ValueError for a pair that no known kernel has, and for a share that does not fit.
    """
    width = MFMA_SLICE[mfma]
    groups = _WAVE // int(mfma.partition("x")[0])
    piece = width // groups
    if width == SCALE_BLOCK:
        return (tuple(range(width)),)
    if isinstance(k_slices, str) and k_slices != "contiguous" and (k_slices, mfma) not in _SHARES:
        known = sorted(shape for name, shape in _SHARES if name == k_slices)
        raise ValueError(f"k_slices {k_slices!r} is known for {known}, not for {mfma!r}")
    named = k_slices if isinstance(k_slices, int) else _SHARES.get((k_slices, mfma), piece)
    if named < piece or named % piece or SCALE_BLOCK % (named * groups):
        raise ValueError(f"k_slices: shares of {named} do not fit {groups} lane groups of {mfma}")
    turns = named // piece
    return tuple(
        tuple(
            j // turns * named * groups + group * named + j % turns * piece + element
            for group in range(groups)
            for element in range(piece)
        )
        for j in range(SCALE_BLOCK // width)
    )


def split_blocks(blocks: int, split_k: int) -> tuple[tuple[int, int], ...]:
    """Scale blocks [first, last) of each K slice: the first `blocks % split_k` slices take one more.

    Slices beyond the number of blocks are empty (they add +0). Raises ValueError for split_k < 1.
    """
    if split_k < 1:
        raise ValueError(f"split_k must be at least 1, got {split_k}")
    base, extra = divmod(blocks, split_k)
    ends = [0]
    for index in range(split_k):
        ends.append(ends[-1] + base + (index < extra))
    return tuple(pairwise(ends))


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Some rows and columns of the result. x [r, K], w [c, K]: fp8 codes; xs [r, K/128], ws [c, K/128]: fp32."""

    x: torch.Tensor
    w: torch.Tensor
    xs: torch.Tensor
    ws: torch.Tensor
    flavour: Flavour
    slices: tuple[tuple[int, ...], ...]
    contract: Contract
    keep_denormals: bool
    steps: Steps

    def accumulate(self, first: int, last: int) -> torch.Tensor:
        """fp32 [r, c] over the scale blocks [first, last), from +0."""
        import torch

        acc, partial = (torch.zeros((len(self.x), len(self.w)), dtype=torch.float32) for _ in range(2))
        dot = torch.empty(acc.shape, dtype=torch.float64)  # one for all blocks: fresh pages cost a third of a product
        for block in range(first, last):
            self._dot_product(block, partial, dot)
            xs, ws = self.xs[:, block].contiguous(), self.ws[:, block].contiguous()
            self.steps.promote(acc, partial, xs, ws, self.contract == "cktile", not self.keep_denormals)
        return acc

    def _dot_product(self, block: int, partial: torch.Tensor, dot: torch.Tensor) -> None:
        """Make `partial` the fp32 dot products of one scale block, one rounding an instruction; `dot` is for each sum.

        They are multiples of 2^-20, so never denormal.
        """
        import torch

        columns = slice(block * SCALE_BLOCK, (block + 1) * SCALE_BLOCK)
        x, w = (decode(codes[:, columns], self.flavour) for codes in (self.x, self.w))
        partial.zero_()
        for taken in self.slices:
            part: list[int] | slice = list(taken)
            if taken[-1] - taken[0] == len(taken) - 1:
                part = slice(taken[0], taken[-1] + 1)  # a view
            torch.mm(x[:, part], w[:, part].t(), out=dot)  # exact
            self.steps.add_dot(partial, dot)  # RNE
