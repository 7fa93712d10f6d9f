# SPDX-License-Identifier: Apache-2.0
"""The name of every Triton row: aiter writes the bare word."""

from porter.ck_parser.names.grammar import Grammar, opaque

GRAMMAR = Grammar(
    text="triton",
    start=r"triton\Z",
    steps=(("the word triton", r"triton\Z"),),
    build=opaque("triton", None),
)
