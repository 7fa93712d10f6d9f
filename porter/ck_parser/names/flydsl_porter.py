# SPDX-License-Identifier: Apache-2.0
"""porter's own kernel names; the grammar is `KernelSpec`'s."""

from __future__ import annotations

from collections.abc import Mapping

from porter.ck_parser.names.grammar import Grammar, OpaqueKernel
from porter.kernel_spec import KernelSpec
from porter.runtime import _serving


def _build(values: Mapping[str, str]) -> OpaqueKernel:
    return OpaqueKernel("flydsl", values["name"], KernelSpec.parse(values["name"]).family)


GRAMMAR = Grammar(
    text=_serving.GRAMMAR,
    start="flydsl_a8w8_blockscale_",
    steps=(("a name", r"(?s:.*)\Z"),),
    build=_build,
)
