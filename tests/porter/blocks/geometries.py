# SPDX-License-Identifier: Apache-2.0
"""Geometries as kernels make them."""

from __future__ import annotations

from porter.blocks._geometry import Geometry
from porter.blocks._variant import Variant
from porter.kernel_spec import KernelSpec
from porter.write import emitter


def geometry(spec: KernelSpec, n: int, k: int, variant: Variant | None = None) -> Geometry:
    """Of dense rows of A and B."""
    changed = variant.changed() if variant else {}
    return Geometry({**emitter.spec_literal(spec), "variant": changed}, n, k, k, k)
