# SPDX-License-Identifier: Apache-2.0
"""Small pictures of a kernel as SVG path data: its loop instruction by instruction, and where its results differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby

from porter.report.model import Instruction, TileMap


@dataclass(frozen=True, slots=True)
class Layer:
    """All cells of one kind. path: a unit square a cell; cells: how many."""

    kind: str
    path: str
    cells: int


def loop_strip(code: Iterable[Instruction], kinds: Iterable[str]) -> tuple[Layer, ...]:
    """The instructions from left to right in one row, a layer for each kind that is there, in the order of `kinds`."""
    row = [instruction.kind for instruction in code]
    return tuple(_layer(kind, [row]) for kind in kinds if kind in row)


def tile_layers(tiles: TileMap) -> tuple[Layer, ...]:
    """The tiles that differ, a layer for each degree `1` to `9` and `10`, all or nearly all."""
    rows = [["10" if cell == "#" else cell for cell in row] for row in tiles.rows]
    there = {cell for row in rows for cell in row} - {"."}
    return tuple(_layer(degree, rows) for degree in sorted(there, key=int))


def _layer(kind: str, rows: list[list[str]]) -> Layer:
    runs = [(x, y, length) for y, row in enumerate(rows) for x, length in _runs(row, kind)]
    path = "".join(f"M{x} {y}h{length}v1h-{length}z" for x, y, length in runs)
    return Layer(kind, path, sum(length for _, _, length in runs))


def _runs(row: list[str], kind: str) -> Iterator[tuple[int, int]]:
    """Start and length of every run of a kind."""
    at = 0
    for cell, members in groupby(row):
        length = len(list(members))
        if cell == kind:
            yield at, length
        at += length
