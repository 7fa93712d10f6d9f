# SPDX-License-Identifier: Apache-2.0
"""A lock that cannot be had, and one that another run holds."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from porter.write.atomic_folder import lock

ROOT = Path(__file__).parents[3]
WRITE = "import sys, pathlib; from porter.write import output; output.write(pathlib.Path(sys.argv[1]), {'a.py': 'a'})"
#: Holds a lock, says so, and lets it go at a line of input.
HOLD = "import sys, filelock; lock = filelock.FileLock(sys.argv[1]); lock.acquire(); print(flush=True); input()"


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="/proc is Linux's")
def test_a_folder_whose_lock_cannot_be_made_is_an_error_and_no_wait() -> None:
    """For root access(2) says that /proc can be written, and nothing can be made there."""
    command = [sys.executable, "-c", WRITE, "/proc/porter-kernels"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 1 and "CKP060" in done.stderr


def test_waiting_for_another_run_is_said_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / ".kernels.porter-lock"
    command = [sys.executable, "-c", HOLD, str(file)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdin and other.stdout and other.stdout.readline()
        said: list[str] = []

        def echo(text: str, err: bool) -> None:
            said.append(text)
            assert err and other.stdin
            other.stdin.write("\n")
            other.stdin.flush()

        monkeypatch.setattr(lock, "_PATIENCE", 0.05)
        monkeypatch.setattr("click.echo", echo)
        with lock.held(tmp_path / "kernels") as holds:
            assert holds
    assert len(said) == 1 and "waiting for another run" in said[0]
    assert not list(tmp_path.iterdir())


def test_a_free_lock_says_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with lock.held(tmp_path / "kernels") as holds:
        assert holds
    assert capsys.readouterr().err == ""
    assert not list(tmp_path.iterdir())
