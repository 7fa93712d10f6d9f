# SPDX-License-Identifier: Apache-2.0
"""MSLK: a package with two of its ops on our kernels (docs/notes/downstream.md#mslk-and-primus-turbo).

Its preshuffled and grouped ops are not served: their weight order and row slabs are not those of these kernels.
"""

from __future__ import annotations

from collections.abc import Sequence

from porter.export import common
from porter.export.common import ExportPlan, Kernel, Style


def plan(kernels: Sequence[Kernel], copyright_line: str = "") -> ExportPlan:
    """What the export writes. Raises InputError CKE006 when no kernel fits the ops."""
    style = Style("BSD-3-Clause", "porter export mslk", copyright_line)
    chosen, notes = common.plain_kernels(kernels, "MSLK")
    files = common.package("mslk/flydsl/ck_blockscale", "mslk_ops.py", "ops.py", chosen, style)
    return ExportPlan("mslk", files, {}, notes=(*notes, *common.unproved(chosen)))
