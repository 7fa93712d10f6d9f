# SPDX-License-Identifier: Apache-2.0
"""What a confined process can still do, tried through libc."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from porter.toolchain import confine

pytestmark = pytest.mark.skipif(bool(confine.missing()), reason=f"not here: {', '.join(confine.missing())}")

TRIES = """
import ctypes, json, os, subprocess, sys
from pathlib import Path
from porter.toolchain.confine import confine
libc = ctypes.CDLL(None, use_errno=True)
own, outside, readable, victim = sys.argv[1:]
def call(name, *arguments):
    ctypes.set_errno(0)
    return ctypes.get_errno() if getattr(libc, name)(*arguments) < 0 else 0
def tries():
    # Those that reach beyond the test's folder are given what they would refuse in another way if they were allowed.
    path, mine = outside.encode(), own.encode()
    return {
        "read": call("open", path, 0), "write": call("open", path, 1),
        "create": call("open", path + b".n", 0o101, 0o600),
        "truncate": call("truncate", path, 0), "mkdir": call("mkdir", path + b".d", 0o700),
        "link": call("link", path, mine + b"/l"), "rename": call("rename", path, mine + b"/r"),
        "chmod": call("chmod", path, 0o777), "chown": call("chown", path, 7, 7),
        "utimes": call("utimes", path, None), "setxattr": call("setxattr", path, b"user.x", b"1", 1, 0),
        "inet": call("socket", 2, 1, 0), "unix": call("socket", 1, 1, 0), "netlink": call("socket", 16, 3, 0),
        "signal": call("kill", int(victim), 0), "ptrace": call("ptrace", 2, int(victim), None, None),
        "mount": call("mount", b"none", mine, b"nonesuch", 0, None), "shm": call("shmget", 7777, 0, 0o1600),
        "sethostname": call("sethostname", None, -1), "unlink": call("unlink", path),
    }
confine(Path(own), [Path(readable), *map(Path, json.loads(os.environ["ROOTS"]))])
got = tries()
(Path(own) / "mine").write_text(Path(readable).read_text())
(Path(own) / "mine").rename(Path(own) / "still mine")
got["started"] = subprocess.run(["/bin/cat", outside], stderr=subprocess.DEVNULL).returncode
got["own signal"] = call("kill", os.getpid(), 0)
print(json.dumps(got))
"""


def state(path: Path) -> tuple[int, int, float]:
    found = path.stat()
    return found.st_mode, found.st_uid, found.st_mtime


def test_a_confined_process_reaches_nothing_but_its_folder(tmp_path: Path) -> None:
    own, outside, readable = tmp_path / "own", tmp_path / "outside", tmp_path / "readable"
    own.mkdir()
    for path in (outside, readable):
        path.write_text(path.name)
    os.utime(outside, (1, 1))
    before = state(outside)
    from porter.toolchain.ambient import toolchain_roots

    environment = {**os.environ, "ROOTS": json.dumps(toolchain_roots())}
    command = [sys.executable, "-c", TRIES, str(own), str(outside), str(readable), str(os.getpid())]
    result = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert result.returncode == 0, result.stderr
    got = json.loads(result.stdout)
    assert [got.pop(name) for name in ("chmod", "chown", "utimes")] == [0, 0, 0] and state(outside) == before
    assert got.pop("own signal") == 0 and got.pop("started") != 0
    refused = {name: error for name, error in got.items() if error in (1, 13, 18)}  # EPERM, EACCES, EXDEV
    assert refused == got and len(got) == 17
    assert outside.read_text() == "outside" and (own / "still mine").read_text() == "readable"
    assert sorted(os.listdir(tmp_path)) == ["outside", "own", "readable"]
