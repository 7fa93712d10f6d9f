# SPDX-License-Identifier: Apache-2.0
"""Change several files of a folder at once: whoever looks, or whenever a run is killed, it is the old or the new one.

POSIX renames one name at a time, so files renamed one by one can be left mixed. Here the whole new folder is built
beside the old one (what is kept is hard-linked, so foreign files stay what they are), synced, and the two directories
are exchanged by one renameat2(RENAME_EXCHANGE); a kill leaves only a hidden sibling, which the next run removes under a
lock that a live run holds. Where that cannot work (no renameat2 or hard links, a mount point, a git checkout itself,
the current directory, very many files) the files are staged inside the folder and renamed one by one under a journal:
Ctrl-C waits, but a SIGKILL or a power cut just then leaves a mix, which the next run completes before anything else.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path

from porter.write.atomic_folder import journal, lock, paths, swap


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[Path]:
    """Hold the folder against other runs, and finish or clear away what killed ones left.

    Yields the folder with symlinks resolved; it need not exist, its parent is made. Where no lock can be had (read-only
    or some network filesystems) nothing is held and nothing cleared. Raises OSError when the parent cannot be made.
    """
    real = Path(os.path.realpath(folder))
    os.makedirs(real.parent, exist_ok=True)
    with lock.held(real) as holds:
        if holds:
            journal.finish(real)
            lock.clear_leftovers(real)
        yield real


def change(folder: Path, write: Mapping[str, bytes], remove: Mapping[str, str]) -> None:
    """Write and remove files of a folder that `locked` gave, all or nothing.

    write: path in the folder -> content; remove: path -> sha256 of its content. Paths are relative, with `/`; folders
    on the way are made, and those that a removed file leaves empty go. Everything else in the folder is kept. Raises
    OSError, also for a path with a file or a link on its way; then nothing was changed, except as the module says.
    """
    for path in (*write, *remove):
        paths.check(folder, path)
    if not write and not remove and folder.is_dir():
        return
    if not folder.exists():
        swap.create(folder, write)
    elif not swap.exchange(folder, write, frozenset(remove)):
        journal.change(folder, write, remove)
