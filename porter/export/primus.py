# SPDX-License-Identifier: Apache-2.0
"""Primus-Turbo: a package with its blockwise forward op on our kernels.

Source: docs/notes/downstream.md#mslk-and-primus-turbo.

dgrad and wgrad are not served: they multiply by weights and gradients in orders that these kernels do not read.
"""

from __future__ import annotations

from collections.abc import Sequence

from porter.export import common
from porter.export.common import ExportPlan, Kernel, Style


def plan(kernels: Sequence[Kernel], copyright_line: str = "") -> ExportPlan:
    """What the export writes. Raises InputError CKE006 when no kernel fits the op."""
    style = Style("MIT", "porter export primus", copyright_line)
    chosen, notes = common.plain_kernels(kernels, "Primus-Turbo")
    root = "primus_turbo/flydsl/ck_blockscale"
    files = common.package(root, "primus_blockwise.py", "gemm_fp8_blockwise.py", chosen, style)
    return ExportPlan("primus", files, {}, notes=(*notes, *common.unproved(chosen)))
