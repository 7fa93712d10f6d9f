# SPDX-License-Identifier: Apache-2.0
"""Which class of shape a GEMM is: one table of rules, decided by (M, N, K), the target and the family alone.

The first rule whose pieces all hold names the regime. A piece marked `ours` carries a number that nobody published: it
was placed between the shapes that were tuned by the argument in its `source`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Literal

from porter.problem import SCALE_BLOCK, Family, GemmShape, Target


class Regime(str, Enum):
    """What limits the shape.

    wide_n: locality, each die's L2 holds too little of B; k_light: the K loop is short and the grid is full;
    narrow_n_deep_k: a long K loop over a small C, so issue slots and LDS; decode: reading B once; general: the rest.
    """

    WIDE_N = "wide_n"
    K_LIGHT = "k_light"
    NARROW_N_DEEP_K = "narrow_n_deep_k"
    DECODE = "decode"
    GENERAL = "general"


MIB = 1 << 20

#: Bytes of L2 of one die; docs/notes/hardware.md#sizes, the same on gfx942 and gfx950.
L2_BYTES = 4 * MIB
#: Bytes of the last-level cache in front of HBM; docs/notes/hardware.md#sizes, the same on gfx942 and gfx950.
MALL_BYTES = 256 * MIB
#: Rows and columns of C per workgroup in the tuned kernels; docs/notes/tuning.md#tuned-shapes.
FOUR_WAVE_TILE, EIGHT_WAVE_TILE = (64, 256), (128, 256)
#: Workgroups that a CU holds at once in the 4-wave core; docs/notes/flydsl.md#registers-and-spills.
FOUR_WAVE_RESIDENT = 2

#: Rows of A up to which a shape counts as decode: one 64-row tile.
DECODE_MAX_M = 64
#: Columns from which N counts as wide, and up to which as narrow; docs/notes/tuning.md#decision-guide.
WIDE_MIN_N, NARROW_MAX_N = 4096, 2048
#: K tiles of 128 up to which a shape is light in K, and from which it is deep. Outside the loop a workgroup spends
#: about 3 tiles of time in either core: C leaves at 64 B/clk a CU, 32 KiB in 512 clk (64 KiB in 1024), and that is one
#: tile's MFMA time at 8192 FLOP/clk; the first loads take about 800 clk, and LDS has to fill
#: (docs/notes/hardware.md#outside-the-loop).
LIGHT_MAX_K_TILES, DEEP_MIN_K_TILES = 8, 32
#: Times that the 4-wave core fills the chip before a grid counts as saturated.
SATURATED_PASSES = 4


@dataclass(frozen=True, slots=True)
class Situation:
    """All that a rule may look at, and the quantities that rules compare. Sizes in elements, bytes in bytes."""

    shape: GemmShape
    target: Target
    family: Family

    @property
    def k_tiles(self) -> int:
        return -(-self.shape.k // SCALE_BLOCK)

    @property
    def b_bytes_per_die(self) -> int:
        """The part of B that one die works on when tiles are dealt to the dies in turn; fp8 is 1 byte."""
        return self.shape.n * self.shape.k // self.target.xcds

    @property
    def c_bytes(self) -> int:
        """Result size; both output types are 2 bytes."""
        return 2 * self.shape.m * self.shape.n

    @property
    def four_wave_slots(self) -> int:
        """Workgroups of the 4-wave core that the whole chip holds at once."""
        return FOUR_WAVE_RESIDENT * self.target.cus

    def workgroups(self, tile: tuple[int, int]) -> int:
        """Workgroups of a core with this tile."""
        return self.shape.tiles(*tile)


@dataclass(frozen=True, slots=True)
class Piece:
    """One comparison of a rule.

    what: the quantity, as it is printed; measure and limit: its two sides; unit: `MiB` for bytes, empty for counts;
    source: of the limit; ours: the limit is our extrapolation.
    """

    what: str
    measure: Callable[[Situation], int]
    relation: Literal["<=", ">=", ">"]
    limit: Callable[[Situation], int]
    source: str
    unit: Literal["", "MiB"] = ""
    ours: bool = False

    def holds(self, situation: Situation) -> bool:
        value, limit = self.measure(situation), self.limit(situation)
        if self.relation == "<=":
            return value <= limit
        return value >= limit if self.relation == ">=" else value > limit

    def sentence(self, situation: Situation) -> str:
        """`N 65536 >= 4096: yes`."""
        value, limit = (self._text(side(situation)) for side in (self.measure, self.limit))
        return f"{self.what} {value} {self.relation} {limit}: {'yes' if self.holds(situation) else 'no'}"

    def _text(self, value: int) -> str:
        return f"{value / MIB:.4g} MiB" if self.unit == "MiB" else str(value)


@dataclass(frozen=True, slots=True)
class Rule:
    """A regime and when it applies: all pieces together. No piece: always."""

    regime: Regime
    pieces: tuple[Piece, ...]
    reason: str
    source: str

    @property
    def extrapolated(self) -> bool:
        """Some limit of the rule is ours, not published."""
        return any(piece.ours for piece in self.pieces)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one rule says of one shape."""

    rule: Rule
    holds: bool
    situation: Situation

    @property
    def text(self) -> str:
        """Every comparison of the rule with its numbers."""
        sentences = [piece.sentence(self.situation) for piece in self.rule.pieces]
        return "; ".join(sentences) or "applies where no rule above holds"

    def to_json(self) -> dict[str, object]:
        return {
            "rule": self.rule.regime.value,
            "holds": self.holds,
            "text": self.text,
            "reason": self.rule.reason,
            "sources": [self.rule.source, *(piece.source for piece in self.rule.pieces)],
            "extrapolated": self.rule.extrapolated,
        }


