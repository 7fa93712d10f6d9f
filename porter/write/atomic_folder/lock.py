# SPDX-License-Identifier: Apache-2.0
"""A folder held against other runs, and the siblings that a run builds beside it."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def held(folder: Path) -> Iterator[bool]:
    """Hold the lock of a folder (resolved); False where there is no locking."""
    lock = folder.parent / f"{_prefix(folder)}lock" if os.access(folder.parent, os.W_OK) else folder / ".porter-lock"
    handle = _acquire(lock)
    try:
        yield handle is not None
    finally:
        if handle is not None:
            # Removed before it is released: who waits for it sees that its file is no longer the named one.
            with contextlib.suppress(FileNotFoundError):
                os.unlink(lock)
            os.close(handle)


def _acquire(lock: Path) -> int | None:
    """A handle that holds the lock file, or None where there is no locking."""
    while True:
        try:
            handle = os.open(lock, os.O_RDWR | os.O_CREAT, 0o666)
        except OSError:
            return None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            if os.path.samestat(os.fstat(handle), os.stat(lock)):
                return handle
            os.close(handle)
        except FileNotFoundError:
            os.close(handle)
        except OSError:
            # No locks on this filesystem: the file would only lie about.
            os.unlink(lock)
            os.close(handle)
            return None
        except BaseException:
            os.close(handle)
            raise


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
