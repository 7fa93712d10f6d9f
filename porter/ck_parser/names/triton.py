# SPDX-License-Identifier: Apache-2.0
"""The name of every Triton row: aiter writes the bare word."""

from __future__ import annotations

from dataclasses import dataclass

from porter.ck_parser.names.grammar import Grammar


@dataclass(frozen=True, slots=True)
class TritonKernel:
    """A Triton kernel; its configuration is not in the name."""

    @property
    def libtype(self) -> str:
        return "triton"

    @property
    def family(self) -> None:
        return None

    @property
    def name(self) -> str:
        return "triton"


GRAMMAR = Grammar(
    text="triton",
    start=r"triton\Z",
    steps=(("the word triton", r"triton\Z"),),
    build=lambda values: TritonKernel(),
)
