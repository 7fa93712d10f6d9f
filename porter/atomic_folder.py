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
import ctypes
import errno
import fcntl
import hashlib
import json
import os
import secrets
import shutil
import signal
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import FrameType

_JOURNAL = ".porter-journal"
_COMMIT = "commit.json"
#: Files that a swap links anew; a folder with more is changed in place.
_MOST_LINKS = 4096
_AT_FDCWD = -100
_RENAME_EXCHANGE = 2


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[Path]:
    """Hold the folder against other runs, and finish or clear away what killed ones left.

    Yields the folder with symlinks resolved; it need not exist, its parent is made. Where no lock can be had (read-only
    or some network filesystems) nothing is held and nothing cleared. Raises OSError when the parent cannot be made.
    """
    real = Path(os.path.realpath(folder))
    os.makedirs(real.parent, exist_ok=True)
    lock = real.parent / f"{_prefix(real)}lock" if os.access(real.parent, os.W_OK) else real / ".porter-lock"
    handle = _acquire(lock)
    try:
        if handle is not None:
            _finish_journal(real)
            _clear_leftovers(real)
        yield real
    finally:
        if handle is not None:
            # Removed before it is released: who waits for it sees that its file is no longer the named one.
            with contextlib.suppress(FileNotFoundError):
                os.unlink(lock)
            os.close(handle)


def change(folder: Path, write: Mapping[str, bytes], remove: Mapping[str, str]) -> None:
    """Write and remove files of a folder that `locked` gave, all or nothing.

    write: file name -> content; remove: file name -> sha256 of its content. Everything else in the folder is kept.
    Raises OSError; then nothing was changed, except as the module says.
    """
    for name in (*write, *remove):
        if (folder / name).is_dir() and not (folder / name).is_symlink():
            raise IsADirectoryError(errno.EISDIR, f"{name} is a directory", name)
    if not write and not remove and folder.is_dir():
        return
    if not folder.exists():
        _create(folder, write)
    elif not _swap(folder, write, frozenset(remove)):
        _change_in_place(folder, write, remove)


def _create(folder: Path, write: Mapping[str, bytes]) -> None:
    scratch = _scratch(folder)
    try:
        _write_all(scratch, write)
        os.rename(scratch, folder)
    except BaseException:
        shutil.rmtree(scratch, ignore_errors=True)
        raise
    _sync(folder.parent)


def _swap(folder: Path, write: Mapping[str, bytes], remove: frozenset[str]) -> bool:
    """Exchange the folder for a new one; False, and nothing changed, where that is not possible."""
    if _must_stay(folder):
        return False
    try:
        scratch = _scratch(folder)
    except OSError:
        return False
    try:
        linked: set[int] = set()
        _link_tree(folder, scratch, {*write, *remove}, linked)
        _write_all(scratch, write)
        # Not its old time: importers tell by the time of a folder whether they must list it again.
        os.utime(scratch)
        with _signals_held():
            _exchange(scratch, folder)
            _sync(folder.parent)
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


def _link_tree(source: Path, target: Path, leave_out: set[str], linked: set[int]) -> None:
    """Hard-link everything below a folder into another one. linked: gets the inodes, also of the files left out."""
    with os.scandir(source) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                if not os.access(entry.path, os.R_OK | os.W_OK | os.X_OK):
                    raise PermissionError(errno.EACCES, "the old folder could not be removed", entry.path)
                os.mkdir(target / entry.name)
                _link_tree(Path(entry.path), target / entry.name, set(), linked)
                continue
            linked.add(entry.inode())
            if len(linked) > _MOST_LINKS:
                raise OSError(errno.EMLINK, "too many files to link", source)
            if entry.name not in leave_out:
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
            if os.lstat(Path(where, name)).st_ino not in linked and not (place == Path() and name in written):
                os.makedirs(new / place, exist_ok=True)
                os.replace(Path(where, name), new / place / name)


def _change_in_place(folder: Path, write: Mapping[str, bytes], remove: Mapping[str, str]) -> None:
    journal = folder / _JOURNAL
    shutil.rmtree(journal, ignore_errors=True)
    os.mkdir(journal)
    try:
        os.mkdir(journal / "new")
        _write_all(journal / "new", write)
        commit = json.dumps({"write": sorted(write), "remove": dict(remove)}).encode()
        with _signals_held():
            _write_all(journal, {f"{_COMMIT}.part": commit})
            os.rename(journal / f"{_COMMIT}.part", journal / _COMMIT)
            _sync(journal)
            _finish_journal(folder)
    except BaseException:
        if not (journal / _COMMIT).exists():
            shutil.rmtree(journal, ignore_errors=True)
        raise


def _finish_journal(folder: Path) -> None:
    """Complete a committed journal, drop any other. Doing it twice does no harm."""
    journal = folder / _JOURNAL
    if (journal / _COMMIT).exists():
        commit = json.loads((journal / _COMMIT).read_bytes())
        if any(Path(name).name != name for name in (*commit["write"], *commit["remove"])):
            raise OSError(errno.EINVAL, f"{journal} names files outside the folder; remove it", str(journal))
        for name in commit["write"]:
            with contextlib.suppress(FileNotFoundError):
                os.replace(journal / "new" / name, folder / name)
        for name, digest in commit["remove"].items():
            with contextlib.suppress(FileNotFoundError):
                if hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest:
                    os.unlink(folder / name)
        _sync(folder)
        os.unlink(journal / _COMMIT)
    shutil.rmtree(journal, ignore_errors=True)


def _exchange(one: Path, other: Path) -> None:
    """Swap two names in one step. Raises OSError where the platform or the filesystem cannot."""
    try:
        renameat2: Callable[..., int] = ctypes.CDLL(None, use_errno=True).renameat2
    except AttributeError:
        raise OSError(errno.ENOSYS, "no renameat2") from None
    if renameat2(_AT_FDCWD, os.fsencode(one), _AT_FDCWD, os.fsencode(other), ctypes.c_uint(_RENAME_EXCHANGE)) != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), str(other))


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


def _clear_leftovers(folder: Path) -> None:
    # Every live run holds the lock while its sibling exists, and we hold it now.
    with os.scandir(folder.parent) as entries:
        left = [entry.path for entry in entries if entry.name.startswith(_prefix(folder)) and entry.is_dir()]
    for path in left:
        shutil.rmtree(path, ignore_errors=True)


def _prefix(folder: Path) -> str:
    return f".{folder.name}.porter-"


def _scratch(folder: Path) -> Path:
    scratch = folder.parent / f"{_prefix(folder)}{secrets.token_hex(6)}"
    os.mkdir(scratch)
    return scratch


def _write_all(folder: Path, files: Mapping[str, bytes]) -> None:
    for name, content in files.items():
        with open(folder / name, "xb") as stream:
            stream.write(content)
            stream.flush()
            os.fsync(stream.fileno())
            os.fchmod(stream.fileno(), 0o644)
    _sync(folder)


def _sync(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        # Some filesystems sync no directories; the order of renames is kept all the same.
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def _signals_held() -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP wait for the end of the block; python runs handlers in the main thread only."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []

    def hold(number: int, _: FrameType | None) -> None:
        held.append(number)

    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {number: signal.signal(number, hold) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, signal.SIG_DFL if handler is None else handler)
        for late in held:
            signal.raise_signal(late)
