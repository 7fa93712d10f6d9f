# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels by the hash of everything that decides them.

An entry is a folder that appears by one rename, so a killed or a second writer leaves it absent or whole. Digests in it
tell what a power cut or a full disk damaged later; such an entry is dropped and compiled anew.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from pathlib import Path

#: Part of every key; raised when the meaning or the files of an entry change.
FORMAT = 5

_DIGESTS = "digests.json"
_SCRATCH = ".new-"
#: Seconds after which a scratch folder belongs to no live writer: one is written in milliseconds.
_ABANDONED = 3600.0


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
    """The files of an entry; None when there is none, it cannot be read, or it is damaged and was dropped."""
    folder = _folder(key)
    try:
        files = {path.name: path.read_bytes() for path in folder.iterdir()}
    except OSError:
        return None
    if files.pop(_DIGESTS, None) == _digests(files):
        return files
    _drop(folder)
    return None


def store(key: str, files: dict[str, bytes]) -> None:
    """Keep an entry; a concurrent writer of the same key wins or loses whole. An unwritable cache is no error."""
    folder = _folder(key)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        _clear_abandoned(folder.parent)
        scratch = Path(tempfile.mkdtemp(prefix=_SCRATCH, dir=folder.parent))
    except OSError:
        return
    try:
        for name, content in {**files, _DIGESTS: _digests(files)}.items():
            (scratch / name).write_bytes(content)
        scratch.rename(folder)
    except OSError:
        pass
    finally:
        # It is gone when the rename has worked.
        shutil.rmtree(scratch, ignore_errors=True)


def _digests(files: dict[str, bytes]) -> bytes:
    return json.dumps({name: hashlib.sha256(files[name]).hexdigest() for name in sorted(files)}).encode()


def _drop(folder: Path) -> None:
    # Renamed first: nobody may find half an entry, and a new one must find its place free.
    with contextlib.suppress(OSError):
        scratch = tempfile.mkdtemp(prefix=_SCRATCH, dir=folder.parent)
        try:
            folder.rename(scratch)
        finally:
            shutil.rmtree(scratch, ignore_errors=True)


def _clear_abandoned(parent: Path) -> None:
    for path in parent.glob(f"{_SCRATCH}*"):
        with contextlib.suppress(OSError):
            if time.time() - path.stat().st_mtime > _ABANDONED:
                shutil.rmtree(path, ignore_errors=True)


def _folder(key: str) -> Path:
    return cache_dir() / "kernels" / key[:2] / key
