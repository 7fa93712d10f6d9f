# SPDX-License-Identifier: Apache-2.0
"""Files of a folder replaced one by one, under a journal that the next run completes."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
from collections.abc import Mapping
from pathlib import Path

from porter.write.atomic_folder import paths, signals

#: The journal's folder in the folder that it is about; there only while a run is under way, or after a killed one.
NAME = ".porter-journal"

_COMMIT = "commit.json"


def change(folder: Path, write: Mapping[str, bytes], remove: Mapping[str, str]) -> None:
    """Stage the files, commit, and complete. Raises OSError; before the commit nothing was changed."""
    journal = folder / NAME
    shutil.rmtree(journal, ignore_errors=True)
    os.mkdir(journal)
    try:
        os.mkdir(journal / "new")
        paths.write_all(journal / "new", write)
        commit = json.dumps({"write": sorted(write), "remove": dict(remove)}).encode()
        with signals.held_back():
            paths.write_all(journal, {f"{_COMMIT}.part": commit})
            os.rename(journal / f"{_COMMIT}.part", journal / _COMMIT)
            paths.sync(journal)
            finish(folder)
    except BaseException:
        if not (journal / _COMMIT).exists():
            shutil.rmtree(journal, ignore_errors=True)
        raise


def finish(folder: Path) -> None:
    """Complete a committed journal, drop any other. Doing it twice does no harm."""
    journal = folder / NAME
    if (journal / _COMMIT).exists():
        commit = json.loads((journal / _COMMIT).read_bytes())
        named = (*commit["write"], *commit["remove"])
        if not all(paths.is_inside(folder, path) for path in named):
            raise OSError(errno.EINVAL, f"{journal} names files outside the folder; remove it", str(journal))
        for path in commit["write"]:
            os.makedirs((folder / path).parent, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                os.replace(journal / "new" / path, folder / path)
        for path, digest in commit["remove"].items():
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                if hashlib.sha256((folder / path).read_bytes()).hexdigest() == digest:
                    os.unlink(folder / path)
        paths.prune(folder, commit["remove"])
        for place in paths.folders(named):
            with contextlib.suppress(FileNotFoundError, NotADirectoryError):
                paths.sync(folder / place)
        os.unlink(journal / _COMMIT)
    shutil.rmtree(journal, ignore_errors=True)
