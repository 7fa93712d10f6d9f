# SPDX-License-Identifier: Apache-2.0
"""Manifests as tests write them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from porter import manifest
from porter.kernel_spec import KernelSpec
from porter.manifest import Kernel, Manifest, Row
from porter.problem import GemmShape
from porter.runtime._regimes import Regime


def manifest_of(
    served: Mapping[KernelSpec, Iterable[tuple[int, int, int]]], files: Mapping[str, str] | None = None
) -> str:
    """The text of a manifest of kernels and the (M, N, K) that each serves."""
    kernels = tuple(
        Kernel.of(
            spec,
            [
                Row(spec.arch, 256, GemmShape(*shape), Regime.GENERAL, "", "rows.csv", line)
                for line, shape in enumerate(shapes, 2)
            ],
        )
        for spec, shapes in served.items()
    )
    return manifest.text(Manifest(porter="0", flydsl="0.5", files=dict(files or {}), kernels=kernels))
