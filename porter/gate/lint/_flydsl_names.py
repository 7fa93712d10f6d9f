# SPDX-License-Identifier: Apache-2.0
"""Prints FlyDSL's stable names, as its stability rule defines them, one a line; needs flydsl.

    python -m porter.gate.lint._flydsl_names > porter/gate/lint/stable_names.txt

Stable are the names in `__all__` of the modules that `flydsl.expr` star-imports, of `flydsl.expr.rocdl` and below, of
`flydsl.compiler` and `flydsl.compiler.protocol`, and two functions of `flydsl.runtime.device`. `experimental` is not
(docs/notes/flydsl.md#stable-names).
"""

from __future__ import annotations

import importlib
import types
from collections.abc import Iterator

_STAR_IMPORTED = ("numeric", "typing", "enum", "primitive", "gpu", "derived", "struct", "arith", "math", "llvm")
_REACHED_BY_NAME = ("gpu", "arith", "math", "llvm")


def names() -> list[str]:
    """Every stable dotted name of the installed flydsl, sorted."""
    found = {"flydsl.runtime.device.get_rocm_arch", "flydsl.runtime.device.is_rdna_arch"}
    for name in _STAR_IMPORTED:
        module = importlib.import_module(f"flydsl.expr.{name}")
        found |= {f"flydsl.expr.{item}" for item in module.__all__}
        if name in _REACHED_BY_NAME:
            found |= {f"flydsl.expr.{name}.{item}" for item in module.__all__}
    for name in ("flydsl.compiler", "flydsl.compiler.protocol"):
        found |= {f"{name}.{item}" for item in importlib.import_module(name).__all__}
    found |= set(_below("flydsl.expr.rocdl", importlib.import_module("flydsl.expr.rocdl"), set()))
    return sorted(found)


def _below(prefix: str, module: types.ModuleType, seen: set[str]) -> Iterator[str]:
    for item in getattr(module, "__all__", ()):
        value = getattr(module, item, None)
        if not isinstance(value, types.ModuleType):
            yield f"{prefix}.{item}"
        elif item != "experimental" and value.__name__ not in seen:
            seen.add(value.__name__)
            yield from _below(f"{prefix}.{item}", value, seen)


if __name__ == "__main__":
    print("\n".join(names()))
