# SPDX-License-Identifier: Apache-2.0
"""Change several files of a folder at once: whoever looks, or whenever a run is killed, it is the old or the new one.

POSIX renames one name at a time, so files renamed one by one can be left mixed. Here the whole new folder is built
beside the old one (what is kept is hard-linked, so foreign files stay what they are), synced, and the two directories
are exchanged by one renameat2(RENAME_EXCHANGE); a kill leaves only a hidden sibling, which the next run removes under a
lock that a live run holds. Where the directory itself has to stay (a mount point, a git checkout, the current
directory) or cannot be exchanged, the files are renamed one by one: Ctrl-C waits, but a SIGKILL just then leaves a mix,
which the same run again puts right.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from porter.write.atomic_folder import lock, paths, signals, swap

_STAGED = ".porter-new"


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[Path]:
    """Hold the folder against other runs, and clear away what killed ones left.

    Yields the folder with symlinks resolved; it need not exist, its parent is made. Where no lock can be had (read-only
    or some network filesystems) nothing is held and nothing cleared. Raises OSError when the parent cannot be made.
    """
    real = Path(os.path.realpath(folder))
    os.makedirs(real.parent, exist_ok=True)
    with lock.held(real) as holds:
        if holds:
            lock.clear_leftovers(real)
            shutil.rmtree(real / _STAGED, ignore_errors=True)
        yield real


def change(folder: Path, write: Mapping[str, bytes], remove: Collection[str]) -> None:
    """Write and remove files of a folder that `locked` gave, all or nothing.

    write: path in the folder -> content; paths are relative, with `/`. Folders on the way are made, and those that a
    removed file leaves empty go. Everything else in the folder is kept. Raises OSError, also for a path with a file or
    a link on its way; then nothing was changed, except as the module says.
    """
    for path in (*write, *remove):
        paths.check(folder, path)
    if not write and not remove and folder.is_dir():
        return
    if not folder.exists():
        swap.create(folder, write)
    elif not swap.exchange(folder, write, frozenset(remove)):
        _replace_each(folder, write, remove)


def _replace_each(folder: Path, write: Mapping[str, bytes], remove: Collection[str]) -> None:
    staged = folder / _STAGED
    os.mkdir(staged)
    try:
        paths.write_all(staged, write)
        with signals.held_back():
            # Removed first: while the manifest is the old one, the next run still knows them.
            for path in remove:
                (folder / path).unlink(missing_ok=True)
            paths.prune(folder, remove)
            for path in write:
                os.makedirs((folder / path).parent, exist_ok=True)
                os.replace(staged / path, folder / path)
            for place in paths.folders(write):
                paths.sync(folder / place)
    finally:
        shutil.rmtree(staged, ignore_errors=True)
