# SPDX-License-Identifier: Apache-2.0
"""The arguments of a kernel's launcher; code-object metadata carries no names, so SPEC["args"] does."""

from collections.abc import Mapping
from typing import Any


def arguments(spec: Mapping[str, Any]) -> list[dict[str, str]]:
    """SPEC["args"], in the launcher's order: pointers, then the i32 M."""
    pointers = {"C": spec["out_dtype"], "A": "fp8", "B": "fp8", "x_scale": "fp32", "w_scale": "fp32"}
    if spec["split_k"] > 1:
        pointers["workspace"] = "fp32"
    listed = [{"name": name, "kind": "pointer", "dtype": dtype} for name, dtype in pointers.items()]
    return [*listed, {"name": "M", "kind": "i32"}]
