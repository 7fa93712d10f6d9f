# SPDX-License-Identifier: Apache-2.0
"""A folder held against other runs, and the siblings that a run builds beside it."""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from filelock import FileLock

#: Seconds of waiting for another run before that is said.
_PATIENCE = 2.0


@contextlib.contextmanager
def held(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder (resolved); False where there is no locking."""
    from filelock import FileLock

    file = folder.parent / f"{_prefix(folder)}lock" if os.access(folder.parent, os.W_OK) else folder / ".porter-lock"
    lock = FileLock(file)
    try:
        # Some filesystems have no locks, and a read-only one no file for it.
        with contextlib.suppress(OSError, NotImplementedError):
            # Opened here first: filelock tries again without end where its file cannot be made.
            os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o644))
            _acquire(lock, folder)
        yield lock.is_locked
    finally:
        if lock.is_locked:
            # Removed before it is released: who waits for it sees that its file is no longer the named one.
            file.unlink(missing_ok=True)
            lock.release()


def _acquire(lock: FileLock, folder: Path) -> None:
    """Wait for the lock as long as it takes, and say so once on stderr when that is not at once."""
    from filelock import Timeout

    try:
        lock.acquire(timeout=_PATIENCE)
    except Timeout:
        click.echo(f"porter: waiting for another run that writes {folder}", err=True)
        lock.acquire()


def clear_leftovers(folder: Path) -> None:
    """Remove the siblings that killed runs left; only for who holds the lock."""
    # Every live run holds the lock while its sibling exists, and we hold it now.
    with os.scandir(folder.parent) as entries:
        left = [entry.path for entry in entries if entry.name.startswith(_prefix(folder)) and entry.is_dir()]
    for path in left:
        shutil.rmtree(path, ignore_errors=True)


def _prefix(folder: Path) -> str:
    return f".{folder.name}.porter-"


def scratch(folder: Path) -> Path:
    """Make an empty sibling of a folder, on its filesystem."""
    made = folder.parent / f"{_prefix(folder)}{secrets.token_hex(6)}"
    os.mkdir(made)
    return made
