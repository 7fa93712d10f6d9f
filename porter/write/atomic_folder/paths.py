# SPDX-License-Identifier: Apache-2.0
"""Relative paths of files in a folder: what is refused, how they are written, and the folders on their way."""

from __future__ import annotations

import contextlib
import errno
import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath


def is_inside(folder: Path, path: str) -> bool:
    """Whether a path stays in its folder (resolved), also behind the links that are there."""
    parts = PurePosixPath(path).parts
    if not parts or ".." in parts or "/".join(parts) != path or path.startswith("/"):
        return False
    return Path(os.path.realpath((folder / path).parent)) == (folder / path).parent


def check(folder: Path, path: str) -> None:
    """Raises OSError for a path that is no file's, leaves the folder, or whose folder cannot be written or made."""
    place = folder / path
    if place.is_dir() and not place.is_symlink():
        raise IsADirectoryError(errno.EISDIR, f"{path} is a directory", path)
    if not is_inside(folder, path):
        raise OSError(errno.EINVAL, f"{path} leads out of the folder, or through a link", path)
    for parent in place.relative_to(folder).parents[:-1]:
        there = folder / parent
        if not os.path.lexists(there):
            continue
        if not there.is_dir():
            raise NotADirectoryError(errno.ENOTDIR, f"{parent} is not a directory", path)
        if not os.access(there, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, f"{parent} cannot be written", path)
        return


def write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write new files and the folders on their way, and sync them. Raises FileExistsError for one that is there."""
    for path, content in files.items():
        os.makedirs((folder / path).parent, exist_ok=True)
        with open(folder / path, "xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            os.fchmod(stream.fileno(), 0o644)
    for place in folders(files):
        sync(folder / place)


def folders(files: Iterable[str]) -> list[Path]:
    """The folder itself, as `.`, and those on the way to the files; the deepest first."""
    found = {Path(), *(parent for path in files for parent in Path(path).parents)}
    return sorted(found, key=lambda place: (-len(place.parts), place))


def prune(folder: Path, removed: Iterable[str]) -> None:
    """Remove the folders below this one that the removal of these files left empty."""
    for place in folders(removed)[:-1]:
        with contextlib.suppress(OSError):
            os.rmdir(folder / place)


def sync(folder: Path) -> None:
    """Bring the names in a folder to the disk."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        # Some filesystems sync no directories; the order of renames is kept all the same.
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)