@dataclass(frozen=True, slots=True)
class RegimeDecision:
    """The regime of a shape, and the verdict of every rule in the order of the table."""

    regime: Regime
    verdicts: tuple[Verdict, ...]


RULES: tuple[Rule, ...] = (
    Rule(
        Regime.DECODE,
        (
            Piece(
                "M",
                lambda s: s.shape.m,
                "<=",
                lambda s: DECODE_MAX_M,
                "one 64-row tile of the tuned 4-wave kernels",
            ),
        ),
        reason="one row of tiles reads B once: bandwidth and the number of workgroups decide, not MFMA rate",
        source="definition",
    ),
    Rule(
        Regime.WIDE_N,
        (
            Piece("N", lambda s: s.shape.n, ">=", lambda s: WIDE_MIN_N, "GEAK#386: N of about 4096 or more"),
            Piece(
                "B per die",
                lambda s: s.b_bytes_per_die,
                ">",
                lambda s: L2_BYTES // 2,
                "half of a die's 4 MiB L2; the other half is taken to serve A, the scales and the stores of C",
                unit="MiB",
                ours=True,
            ),
            Piece(
                "64x256 tiles",
                lambda s: s.workgroups(FOUR_WAVE_TILE),
                ">",
                lambda s: s.four_wave_slots,
                "two resident workgroups on every CU: only a second pass can miss what the first one loaded",
                ours=True,
            ),
        ),
        reason="B does not stay in the L2 of a die from one row of tiles to the next: raster order decides",
        source="GEAK#386, 4096x65536x1536 on MI355X: XCD swizzle lifts L2 hits from 74.8 to 83.0 %",
    ),
    Rule(
        Regime.K_LIGHT,
        (
            Piece(
                "K tiles",
                lambda s: s.k_tiles,
                "<=",
                lambda s: LIGHT_MAX_K_TILES,
                "tuned at 6 tiles; up to 8 the fill and the C write (about 3 tiles of time) are over a quarter of a "
                "workgroup",
                ours=True,
            ),
            Piece(
                "64x256 tiles",
                lambda s: s.workgroups(FOUR_WAVE_TILE),
                ">=",
                lambda s: SATURATED_PASSES * s.four_wave_slots,
                "four passes over two resident workgroups on every CU; tuned at 7168 tiles, 14 passes",
                ours=True,
            ),
        ),
        reason="many tiles and few K steps: other workgroups hide a tile's fill and write, so two must fit a CU",
        source="docs/notes/tuning.md#tuned-shapes: 16384x7168x768 on MI355X",
    ),
    Rule(
        Regime.NARROW_N_DEEP_K,
        (
            Piece(
                "N",
                lambda s: s.shape.n,
                "<=",
                lambda s: NARROW_MAX_N,
                "GEAK#386: N of about 2048 or less",
            ),
            Piece(
                "K tiles",
                lambda s: s.k_tiles,
                ">=",
                lambda s: DEEP_MIN_K_TILES,
                "tuned at 56 tiles; from 32 on the fill and the C write (about 3 tiles of time, one workgroup on a CU) "
                "are under a tenth",
                ours=True,
            ),
            Piece(
                "C",
                lambda s: s.c_bytes,
                "<=",
                lambda s: MALL_BYTES // 4,
                "a quarter of the 256 MiB last-level cache; tuned at 16 MiB, 48 MiB by class",
                unit="MiB",
                ours=True,
            ),
            Piece(
                "128x256 tiles",
                lambda s: s.workgroups(EIGHT_WAVE_TILE),
                ">=",
                lambda s: s.target.cus,
                "one workgroup for every CU; with half as many tiles the tuned kernel was 14 times slower",
            ),
        ),
        reason="a long K loop on a grid that fits the chip once: the promotes must leave the barrier path",
        source="GEAK#386, 4096x2048x7168 on MI355X; 16384x1536x7168 by class",
    ),
    Rule(
        Regime.GENERAL,
        (),
        reason="no tuned shape is near; the 4-wave geometry won on two of the three that were tuned",
        source="docs/notes/tuning.md#tuned-shapes; CK's own winner on five shapes has the same 64x256x128 tile",
    ),
)


def classify(shape: GemmShape, target: Target, family: Family) -> RegimeDecision:
    """The regime of a shape with positive sizes, with the verdict of every rule."""
    situation = Situation(shape, target, family)
    verdicts = tuple(Verdict(rule, all(piece.holds(situation) for piece in rule.pieces), situation) for rule in RULES)
    regime = next(verdict.rule.regime for verdict in verdicts if verdict.holds)
    return RegimeDecision(regime, verdicts)
