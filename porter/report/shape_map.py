# SPDX-License-Identifier: Apache-2.0
"""The map of shapes: three views of M x N x K on logarithmic axes, as geometry that a template draws.

Units are those of the drawing; y grows downwards. Shapes that fall on one spot of a view are one mark, whose area grows
with their number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from operator import attrgetter

from porter.problem import GemmShape
from porter.report.model import Shape
from porter.runtime._regimes import Regime

WIDTH, HEIGHT = 360, 330
#: From the edges to the frame, and from the frame to the outermost marks.
_LEFT, _RIGHT, _TOP, _BOTTOM, _INSET = 46, 8, 8, 40, 16
#: Half the width of the smallest and of the largest mark, and rows that at least make the largest.
_LEAST, _MOST, _LARGE = 2.5, 13.0, 40
#: M takes thousands of values: marks stand on halves of a power of two, at most 19 % off.
STEPS = 2
#: Powers of two between two ticks, so that their numbers do not touch.
_TICKS = 8
#: (across, up) of each view.
VIEWS = (("n", "m"), ("k", "m"), ("n", "k"))


@dataclass(frozen=True, slots=True)
class Tick:
    """A line of the grid. at: x or y of it; text: the number."""

    at: float
    text: str


@dataclass(frozen=True, slots=True)
class Mark:
    """Rows of one regime on one spot. path: SVG path data; title: what it says when pointed at."""

    regime: str
    path: str
    rows: int
    title: str


@dataclass(frozen=True, slots=True)
class View:
    """One projection. across, up: names of its axes; left, right, bottom, top: its frame."""

    across: str
    up: str
    left: float
    right: float
    bottom: float
    top: float
    across_ticks: tuple[Tick, ...]
    up_ticks: tuple[Tick, ...]
    marks: tuple[Mark, ...]


@dataclass(frozen=True, slots=True)
class RegimeRow:
    """A regime in numbers: the legend, and the map for whoever cannot see it. icon: path of its mark."""

    regime: str
    icon: str
    rows: int
    kernels: int
    m: tuple[int, int]
    n: tuple[int, int]
    k: tuple[int, int]


@dataclass(frozen=True, slots=True)
class ShapeMap:
    views: tuple[View, ...]
    regimes: tuple[RegimeRow, ...]


def draw(served: Iterable[tuple[str, Iterable[Shape]]]) -> ShapeMap:
    """The map of (kernel, its shapes). Without a shape it has no view and no regime."""
    pairs = [(name, shape) for name, shapes in served for shape in shapes]
    shapes = [shape for _, shape in pairs]
    rows = tuple(
        _regime_row(regime.value, members)
        for regime in Regime
        if (members := [pair for pair in pairs if pair[1].regime == regime.value])
    )
    return ShapeMap(tuple(_view(across, up, shapes) for across, up in VIEWS) if shapes else (), rows)


@dataclass(frozen=True, slots=True)
class _Axis:
    """Powers of two from `low` to `high`, spread from `start` to `end`."""

    low: int
    high: int
    start: float
    end: float

    def at(self, exponent: float) -> float:
        return round(self.start + (exponent - self.low) * (self.end - self.start) / (self.high - self.low), 1)

    def ticks(self) -> tuple[Tick, ...]:
        step = -(-(self.high - self.low) // _TICKS)
        return tuple(Tick(self.at(e), _short(1 << e)) for e in range(self.low, self.high + 1, step))


def _axis(values: Iterable[int], start: float, end: float) -> _Axis:
    exponents = [math.log2(value) for value in values]
    low = math.floor(min(exponents))
    return _Axis(low, max(math.ceil(max(exponents)), low + 1), start, end)


def _view(across: str, up: str, shapes: list[Shape]) -> View:
    of_x, of_y = attrgetter(across), attrgetter(up)
    x_axis = _axis((of_x(shape.size) for shape in shapes), _LEFT + _INSET, WIDTH - _RIGHT - _INSET)
    y_axis = _axis((of_y(shape.size) for shape in shapes), HEIGHT - _BOTTOM - _INSET, _TOP + _INSET)
    spots: dict[tuple[str, float, float], list[GemmShape]] = {}
    for shape in shapes:
        key = (shape.regime, _exponent(across, of_x(shape.size)), _exponent(up, of_y(shape.size)))
        spots.setdefault(key, []).append(shape.size)
    most = max(_LARGE, *map(len, spots.values()))
    marks = [
        Mark(
            regime=regime,
            path=_outline(regime, x_axis.at(x), y_axis.at(y), _LEAST + (_MOST - _LEAST) * math.sqrt(len(sizes) / most)),
            rows=len(sizes),
            title=f"{regime}: {across.upper()} {_span(map(of_x, sizes))}, {up.upper()} {_span(map(of_y, sizes))}, "
            f"{len(sizes)} row{'s' if len(sizes) > 1 else ''}",
        )
        for (regime, x, y), sizes in spots.items()
    ]
    # Large marks below small ones.
    marks.sort(key=lambda mark: (-mark.rows, mark.title))
    return View(
        across=across.upper(),
        up=up.upper(),
        left=_LEFT,
        right=WIDTH - _RIGHT,
        bottom=HEIGHT - _BOTTOM,
        top=_TOP,
        across_ticks=x_axis.ticks(),
        up_ticks=y_axis.ticks(),
        marks=tuple(marks),
    )


def _exponent(name: str, value: int) -> float:
    exponent = math.log2(value)
    return round(STEPS * exponent) / STEPS if name == "m" else exponent


def _outline(regime: str, x: float, y: float, r: float) -> str:
    """A closed shape of about the same area for every regime, so that they differ without colour too."""
    if regime == Regime.GENERAL.value:
        r = round(r, 1)
        return f"M{x - r:g} {y:g}a{r} {r} 0 1 0 {2 * r:g} 0a{r} {r} 0 1 0 {-2 * r:g} 0z"
    # Triangle, triangle upside down, diamond, square, and so on.
    pair, turned = divmod(list(Regime).index(Regime(regime)), 2)
    corners = 3 + pair
    out = r * math.sqrt(2 * math.pi / (corners * math.sin(2 * math.pi / corners)))
    angles = (math.pi * (2 * corner + turned) / corners for corner in range(corners))
    return "M" + "L".join(f"{x + out * math.sin(a):.1f} {y - out * math.cos(a):.1f}" for a in angles) + "z"


def _regime_row(regime: str, members: list[tuple[str, Shape]]) -> RegimeRow:
    sizes = [shape.size for _, shape in members]
    return RegimeRow(
        regime=regime,
        icon=_outline(regime, 8, 8, 5),
        rows=len(members),
        kernels=len({name for name, _ in members}),
        m=(min(size.m for size in sizes), max(size.m for size in sizes)),
        n=(min(size.n for size in sizes), max(size.n for size in sizes)),
        k=(min(size.k for size in sizes), max(size.k for size in sizes)),
    )


def _span(values: Iterable[int]) -> str:
    listed = list(values)
    low, high = min(listed), max(listed)
    return str(low) if low == high else f"{low} to {high}"


def _short(value: int) -> str:
    return f"{value // 1024}K" if value >= 1024 else str(value)
