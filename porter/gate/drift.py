# SPDX-License-Identifier: Apache-2.0
"""Generated files against what porter writes from the configured inputs: `porter convert --check` for the gate."""

from __future__ import annotations

import hashlib
import os
import posixpath
from collections.abc import Iterator, Mapping
from dataclasses import astuple
from functools import cached_property
from pathlib import Path
from typing import Any

from porter import manifest
from porter.conversion import convert
from porter.errors import InputError, SourceSpan
from porter.gate.config import GateConfig
from porter.gate.locate import first_difference
from porter.gate.result import GateFinding
from porter.gate.verdicts import keep, recall, verdict_key
from porter.write import output


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
        )
        self.inputs = [config.root / name for name in config.inputs]

    @cached_property
    def conversion(self) -> convert.Conversion:
        """Raises what `convert` raises: InputError (CKP), ToolchainError and ToolchainMissing (CKT) with census."""
        return convert.convert(self.inputs, self.options)

    def texts(self) -> Mapping[str, str]:
        """Path relative to the root -> text; empty without inputs, or where they cannot be converted."""
        from porter.errors import PorterError

        if not self.inputs:
            return {}
        try:
            return {
                posixpath.normpath(f"{self.config.out}/{name}"): text for name, text in self.conversion.files.items()
            }
        except PorterError:
            return {}  # the drift check reports it

    def check(self) -> list[GateFinding]:
        """Bad rows of the inputs, and every file that differs. Raises as `conversion`."""
        key = verdict_key("drift", self._parts())
        if recall(key) is not None:
            return []
        findings = [*_bad_rows(self), *_differences(self)]
        if not findings:
            keep(key, True)
        return findings

    def _parts(self) -> dict[str, Any]:
        """Every byte that decides the check: the inputs, and what lies in the folder."""
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


def _bad_rows(expected: Expected) -> Iterator[GateFinding]:
    for row in expected.conversion.bad:
        where = expected.config.place(row.where)
        yield GateFinding("CKG002", str(row).partition(": ")[2], where, key=row.code)


def _differences(expected: Expected) -> Iterator[GateFinding]:
    config, files = expected.config, expected.conversion.files
    folder = config.root / config.out
    drift = output.compare(folder, files)
    rows = list(_changed_rows(expected)) if manifest.FILE in drift.changed else []
    yield from rows
    for name in (*drift.missing, *drift.changed, *drift.stale):
        shown = posixpath.normpath(f"{config.out}/{name}")
        kernel = Path(name).stem if name.startswith("flydsl_") else ""
        if name in drift.missing:
            yield GateFinding("CKG001", f"{shown} is missing", config.place(config.where), kernel, shown)
        elif name in drift.stale:
            yield GateFinding("CKG001", "no configured row leads to this kernel any more", SourceSpan(shown, 1), kernel)
        elif name == manifest.FILE and rows:
            continue  # the rows say more
        else:
            text = _text(folder / name)
            line = first_difference(files[name], text)
            message = "differs from what porter writes, first on this line"
            key = "".join(text.splitlines()[line - 1 : line])
            yield GateFinding("CKG001", message, SourceSpan(shown, line), kernel, key)


def _text(path: Path) -> str:
    """As it lies there, line ends included; nothing of what is no file."""
    return path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""


def _changed_rows(expected: Expected) -> Iterator[GateFinding]:
    """Rows of the inputs that the committed manifest does not have as they are now."""
    config = expected.config
    try:
        committed = manifest.read(config.root / config.out / manifest.FILE)
    except InputError:
        return
    known = {
        (kernel.name, row.gfx, row.cu_num, row.shape, row.instance)
        for kernel in committed.kernels
        for row in kernel.rows
    }
    for item in expected.conversion.converted:
        row = item.row
        found = (row.gfx, row.cu_num, row.shape, row.kernel_name)
        if item.kept and (item.spec.name, *found) not in known:
            text = f"{row.shape} is not in the generated files as this row has it"
            key = str((row.gfx, row.cu_num, *astuple(row.shape), row.kernel_name))
            yield GateFinding("CKG001", text, config.place(row.where), item.spec.name, key)
