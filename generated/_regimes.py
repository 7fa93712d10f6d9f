# SPDX-License-Identifier: Apache-2.0
"""Which class of shape a GEMM is, and which kernels such a shape should get: what porter and its dispatch go by.

One table of rules, decided by (M, N, K) and the chip alone: the first whose pieces all hold names the regime. A piece
marked `ours` carries a number that nobody published: it was placed between the shapes that were tuned by the argument
in its `source`. Standard library only; `porter convert` copies this file as it is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import Literal, NamedTuple

from ._serving import SCALE_BLOCK


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


class Situation(NamedTuple):
    """All that a rule may look at, and the quantities that rules compare. Sizes in elements, bytes in bytes.

    cus: compute units; xcds: dies with an L2 each.
    """

    m: int
    n: int
    k: int
    cus: int
    xcds: int

    @property
    def k_tiles(self) -> int:
        return -(-self.k // SCALE_BLOCK)

    @property
    def b_bytes_per_die(self) -> int:
        """The part of B that one die works on when tiles are dealt to the dies in turn; fp8 is 1 byte."""
        return self.n * self.k // self.xcds

    @property
    def c_bytes(self) -> int:
        """Result size; both output types are 2 bytes."""
        return 2 * self.m * self.n

    @property
    def four_wave_slots(self) -> int:
        """Workgroups of the 4-wave core that the whole chip holds at once."""
        return FOUR_WAVE_RESIDENT * self.cus

    def workgroups(self, tile: tuple[int, int]) -> int:
        """Workgroups of a core with this tile: tiles of C that cover it, the partial ones at its edges included."""
        return -(-self.m // tile[0]) * -(-self.n // tile[1])


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class RegimeRule:
    """A regime and when it applies: all pieces together. No piece: always."""

    regime: Regime
    pieces: tuple[Piece, ...]
    reason: str
    source: str

    def holds(self, situation: Situation) -> bool:
        return all(piece.holds(situation) for piece in self.pieces)

    @property
    def extrapolated(self) -> bool:
        """Some limit of the rule is ours, not published."""
        return any(piece.ours for piece in self.pieces)


RULES: tuple[RegimeRule, ...] = (
    RegimeRule(
        Regime.DECODE,
        (
            Piece(
                "M",
                lambda s: s.m,
                "<=",
                lambda s: DECODE_MAX_M,
                "one 64-row tile of the tuned 4-wave kernels",
            ),
        ),
        reason="one row of tiles reads B once: bandwidth and the number of workgroups decide, not MFMA rate",
        source="definition",
    ),
    RegimeRule(
        Regime.WIDE_N,
        (
            Piece("N", lambda s: s.n, ">=", lambda s: WIDE_MIN_N, "GEAK#386: N of about 4096 or more"),
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
    RegimeRule(
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
    RegimeRule(
        Regime.NARROW_N_DEEP_K,
        (
            Piece(
                "N",
                lambda s: s.n,
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
                lambda s: s.cus,
                "one workgroup for every CU; with half as many tiles the tuned kernel was 14 times slower",
            ),
        ),
        reason="a long K loop on a grid that fits the chip once: the promotes must leave the barrier path",
        source="GEAK#386, 4096x2048x7168 on MI355X; 16384x1536x7168 by class",
    ),
    RegimeRule(
        Regime.GENERAL,
        (),
        reason="no tuned shape is near; the 4-wave geometry won on two of the three that were tuned",
        source="docs/notes/tuning.md#tuned-shapes; CK's own winner on five shapes has the same 64x256x128 tile",
    ),
)


def holding(situation: Situation) -> RegimeRule:
    """The rule that names the regime: the first whose pieces all hold."""
    return next(rule for rule in RULES if rule.holds(situation))


@dataclass(frozen=True)
class Plan:
    """A candidate before the shape's family, chip and types are known.

    core, schedule: tokens of the kernel's name; tile_m: None is the smallest of DECODE_TILES that holds all rows;
    remap: raster over all dies of the chip.
    """

    core: str
    tile_m: int | None
    tile_n: int
    why: str
    schedule: str = "cluster"
    remap: bool = False


_FOUR, _EIGHT, _DECODE = "4w", "8w", "dec"

# The fenced `cluster` order is first for the 4-wave core: two K blocks take 186 instructions and 2 nop wait states,
# where `inline` takes 256 and 131 (docs/notes/flydsl.md#registers-and-spills; compiled, not timed).
_INLINE = "promotes beside their MFMAs: more instructions and waits; which wins was never timed"

PLANS: dict[Regime, tuple[Plan, ...]] = {
    Regime.WIDE_N: (
        Plan(_FOUR, 64, 256, "tuned on 4096x65536x1536: about 1.23 times faster than without the remap", remap=True),
        Plan(_FOUR, 64, 256, "the remap off: on 4096x65536x1536 it lost to CK (0.96 to 0.97)"),
        Plan(_FOUR, 128, 128, "aiter's branch ganyi found 128x128 with a swizzle best at N = 12288", remap=True),
        Plan(_FOUR, 64, 256, _INLINE, "inline", remap=True),
    ),
    Regime.K_LIGHT: (
        Plan(_FOUR, 64, 256, "tuned on 16384x7168x768: about 129 us, 8-wave 147 us; the remap is not load-bearing"),
        Plan(_FOUR, 64, 256, "GEAK quotes its best time on 16384x7168x768 with the remap on", remap=True),
        Plan(_FOUR, 64, 256, _INLINE, "inline"),
        Plan(_FOUR, 64, 128, "CK's own best tile on 16384x7168x768"),
    ),
    Regime.NARROW_N_DEEP_K: (
        Plan(_EIGHT, 128, 256, "tuned on 4096x2048x7168: 1.05 to 1.10 times CK, no promote between barriers"),
        Plan(_EIGHT, 128, 256, "promotes one quadrant late, under the next MFMAs; never timed", "skew"),
        Plan(_EIGHT, 256, 128, "the same loop turned by a quarter, for N that 256 does not divide; never timed"),
        Plan(_FOUR, 64, 256, "19 % slower on 4096x2048x7168, but aiter's branch ganyi and CK both chose this tile"),
        Plan(_FOUR, 64, 256, _INLINE, "inline"),
        Plan(_FOUR, 64, 128, "twice the workgroups, for grids that leave CUs idle; never timed"),
    ),
    Regime.DECODE: (
        Plan(_DECODE, None, 128, "the smallest M tile that holds the rows; not timed"),
        Plan(_DECODE, None, 64, "twice the workgroups, for small N; not timed"),
        Plan(_FOUR, 64, 256, "the tuned 4-wave geometry; rows past M are computed and dropped"),
        Plan(_FOUR, 32, 128, "half the rows and twice the workgroups of 64x256; not timed"),
        Plan(_FOUR, 16, 128, "a decode tile with one LDS copy of A for four waves; not timed"),
        Plan(_FOUR, 32, 64, "four times the workgroups, for small N; not timed"),
    ),
    Regime.GENERAL: (
        Plan(_FOUR, 64, 256, "won on two of the three tuned shapes; CK's own best tile on five shapes of MI355X"),
        Plan(_FOUR, 64, 256, "the remap on, if L2 misses turn out to matter", remap=True),
        Plan(_FOUR, 128, 128, "aiter's branch ganyi found it best at 8192x8192x8192", remap=True),
        Plan(_FOUR, 64, 128, "twice the workgroups, for grids that leave CUs idle; never timed"),
        Plan(_FOUR, 64, 256, _INLINE, "inline"),
    ),
}

#: Columns up to which no tile of WIDE_TILE_N is a first choice, as three quarters of its MFMAs would be for columns
#: that do not exist, and no remap, which has one column of tiles to move. Both stay legal.
SMALL_MAX_N, WIDE_TILE_N = 64, 256

#: M tiles of the decode core.
DECODE_TILES = (16, 32, 64)
#: K slices that the split-K rule chooses from.
SPLITS = (8, 4, 2, 1)
#: Scale blocks that every slice must keep, and workgroups on a CU up to which K is split. The form of the rule (largest
#: split with enough k-work each, under a cap on workgroups) was fitted on another part, RDNA4
#: (docs/notes/tuning.md#split-k); these two constants are not fitted for CDNA.
MIN_BLOCKS_PER_SLICE = 4
MAX_SPLIT_WORKGROUPS_PER_CU = 2


def decode_tile(m: int) -> int:
    """Rows of the smallest decode tile that holds all rows, or of the largest."""
    return next((rows for rows in DECODE_TILES if m <= rows), DECODE_TILES[-1])


def plans(regime: Regime, n: int) -> tuple[Plan, ...]:
    """The plans of a regime in the order of preference for N columns."""
    if n > SMALL_MAX_N:
        return PLANS[regime]
    return tuple(sorted(PLANS[regime], key=lambda plan: (plan.tile_n >= WIDE_TILE_N, plan.remap)))


def split_k(situation: Situation, tile: tuple[int, int]) -> int:
    """K slices for a decode kernel when nobody tuned them: see MIN_BLOCKS_PER_SLICE."""
    blocks, workgroups = situation.k // SCALE_BLOCK, situation.workgroups(tile)
    cap = MAX_SPLIT_WORKGROUPS_PER_CU * situation.cus
    return next((s for s in SPLITS if blocks >= s * MIN_BLOCKS_PER_SLICE and workgroups * s <= cap), 1)
