# SPDX-License-Identifier: Apache-2.0
"""What porter writes from the configured inputs."""

from __future__ import annotations

import hashlib
import os
import posixpath
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from porter.conversion import convert
from porter.errors import PorterError
from porter.gate.config import GateConfig


class Expected:
    """What belongs into the output folder; converted only when it is asked for and not known from before."""

    def __init__(self, config: GateConfig) -> None:
        self.config = config
        self.options = convert.Options(
            arch=config.arch,
            layout=config.layout,
            by_shape=config.by_shape,
            err_ratio=config.err_ratio,
            select=config.select,
            instances=tuple(config.root / name for name in config.instances),
            shapes=config.root / config.shape_table if config.shape_table else None,
            census=config.census,
            scalar_promotes=config.scalar_promotes,
        )
        self.inputs = [config.root / name for name in config.inputs]

    @cached_property
    def conversion(self) -> convert.Conversion:
        """Raises what `convert` raises: InputError (CKP), ToolchainError and ToolchainMissing (CKT) with census."""
        return convert.convert(self.inputs, self.options)

    def texts(self) -> Mapping[str, str]:
        """Path relative to the root -> text; empty without inputs, or where they cannot be converted."""
        if not self.inputs:
            return {}
        try:
            return {
                posixpath.normpath(f"{self.config.out}/{name}"): text for name, text in self.conversion.files.items()
            }
        except PorterError:
            return {}  # the drift check reports it

    def parts(self) -> dict[str, Any]:
        """Every byte that decides whether the folder is as it should be: the inputs, and what lies in the folder."""
        folder = self.config.root / self.config.out
        listed = [folder / name for name in _names(folder)]
        others = [*self.options.instances, *([self.options.shapes] if self.options.shapes else [])]
        return {
            "options": repr(self.options),
            "inputs": {str(path): _digest(path) for path in (*self.inputs, *others)},
            "folder": {path.name: _digest(path) for path in listed},
        }


def _names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.is_file()) if folder.is_dir() else []


def _digest(path: Path) -> Any:
    """Digest of a file; of a folder, of every file below it, as `convert` finds them: through links too."""
    if path.is_dir():
        below = (Path(folder, name) for folder, _, names in os.walk(path, followlinks=True) for name in names)
        return {str(item.relative_to(path)): _digest(item) for item in sorted(below)}
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError:
        return None
