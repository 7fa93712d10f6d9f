# SPDX-License-Identifier: Apache-2.0
"""Names of aiter's 4- and 8-wave FlyDSL block-scale tune space for CDNA, which write the dtypes out.

sbk: elements of K per scale; w: waves; ac: A goes to LDS by DMA; cs: the epilogue goes through LDS. Older names leave
w, ac and cs out.
"""

from porter.ck_parser.names.grammar import POSITIVE, Grammar, numbers, opaque
from porter.problem import Family

GRAMMAR = Grammar(
    text="flydsl_blockscale_bpreshuffle_{tile MxNxK}_F8_F8_{B16|F16}_sbk{n}_{scheduler}[_w{n}][_ac{b}][_cs{b}]",
    start="flydsl_blockscale_bpreshuffle_[0-9x]*_F8_",
    steps=(
        ("the prefix flydsl_blockscale_bpreshuffle", "flydsl_blockscale_bpreshuffle_"),
        ("the tile MxNxK", numbers("tile", 3)),
        ("the dtypes F8_F8_B16 or F8_F8_F16", "(?P<dtypes>F8_F8_(?:B16|F16))_"),
        ("sbk and a number", f"sbk(?P<scale_block_k>{POSITIVE})_"),
        ("the scheduler", r"(?P<scheduler>[a-z]+)(?=_|\Z)"),
        (
            "w and a number, ac and a flag, cs and a flag, or the end",
            r"(?:_w(?P<waves>[1-9]))?(?:_ac(?P<async_copy>[01]))?(?:_cs(?P<cshuffle>[01]))?\Z",
        ),
    ),
    build=opaque("flydsl", Family.BPRESHUFFLE),
)
