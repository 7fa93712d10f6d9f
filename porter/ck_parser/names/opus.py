# SPDX-License-Identifier: Apache-2.0
"""Names of aiter's opus kernels of this family."""

from porter.ck_parser.names.grammar import Grammar, numbers, opaque
from porter.problem import Family

GRAMMAR = Grammar(
    text="opus_gemm_{arch}_a8w8_bs_bpreshuf_{tags}_{threads}x{tile MxNxK}_{waves MxN}_{MFMA MxNxK}_{ScaleBlock MxNxK}",
    start="opus_gemm_",
    steps=(
        ("the prefix opus_gemm", "opus_gemm_"),
        ("the arch", "(?P<arch>gfx[0-9a-f]+)_"),
        ("the family a8w8_bs_bpreshuf", "a8w8_bs_bpreshuf_"),
        ("variant tags", "(?P<variant>[a-z][a-z0-9]*(?:_[a-z][a-z0-9]*)*)_"),
        ("BLOCK_SIZE and the tile MxNxK", numbers("block", 4)),
        ("the waves MxN", numbers("waves", 2)),
        ("the MFMA shape MxNxK", numbers("mfma", 3)),
        ("the scale block MxNxK and the end", numbers("scale_block", 3, separator=r"\Z")),
    ),
    build=opaque("opus", Family.BPRESHUFFLE),
)
