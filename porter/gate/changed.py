# SPDX-License-Identifier: Apache-2.0
"""Which kernels are as they were at a git revision, so that `--changed-since` need not prove them again."""

from __future__ import annotations

import os
import subprocess
from dataclasses import replace
from operator import attrgetter
from pathlib import Path
from typing import Any

import porter
from porter import manifest
from porter.errors import InputError
from porter.gate.config import GateConfig, tool_table
from porter.gate.subject import Subject
from porter.manifest import Manifest, Row
from porter.toolchain import flydsl_version


class Revision:
    """Files of the repository at a revision. Raises InputError CKG112 where git or the revision is missing."""

    def __init__(self, config: GateConfig, name: str) -> None:
        self.config, self.name = config, name
        try:
            self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except (OSError, subprocess.CalledProcessError) as error:
            hint = "in CI, fetch the revision first (actions/checkout: fetch-depth: 0)"
            raise InputError("CKG112", f"--changed-since {name}: no such revision here", hint=hint) from error
        then = _parsed((self._text(f"{config.out}/{manifest.FILE}") or "").encode())
        self._same_versions = then is not None and then.porter == porter.__version__ and then.flydsl == flydsl_version()
        self._rows = _rows(then)
        self._now = _rows(_parsed(_content(config.root / config.out / manifest.FILE)))
        self._table = self._table_then()
        now = tool_table(Path(config.where.path).read_text("utf-8"))
        # A proof on other shapes or data is another proof.
        self._same_proof = all(self._table.get(key) == now.get(key) for key in ("shapes", "data"))

    def unchanged(self, subject: Subject) -> bool:
        """Whether nothing that decides the proof of a kernel has changed: its text, what it imports, its rows or its
        declaration, shapes and data of the proof, and the versions of porter and flydsl, which a manifest tells."""
        folder = subject.shown.rpartition("/")[0]
        texts = {subject.shown: subject.text}
        texts |= {f"{folder}/{name}" if folder else name: text for name, text in subject.siblings.items()}
        if not (self._same_versions and self._same_proof and subject.source().self_contained):
            return False
        if any(self._text(path) != text for path, text in texts.items()):
            return False
        if subject.spec is None:
            now = {kernel.path: dict(kernel.declared) for kernel in self.config.hand}
            kernels = self._table.get("kernels")
            then = kernels.get(subject.shown) if isinstance(kernels, dict) else None
            return then == now.get(subject.shown)
        return self._rows.get(subject.name) == self._now.get(subject.name)

    def _git(self, *arguments: str) -> bytes:
        command = ["git", "-C", str(self.config.root), *arguments]
        # What a git hook exports points at its own repository, and relative to its own folder.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
        return subprocess.run(command, capture_output=True, check=True, env=environment).stdout

    def _text(self, path: str) -> str | None:
        try:
            return self._git("show", f"{self.name}:./{path}").decode("utf-8-sig", "replace")
        except subprocess.CalledProcessError:
            return None

    def _table_then(self) -> dict[str, Any]:
        try:
            table = tool_table(self._text(Path(self.config.where.path).name) or "")
        except ValueError:
            return {}
        return table if isinstance(table, dict) else {}


def _content(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError:
        return b""


def _parsed(content: bytes) -> Manifest | None:
    """None for what is no manifest: then everything has changed."""
    try:
        return manifest.parse(content)
    except InputError:
        return None


def _rows(found: Manifest | None) -> dict[str, list[Row]]:
    """Kernel -> its rows without the places where they stand, in any order."""
    kernels = found.kernels if found else ()
    return {
        kernel.name: sorted((replace(row, source="", line=0) for row in kernel.rows), key=attrgetter("shape"))
        for kernel in kernels
    }
