# SPDX-License-Identifier: Apache-2.0
"""A folder built beside the old one, and put in its place in one step."""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

from porter.write.atomic_folder import lock, paths, signals

#: Files that a swap links anew; a folder with more is changed in place.
_MOST_LINKS = 4096
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


def create(folder: Path, write: Mapping[str, bytes]) -> None:
    """Make a folder that is not there yet, with these files in it."""
    scratch = lock.scratch(folder)
    try:
        paths.write_all(scratch, write)
        os.rename(scratch, folder)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    paths.sync(folder.parent)


def exchange(folder: Path, write: Mapping[str, bytes], remove: frozenset[str]) -> bool:
    """Exchange the folder for a new one; False, and nothing changed, where that is not possible."""
    if _must_stay(folder):
        return False
    try:
        scratch = lock.scratch(folder)
    except OSError:
        return False
    try:
        linked: set[int] = set()
        _link_tree(folder, scratch, {folder / path for path in (*write, *remove)}, linked)
        paths.write_all(scratch, write)
        paths.prune(scratch, remove)
        # Not their old times: importers tell by the time of a folder whether they must list it again.
        for place in paths.folders((*write, *remove)):
            if (scratch / place).is_dir():
                os.utime(scratch / place)
        with signals.held_back():
            _exchange(scratch, folder)
            paths.sync(folder.parent)
            _rescue(scratch, folder, linked, write)
    except OSError:
        return False
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return True


def _must_stay(folder: Path) -> bool:
    """Whether the directory itself has to remain, not only its name."""
    try:
        inside = Path(os.getcwd()).is_relative_to(folder)
    except FileNotFoundError:
        inside = False
    return inside or os.path.ismount(folder) or (folder / ".git").exists() or not os.access(folder, os.W_OK)


def _link_tree(source: Path, target: Path, leave_out: set[Path], linked: set[int]) -> None:
    """Hard-link everything below a folder into another one. linked: gets the inodes, also of the files left out."""
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if not os.access(entry.path, os.R_OK | os.W_OK | os.X_OK):
                    raise PermissionError(errno.EACCES, "the old folder could not be removed", entry.path)
                os.mkdir(target / entry.name)
                _link_tree(Path(entry.path), target / entry.name, leave_out, linked)
                continue
            linked.add(entry.inode())
            if len(linked) > _MOST_LINKS:
                raise OSError(errno.EMLINK, "too many files to link", source)
            if Path(entry.path) not in leave_out:
                os.link(entry.path, target / entry.name, follow_symlinks=False)
    state = os.stat(source)
    if (state.st_uid, state.st_gid) != (os.stat(target).st_uid, os.stat(target).st_gid):
        os.chown(target, state.st_uid, state.st_gid)
    shutil.copystat(source, target)


def _rescue(old: Path, new: Path, linked: set[int], written: Mapping[str, bytes]) -> None:
    """Move over what somebody saved into the old folder while the new one was being built."""
    for where, _, names in os.walk(old):
        place = Path(where).relative_to(old)
        for name in names:
            if os.lstat(Path(where, name)).st_ino not in linked and (place / name).as_posix() not in written:
                os.makedirs(new / place, exist_ok=True)
                os.replace(Path(where, name), new / place / name)


def _exchange(one: Path, other: Path) -> None:
    """Swap two names in one step. Raises OSError where the platform or the filesystem cannot."""
    try:
        renameat2: Callable[..., int] = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        raise OSError(errno.ENOSYS, "no renameat2") from None
    if renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), ctypes.c_uint(_RENAME_EXCHANGE)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(other))
