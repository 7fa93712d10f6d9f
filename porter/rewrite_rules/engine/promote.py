# SPDX-License-Identifier: Apache-2.0
"""The text of a software promote: contract `ck`, acc = fma(a_scale * b_scale, partial, acc) in fp32."""

from __future__ import annotations

#: Results that a lane holds, by rows of the MFMA.
RESULTS = {16: 4, 32: 16}

_ROW_SCALES = {
    16: '''\
def scales_of_results_16(scale):
    """fp32 scale of operand row lane % 16 -> the scales of the four rows whose results the lane holds."""
    first = fx.thread_idx.x % 64 // 16 * 4
    return fx.Vector.from_elements([fx.gpu.shuffle_idx(scale, first + i, 64) for i in range(4)], fx.Float32)
''',
    32: '''\
def scales_of_results_32(scale):
    """fp32 scale of operand row lane % 32 -> the scales of the sixteen rows whose results the lane holds."""
    first = fx.thread_idx.x % 64 // 32 * 4
    rows = [8 * block + i for block in range(4) for i in range(4)]
    return fx.Vector.from_elements([fx.gpu.shuffle_idx(scale, first + row, 64) for row in rows], fx.Float32)
''',
}

_PARTIAL_GEMM = '''\
def partial_gemm(mma, a, b):
    """a x b for one scale block, from a zero C."""
    partial = fx.make_rmem_tensor(4, fx.Float32)
    partial.store(fx.Vector.filled(4, 0.0, fx.Float32))
    fx.gemm(mma, partial, a, b, partial)
    return partial.load()
'''


def row_scales(fx: str, rows: int) -> tuple[str, str]:
    """Name and text of the helper that hands each lane the scales of its results' rows.

    fx: the file's name for flydsl.expr, here and below.
    """
    return f"scales_of_results_{rows}", _ROW_SCALES[rows].replace("fx.", f"{fx}.")


def partial_gemm(fx: str) -> tuple[str, str]:
    """Name and text of the helper that multiplies one scale block by an atom, from zero."""
    return "partial_gemm", _PARTIAL_GEMM.replace("fx.", f"{fx}.")


def zero(fx: str, rows: int) -> str:
    """A zero C operand."""
    return f"{fx}.Vector.filled({RESULTS[rows]}, 0.0, {fx}.Float32)"


def filled(fx: str, rows: int, scale: str) -> str:
    """One scale for all results of a lane."""
    return f"{fx}.Vector.filled({RESULTS[rows]}, {scale}, {fx}.Float32)"
