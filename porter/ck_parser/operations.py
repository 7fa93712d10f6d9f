# SPDX-License-Identifier: Apache-2.0
"""Other operations of aiter: how their tables differ from those of the a8w8 block-scale GEMM.

A table is told by its columns, else a row by its kernelName, else the file by its name. A file whose name tells a
family of this GEMM is never another operation's by its name alone.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import lru_cache
from pathlib import PurePath

from porter.problem import Family

#: Columns of a tuned table beside the shape, and of instance lists, which are no tables of shapes.
TUNED_COLUMNS = frozenset({"kernelName", "kernelId", "libtype", "splitK", "us"})
INSTANCE_COLUMNS = frozenset({"BLOCK_SIZE", "M_Tile"})
SHAPE_COLUMNS = frozenset({"M", "N", "K"})

#: aiter names files after operators: a4w4_blockscale and a8w8_bpreshuffle (row-wise scales) are not this one.
_OTHER_OPERATOR = re.compile("a[0-9]+w[0-9]+_(?!blockscale)|(?!a8w8)a[0-9]+w[0-9]+")
_MANGLED = r"(?:_zn5aiter[0-9]+)?"


@dataclass(frozen=True, slots=True)
class Operation:
    """name: as reports show it; columns: sets of which a header has one whole; kernel, file: in names, lower case."""

    name: str
    columns: tuple[frozenset[str], ...]
    kernel: re.Pattern[str]
    file: re.Pattern[str]


def _operation(name: str, columns: tuple[str, ...], kernel: str, file: str) -> Operation:
    return Operation(name, tuple(frozenset(text.split()) for text in columns), re.compile(kernel), re.compile(file))


#: The first that fits counts, so the narrower stand in front.
OPERATIONS = (
    _operation("fused MoE", ("token expert", "token model_dim", "model_dim inter_dim"), "moe", "moe"),
    _operation("batched GEMM", ("B M N K", "b m n k"), "batched|bmm", "batched|bmm"),
    _operation("grouped GEMM", ("G M N K", "num_groups M N K"), "grouped", "grouped"),
    _operation("convolution", ("kH kW",), "conv[123]d", "conv[123]d"),
    _operation("fp4 or fp6 GEMM", (), f"^{_MANGLED}f[46]gemm|a4w|w4_|a6w|w6_", "a4w|a[0-9]+w4|a6w|a[0-9]+w6"),
    _operation("mxfp8 GEMM", (), "mxfp8(?!_128)", "mxfp8(?!_128)"),
    _operation("a16w8 GEMM", (), "a16w8", "a16w8"),
    _operation(
        "16-bit GEMM", ("scaleAB",), f"^{_MANGLED}(?:bf16|f16|fp16)_?gemm|^(?:bf16|fp16)_|a16w16", "bf16_|_bf16|a16w16"
    ),
    _operation(
        "a8w8 GEMM without scale blocks",
        (),
        rf"^{_MANGLED}(?:i8|f8|fp8)gemm_(?!.*blockscale)|a8w8_(?:rowwise|bpreshuffle|per_?token)_",
        "a8w8_(?:(?:un)?tuned|bpreshuffle|gemm)",
    ),
)


def file_name_family(path: str) -> Family | None:
    """The family that a file's name tells; None where it tells none, or another operator."""
    return _file_name_family(PurePath(path).name.lower())


def of_columns(columns: Collection[str]) -> str:
    """The other operation whose table has these columns; empty where they do not tell."""
    present = frozenset(columns)
    return next((op.name for op in OPERATIONS if any(needed <= present for needed in op.columns)), "")


@lru_cache(maxsize=4096)
def of_kernel_name(name: str) -> str:
    """The other operation whose kernel has this name; empty where it does not tell."""
    lower = name.lower()
    return next((op.name for op in OPERATIONS if op.kernel.search(lower)), "")


def of_file_name(path: str) -> str:
    """The other operation that a file is named after; empty where its name does not tell, or tells a family."""
    return _of_file_name(PurePath(path).name.lower())


def of_table(path: str, columns: Collection[str]) -> str:
    """The other operation of a whole table: by its columns, or by its file's name where no row can say otherwise."""
    if told := of_columns(columns):
        return told
    present = frozenset(columns)
    rows_tell = {"kernelName", *SHAPE_COLUMNS} <= present or "layout" in present
    if rows_tell or present & INSTANCE_COLUMNS or not present & (TUNED_COLUMNS | SHAPE_COLUMNS):
        return ""
    return of_file_name(path)


@lru_cache(maxsize=256)
def _file_name_family(file_name: str) -> Family | None:
    if _OTHER_OPERATOR.search(file_name):
        return None
    if "bpreshuf" in file_name:
        return Family.BPRESHUFFLE
    return Family.PLAIN if "blockscale" in file_name else None


@lru_cache(maxsize=256)
def _of_file_name(file_name: str) -> str:
    if _file_name_family(file_name):
        return ""
    return next((op.name for op in OPERATIONS if op.file.search(file_name)), "")
