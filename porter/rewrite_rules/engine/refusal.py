# SPDX-License-Identifier: Apache-2.0
"""Why a rewrite stops: one code per reason, with the way out."""

from __future__ import annotations

import libcst as cst

#: Code -> what would let the rewrite through. The place and the sentence are said where the code is raised.
HINTS = {
    "CKR201": "set both scales, or neither; an operand without a scale is multiplied by 2^-127",
    "CKR202": "pass the fp32 scale through one visible encoder (exponent bits, log2, float8_e8m0fnu) in these files",
    "CKR203": "give one fp32 scale per row and 128 of K, addressed through lane % 16 alone (lane % 32 for 32x32x64); "
    "fp32 scales of 1x32 blocks need a kernel of 16x16x32 MFMAs",
    "CKR204": "compute what else needs the exponent from a copy of the fp32 scale",
    "CKR205": "scale with 1.0 (E8M0 code 127) on both sides or with fp32 scales on both",
    "CKR206": "call the atom on rank-1 register fragments: 8 dwords of each operand, 4 results",
    "CKR207": "write the two MFMAs of a 128-wide block next to each other, the second taking the first as its C",
    "CKR208": "bind the fp32 scale to a name of its own, next to its encoder, that is assigned once",
    "CKR209": "write the operands as one literal list of nine",
    "CKR211": "run with all rules, or add the named one",
    "CKR212": "use --schedule inline, or give the MFMAs of a block a loop nest of their own",
    "CKR213": "convert, load and select the scales in a way that docs/rules.md shows for this rule",
    "CKR214": "use fp8 operands on both sides (cbsz = blgp = 0)",
    "CKR215": "import flydsl.expr under a name that the kernel does not reuse",
    "CKR216": "walk K upwards; the contract adds scale blocks in ascending order",
}


class RefusalError(Exception):
    """Stops the rewrite of a program at an expression."""

    def __init__(self, code: str, node: cst.CSTNode, why: str) -> None:
        super().__init__(why)
        self.code = code
        self.node = node
        self.why = why
