# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels by the hash of everything that decides them."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from pathlib import Path

#: Part of every key; raised when the meaning or the files of an entry change.
FORMAT = 2


def cache_dir() -> Path:
    """PORTER_CACHE_DIR, else the user's cache folder."""
    override = os.environ.get("PORTER_CACHE_DIR")
    if override:
        return Path(override)
    import platformdirs

    return Path(platformdirs.user_cache_dir("porter"))


def key_of(parts: dict[str, object]) -> str:
    """sha256 of the parts, which must be JSON values; equal parts give equal keys on every machine."""
    text = json.dumps({"format": FORMAT, **parts}, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()


def load(key: str) -> dict[str, bytes] | None:
    """The files of an entry, or None. An entry is complete or absent: it appears by one rename."""
    folder = _folder(key)
    try:
        return {path.name: path.read_bytes() for path in folder.iterdir()} or None
    except (FileNotFoundError, NotADirectoryError):
        return None


def store(key: str, files: dict[str, bytes]) -> None:
    """Keep an entry; a concurrent writer of the same key wins or loses whole. An unwritable cache is no error."""
    folder = _folder(key)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        scratch = Path(tempfile.mkdtemp(prefix=".new-", dir=folder.parent))
    except OSError:
        return
    try:
        for name, content in files.items():
            (scratch / name).write_bytes(content)
        scratch.rename(folder)
    except OSError:
        shutil.rmtree(scratch, ignore_errors=True)


def _folder(key: str) -> Path:
    return cache_dir() / "kernels" / key[:2] / key
