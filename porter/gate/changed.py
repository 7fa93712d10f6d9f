# SPDX-License-Identifier: Apache-2.0
"""Which kernels are as they were at a git revision, so that `--changed-since` need not prove them again."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import porter
from porter.errors import InputError
from porter.gate.config import GateConfig, tool_table
from porter.gate.subject import Subject
from porter.output import MANIFEST
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
        manifest = self._json(f"{config.out}/{MANIFEST}")
        self._same_versions = (
            manifest.get("porter") == porter.__version__ and manifest.get("flydsl") == flydsl_version()
        )
        self._shapes = _shapes(manifest)
        self._now = _shapes(_loaded(config.root / config.out / MANIFEST))
        self._declared = self._declarations()

    def unchanged(self, subject: Subject) -> bool:
        """Whether nothing that decides the proof of a kernel has changed: its text, what it imports, its rows or its
        declaration, and for generated kernels the versions of porter and flydsl."""
        folder = subject.shown.rpartition("/")[0]
        texts = {subject.shown: subject.text, **{f"{folder}/{name}": text for name, text in subject.siblings.items()}}
        if any(self._text(path) != text for path, text in texts.items()):
            return False
        if subject.spec is None:
            now = {kernel.path: dict(kernel.declared) for kernel in self.config.kernels}
            return self._declared.get(subject.shown) == now.get(subject.shown)
        return self._same_versions and self._shapes.get(subject.name) == self._now.get(subject.name)

    def _git(self, *arguments: str) -> bytes:
        command = ["git", "-C", str(self.config.root), *arguments]
        return subprocess.run(command, capture_output=True, check=True).stdout

    def _text(self, path: str) -> str | None:
        try:
            return self._git("show", f"{self.name}:./{path}").decode("utf-8", "replace")
        except subprocess.CalledProcessError:
            return None

    def _json(self, path: str) -> dict[str, Any]:
        try:
            data = json.loads(self._text(path) or "{}")
        except ValueError:
            return {}
        return data if isinstance(data, dict) else {}

    def _declarations(self) -> dict[str, Any]:
        name = Path(self.config.where.path).name
        try:
            kernels = tool_table(self._text(name) or "")["kernels"]
        except (ValueError, KeyError, TypeError):
            return {}
        return kernels if isinstance(kernels, dict) else {}


def _loaded(path: Path) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
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
