# SPDX-License-Identifier: Apache-2.0
"""Members of a package that are found by walking it, so that a new file is a new member."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType
from typing import TypeVar

T = TypeVar("T")


def modules(package: str) -> Iterator[ModuleType]:
    """The modules of a package of that dotted name, by name; each is imported."""
    for found in pkgutil.iter_modules(importlib.import_module(package).__path__, f"{package}."):
        yield importlib.import_module(found.name)


def classes(package: str, base: type[T]) -> Iterator[type[T]]:
    """What these modules themselves define as a kind of `base`, which is none of its own."""
    for module in modules(package):
        for value in vars(module).values():
            here = isinstance(value, type) and value.__module__ == module.__name__
            if here and issubclass(value, base) and value is not base:
                yield value
