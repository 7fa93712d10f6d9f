# SPDX-License-Identifier: Apache-2.0
"""porter's own kernel names; the grammar is `KernelSpec`'s."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from porter.ck_parser.names.grammar import Grammar
from porter.kernel_spec import GRAMMAR_TEXT, KernelSpec
from porter.problem import Family


@dataclass(frozen=True, slots=True)
class PorterKernel:
    """A kernel that porter emitted."""

    spec: KernelSpec

    @property
    def libtype(self) -> str:
        return "flydsl"

    @property
    def family(self) -> Family:
        return self.spec.family

    @property
    def name(self) -> str:
        return self.spec.name


def _build(values: Mapping[str, str]) -> PorterKernel:
    return PorterKernel(KernelSpec.parse(values["name"]))


GRAMMAR = Grammar(
    text=GRAMMAR_TEXT,
    start="flydsl_a8w8_blockscale_",
    steps=(("a name", r"(?P<name>(?s:.*))\Z"),),
    build=_build,
)
