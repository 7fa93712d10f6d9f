# SPDX-License-Identifier: Apache-2.0
"""The cache of compiled kernels under real processes: killed writers, several at once, damaged entries."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from porter.toolchain import cache

KEY = "ab" * 32
FILES = {"kernel.s": b"s" * 100_000, "spec.json": b"{}", "launches.json": b"[]"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PORTER_CACHE_DIR", str(tmp_path))
    return tmp_path / "kernels" / KEY[:2]


def test_what_was_stored_is_loaded_and_nothing_else_lies_there(folder: Path) -> None:
    assert cache.load(KEY) is None
    cache.store(KEY, FILES)
    cache.store(KEY, FILES)
    assert cache.load(KEY) == FILES
    assert os.listdir(folder) == [KEY]


def damage(entry: Path, how: str) -> None:
    if how == "changed":
        (entry / "kernel.s").write_bytes(b"t" * 100_000)
    elif how == "cut":
        os.truncate(entry / "kernel.s", 4096)
    elif how == "lost":
        (entry / "spec.json").unlink()
    elif how == "added":
        (entry / "kernel.co").write_bytes(b"")
    elif how == "no digests":
        (entry / "digests.json").unlink()
    else:
        for path in entry.iterdir():
            path.unlink()


@pytest.mark.parametrize("how", ["changed", "cut", "lost", "added", "no digests", "empty"])
def test_a_damaged_entry_is_dropped_and_stored_anew(how: str, folder: Path) -> None:
    cache.store(KEY, FILES)
    damage(folder / KEY, how)
    assert cache.load(KEY) is None
    assert os.listdir(folder) == []
    cache.store(KEY, FILES)
    assert cache.load(KEY) == FILES


KILLED = """
import os, signal, sys
from porter.toolchain import cache
left = int(sys.argv[2])
def hook(event, _):
    global left
    if event in ("open", "os.mkdir", "os.rename", "os.remove", "os.rmdir"):
        left -= 1
        if left == -1:
            os.kill(os.getpid(), signal.SIGKILL)
files = {"kernel.s": b"s" * 100_000, "spec.json": b"{}", "launches.json": b"[]"}
sys.addaudithook(hook)
cache.store(sys.argv[1], files)
"""


def test_a_killed_writer_leaves_no_entry_or_a_whole_one_and_its_rest_goes_later(folder: Path) -> None:
    codes = []
    for step in range(100):
        codes.append(subprocess.run([sys.executable, "-c", KILLED, KEY, str(step)], check=False).returncode)
        assert cache.load(KEY) in (None, FILES)
        if codes[-1] == 0:
            break
    assert len(codes) > 5 and codes == [-signal.SIGKILL] * (len(codes) - 1) + [0]
    assert cache.load(KEY) == FILES
    left = [path for path in folder.iterdir() if path.name != KEY]
    assert left
    fresh, *abandoned = left
    for path in abandoned:
        os.utime(path, (1, 1))
    cache.store(KEY, FILES)
    assert sorted(folder.iterdir()) == sorted([fresh, folder / KEY])


AT_ONCE = """
import sys
from porter.toolchain import cache
key, mark = sys.argv[1:]
print("ready", flush=True)
sys.stdin.readline()
for turn in range(300):
    content = f"{mark}{turn}".encode() * 3000
    cache.store(key, {"kernel.s": content, "spec.json": content})
    found = cache.load(key)
    assert found is None or len(found) == 2 and found["kernel.s"] == found["spec.json"], found
    # Somebody damages the entry now and then, so that it is also dropped and stored while others use it.
    if turn % 3 == 0:
        try:
            (cache._folder(key) / "spec.json").unlink()
        except FileNotFoundError:
            pass
"""


def test_writers_and_readers_at_once_see_whole_entries_only(folder: Path) -> None:
    command = [sys.executable, "-c", AT_ONCE, KEY]
    others = [
        subprocess.Popen([*command, mark], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for mark in "xyz"
    ]
    for other in others:
        assert other.stdout is not None and other.stdout.readline() == "ready\n"
    for other in others:
        assert other.stdin is not None
        other.stdin.write("\n")
        other.stdin.flush()
    for other in others:
        other.communicate(timeout=120)
        assert other.returncode == 0
    assert {path.name for path in folder.iterdir()} <= {KEY}


@pytest.mark.parametrize("place", [KEY, f"{KEY}/kernel.s"], ids=["entry", "file"])
def test_an_unreadable_cache_is_no_error(place: str, folder: Path) -> None:
    """A link to itself is what root cannot read either."""
    cache.store(KEY, FILES)
    (folder / place).rename(folder / "aside")
    (folder / place).symlink_to(folder / place)
    assert cache.load(KEY) is None
