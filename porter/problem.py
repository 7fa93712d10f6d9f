# SPDX-License-Identifier: Apache-2.0
"""The problem: which GEMM, in which family of layouts, on which chip. Pure data, no decisions."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from porter.errors import InputError
from porter.runtime._serving import XCDS

#: Work-items of a wave, on both chips (docs/notes/hardware.md#sizes).
WAVE_SIZE = 64


class Family(str, Enum):
    """Which of aiter's two entry points the tensors belong to; it fixes the layouts of B and x_scale.

    plain: WQ is row-major [N, K]; x_scale is row-major [M, K/128].
    bpreshuffle: WQ is `shuffle_weight(WQ, (16, 16))`; x_scale is K-major memory, [K/128, M].
    """

    PLAIN = "plain"
    BPRESHUFFLE = "bpreshuffle"


@dataclass(frozen=True, slots=True, order=True)
class GemmShape:
    """C[m, n] = A[m, k] @ B[n, k]^T; all sizes in elements."""

    m: int
    n: int
    k: int

    def __str__(self) -> str:
        return f"{self.m}x{self.n}x{self.k}"

    def tiles(self, tile_m: int, tile_n: int) -> int:
        """Tiles of C that cover it, the partial ones at its edges included."""
        return -(-self.m // tile_m) * -(-self.n // tile_n)


@dataclass(frozen=True, slots=True)
class ShapePattern:
    """A shape as a command line spells it, `MxNxK` with `-` for any: `-x2048x7168` is one B under every M.

    N and K stand together, because a kernel is compiled for both.
    """

    m: int | None
    nk: tuple[int, int] | None

    @classmethod
    def parse(cls, text: str) -> ShapePattern:
        """`200x32x1024`, `200x-x-` or `-x32x1024`. Raises InputError CKV004."""
        found = re.fullmatch(r"(-|[1-9]\d*)x(?:(-)x-|([1-9]\d*)x([1-9]\d*))", text.lower())
        if not found:
            hint = "sizes are positive; - stands for any, of N and K together: 200x2048x7168, -x2048x7168, 200x-x-"
            raise InputError("CKV004", f"{text!r} where a shape MxNxK was expected", hint=hint)
        m, any_nk, n, k = found.groups()
        return cls(None if m == "-" else int(m), None if any_nk else (int(n), int(k)))

    @property
    def shape(self) -> GemmShape:
        """The shape, where nothing is left open."""
        assert self.m is not None and self.nk is not None
        return GemmShape(self.m, *self.nk)


@dataclass(frozen=True, slots=True)
class Target:
    """A chip, as far as legality and selection need it.

    cus: compute units; xcds: dies with an L2 each; lds_bytes: per workgroup and per CU; fp8: torch dtype suffix of the
    operands (`e4m3fn` is OCP, `e4m3fnuz` is FNUZ); the arch decides it, never a symbol name.
    """

    arch: str
    cus: int
    xcds: int
    lds_bytes: int
    fp8: str


#: Sources: docs/notes/hardware.md#sizes; docs/notes/ck.md#fp8-and-mfma-arithmetic.
TARGETS: dict[str, Target] = {
    "gfx950": Target("gfx950", cus=256, xcds=XCDS["gfx950"], lds_bytes=163840, fp8="e4m3fn"),
    "gfx942": Target("gfx942", cus=304, xcds=XCDS["gfx942"], lds_bytes=65536, fp8="e4m3fnuz"),
}

#: Chip of a row of aiter that names only its compute units, as aiter's own `chip_info` tells chips apart: MI300X and
#: MI325X have 304, MI308X has 80, MI355X has 256. gfx1250 has 256 too, but its rows name it.
ARCH_OF_CUS = {80: "gfx942", 304: "gfx942", 256: "gfx950"}
