# SPDX-License-Identifier: Apache-2.0
"""A folder with folders in it, replaced at once: whoever looks, or whenever a run is killed, it is the old or the new.

The new tree is built beside the old one, and the two change places in one step. A kill leaves at most a hidden sibling.
"""

from __future__ import annotations

import ctypes
import os
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def replace(folder: Path, files: Mapping[str, str], stale: Callable[[str], bool]) -> None:
    """Make a folder hold these files, path -> text, and of its old ones those that are not `stale`.

    Kept files are hard-linked, so they stay what they are. Raises OSError, and then nothing was changed.
    """
    folder = Path(os.path.realpath(folder))
    folder.parent.mkdir(parents=True, exist_ok=True)
    built = Path(tempfile.mkdtemp(prefix=f".{folder.name}.porter-", dir=folder.parent))
    try:
        built.chmod(0o755)
        for path, text in files.items():
            _put(built / path, text)
        if not folder.exists():
            os.rename(built, folder)
            return
        for path in _below(folder):
            if path not in files and not stale(path):
                (built / path).parent.mkdir(parents=True, exist_ok=True)
                os.link(folder / path, built / path, follow_symlinks=False)
        _exchange(built, folder)
    finally:
        shutil.rmtree(built, ignore_errors=True)


def _below(folder: Path) -> list[str]:
    """Every file and link below a folder."""
    found = (Path(where, name) for where, _, names in os.walk(folder) for name in names)
    return [path.relative_to(folder).as_posix() for path in found]


def _put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("x", encoding="utf-8", newline="\n") as stream:
        stream.write(text)
        stream.flush()
        os.fsync(stream.fileno())


def _exchange(one: Path, other: Path) -> None:
    """Swap two names: in one step, or in three where the system or the filesystem has no such step."""
    renameat2: Callable[..., int] | None = getattr(ctypes.CDLL(None), "renameat2", None)
    names = (_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), ctypes.c_uint(_RENAME_EXCHANGE))
    if renameat2 is None or renameat2(*names) != 0:
        aside = one.with_name(f"{one.name}-old")
        os.rename(other, aside)
        os.rename(one, other)
        os.rename(aside, one)
