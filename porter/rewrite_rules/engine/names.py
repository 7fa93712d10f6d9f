# SPDX-License-Identifier: Apache-2.0
"""FlyDSL and torch names that the rules know, by qualified name."""

from __future__ import annotations

#: Where FlyDSL exports the same names from; the first that fits is cut off.
_PREFIXES = (
    "flydsl.expr.typing.",
    "flydsl.expr.numeric.",
    "flydsl.expr.primitive.",
    "flydsl.expr.rocdl.universal.",
    "flydsl.expr.",
    "flydsl.",
    "builtins.",
)


def short(qualified: str) -> str:
    """A qualified name without FlyDSL's own prefix: `rocdl.mfma_scale_...`, `gemm`, `Vector.filled`."""
    for prefix in _PREFIXES:
        if qualified.startswith(prefix):
            return qualified.removeprefix(prefix)
    return qualified


#: MFMA shape (M = N, K) of each raw scaled builder, and how many results a lane holds.
RAW_SCALED = {
    "rocdl.mfma_scale_f32_16x16x128_f8f6f4": (16, 128),
    "rocdl.mfma_scale_f32_32x32x64_f8f6f4": (32, 64),
}

SCALED_ATOMS = ("rocdl.cdna4.MFMA_Scale", "rocdl.cdna4.MFMAScale")

#: Calls that run an MMA atom: `f(atom, d, a, b, c)`.
MMA_CALLS = ("gemm", "mma_atom_call")

LOG2_ROUNDERS = frozenset(
    f"{base}.{name}"
    for base in ("math", "torch")
    for name in ("log2", "floor", "ceil", "round", "roundeven", "trunc", "absf", "abs")
)

_TYPES = {
    "Int32": "i",
    "Uint32": "u",
    "Int64": "i",
    "Int8": "b8",
    "Uint8": "b8",
    "Float32": "f",
    "torch.int32": "i",
    "torch.uint32": "u",
    "torch.int64": "i",
    "torch.uint8": "b8",
    "torch.int8": "b8",
    "torch.float32": "f",
    "torch.float8_e8m0fnu": "e",
}


def number_type(name: str) -> str:
    """Kind of a number type by its short name: "i", "u", "b8", "f", "e" (E8M0), or "" for anything else."""
    return _TYPES.get(name, "")


def is_fp8(name: str) -> bool:
    """Whether a short name is an fp8 e4m3 element type."""
    return name in ("Float8E4M3FN", "Float8E4M3FNUZ")
