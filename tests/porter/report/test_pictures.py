# SPDX-License-Identifier: Apache-2.0
"""The drawings: every row, every instruction and every wrong tile is in them, where it belongs."""

from __future__ import annotations

import re

import pytest

from porter.problem import GemmShape
from porter.report.hot_loop import KINDS
from porter.report.model import Instruction, Shape, TileMap
from porter.report.pictures import Layer, loop_strip, tile_layers
from porter.report.shape_map import HEIGHT, WIDTH, draw
from porter.runtime._regimes import Regime


def shape(m: int, n: int, k: int, regime: Regime = Regime.GENERAL) -> Shape:
    return Shape("gfx950", 256, GemmShape(m, n, k), regime.value, "instance", "rows.csv:2", (), False)


def cells(layers: tuple[Layer, ...]) -> dict[tuple[int, int], str]:
    """(x, y) -> kind, read back from the paths."""
    found: dict[tuple[int, int], str] = {}
    for layer in layers:
        runs = [tuple(map(int, run)) for run in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", layer.path)]
        places = [(x + step, y) for x, y, length in runs for step in range(length)]
        assert len(places) == layer.cells and not found.keys() & set(places)
        found |= dict.fromkeys(places, layer.kind)
    return found


def test_every_view_counts_every_row() -> None:
    shapes = [shape(m, n, k, r) for m in (1, 64, 5000) for n in (256, 7168) for k in (768, 7168) for r in Regime]
    drawn = draw([("a", shapes), ("b", shapes[: len(Regime)])])
    assert [(view.across, view.up) for view in drawn.views] == [("N", "M"), ("K", "M"), ("N", "K")]
    for view in drawn.views:
        assert sum(mark.rows for mark in view.marks) == len(shapes) + len(Regime)
        assert len({mark.path for mark in view.marks}) == len(view.marks)
    assert [row.regime for row in drawn.regimes] == [regime.value for regime in Regime]
    assert sum(row.rows for row in drawn.regimes) == len(shapes) + len(Regime)
    assert {row.kernels for row in drawn.regimes} == {2}
    assert {(row.m, row.n, row.k) for row in drawn.regimes} == {((1, 5000), (256, 7168), (768, 7168))}


def test_marks_stand_where_the_axes_say_and_grow_with_rows() -> None:
    one, many = shape(64, 1024, 512), [shape(4096, 8192, 2048)] * 100
    view, *_ = draw([("a", [one, *many])]).views
    large, small = view.marks
    assert (large.rows, small.rows) == (100, 1)
    x_of = {tick.text: tick.at for tick in view.across_ticks}
    y_of = {tick.text: tick.at for tick in view.up_ticks}

    def circle(path: str) -> tuple[float, float, float]:
        left, y, r = map(float, re.match(r"M([\d.]+) ([\d.]+)a([\d.]+)", path).groups())  # type: ignore[union-attr]
        return left + r, y, r

    assert circle(small.path)[:2] == pytest.approx((x_of["1K"], y_of["64"]), abs=0.2)
    assert circle(large.path)[:2] == pytest.approx((x_of["8K"], y_of["4K"]), abs=0.2)
    assert circle(large.path)[2] > 2 * circle(small.path)[2]
    assert y_of["4K"] < y_of["64"] and x_of["1K"] < x_of["8K"]
    assert "N 8192, M 4096, 100 rows" in large.title


@pytest.mark.parametrize("sizes", [(1, 1, 128), (131072, 65536, 18432), (3, 5, 7)])
def test_one_shape_alone_is_inside_the_drawing(sizes: tuple[int, int, int]) -> None:
    for view in draw([("a", [shape(*sizes)])]).views:
        assert len(view.marks) == 1 and len(view.across_ticks) >= 2 <= len(view.up_ticks)
        assert all(0 < tick.at < WIDTH for tick in view.across_ticks)
        assert all(0 < tick.at < HEIGHT for tick in view.up_ticks)


def test_no_shape_no_view() -> None:
    assert draw([("a", [])]) == draw([]) and not draw([]).views


def test_the_strip_has_every_instruction_in_its_place() -> None:
    kinds = ["mfma", "mfma", "valu", "wait", "mfma", "scalar", "scalar"]
    layers = loop_strip([Instruction("x", kind) for kind in kinds], KINDS)
    assert cells(layers) == {(at, 0): kind for at, kind in enumerate(kinds)}


def test_the_tile_map_has_every_tile_that_differs() -> None:
    rows = ("..1#", "9...", "#..5")
    drawn = cells(tile_layers(TileMap("run", 0, "caption", rows)))
    expected = {(x, y): cell for y, row in enumerate(rows) for x, cell in enumerate(row) if cell != "."}
    assert drawn == {place: {"#": "10"}.get(cell, cell) for place, cell in expected.items()}
