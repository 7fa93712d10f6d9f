# SPDX-License-Identifier: Apache-2.0
"""Which kernels are as they were at a git revision, so that `--changed-since` need not prove them again."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import porter
from porter.errors import InputError
from porter.gate.config import GateConfig, tool_table
from porter.gate.subject import Subject
from porter.toolchain import flydsl_version
from porter.write.output import MANIFEST


class Revision:
    """Files of the repository at a revision. Raises InputError CKG112 where git or the revision is missing."""

    def __init__(self, config: GateConfig, name: str) -> None:
        self.config, self.name = config, name
        try:
            self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
        except (OSError, subprocess.CalledProcessError) as error:
            hint = "in CI, fetch the revision first (actions/checkout: fetch-depth: 0)"
            raise InputError("CKG112", f"--changed-since {name}: no such revision here", hint=hint) from error
        manifest = self._json(f"{config.out}/{MANIFEST}")
        self._same_versions = (
            manifest.get("porter") == porter.__version__ and manifest.get("flydsl") == flydsl_version()
        )
        self._shapes = _shapes(manifest)
        self._now = _shapes(_loaded(config.root / config.out / MANIFEST))
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
            now = {kernel.path: dict(kernel.declared) for kernel in self.config.kernels}
            kernels = self._table.get("kernels")
            then = kernels.get(subject.shown) if isinstance(kernels, dict) else None
            return then == now.get(subject.shown)
        return self._shapes.get(subject.name) == self._now.get(subject.name)

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

    def _json(self, path: str) -> dict[str, Any]:
        try:
            data = json.loads(self._text(path) or "{}")
        except (ValueError, RecursionError):
            return {}
        return data if isinstance(data, dict) else {}

    def _table_then(self) -> dict[str, Any]:
        try:
            table = tool_table(self._text(Path(self.config.where.path).name) or "")
        except ValueError:
            return {}
        return table if isinstance(table, dict) else {}


def _loaded(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _shapes(manifest: dict[str, Any]) -> dict[str, Any]:
    """Kernel -> its rows without the places where they stand."""
    try:
        return {
            kernel["name"]: [
                {key: value for key, value in shape.items() if key != "source"} for shape in kernel["shapes"]
            ]
            for kernel in manifest.get("kernels", ())
        }
    except (KeyError, TypeError, AttributeError):
        return {}
