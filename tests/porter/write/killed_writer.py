# SPDX-License-Identifier: Apache-2.0
"""Kills a writer of a folder before every step that it asks of the filesystem, one process a step.

    python -m tests.porter.write.killed_writer FOLDER SIGNAL IN_PLACE NEW.json TARGET

TARGET: `convert` for `output.write`, which writes flat folders, or the target of an export, `ExportPlan.write`, which
writes nested ones. Each run gets a copy of FOLDER/start at FOLDER/<step>; the last, highest one was not killed any
more. An audit hook counts the steps, so nothing of the code under test is replaced. See test_killed_output.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
from pathlib import Path

from porter.export.common import ExportPlan
from porter.write import output

#: Audit events of calls that change names or files; the hook runs before the call does.
STEPS = frozenset({"open", "os.chmod", "os.link", "os.mkdir", "os.remove", "os.rename", "os.rmdir", "os.utime"})


def write(target: str, folder: Path, files: dict[str, str]) -> None:
    """Write a folder as `convert` or an export does it; an export's tables are its CSV files."""
    if target == "convert":
        output.write(folder, files)
        return
    plan(target, files).write(folder)


def plan(target: str, files: dict[str, str]) -> ExportPlan:
    tables = {path: text for path, text in files.items() if path.endswith(".csv")}
    return ExportPlan(target, {path: text for path, text in files.items() if path not in tables}, {}, tables)


def killed_at(step: int, number: int) -> None:
    """From now on, send this process the signal before its n-th step, counted from 0."""
    left = step

    def hook(event: str, _: object) -> None:
        nonlocal left
        if event in STEPS:
            left -= 1
            if left == -1:
                os.kill(os.getpid(), number)

    sys.addaudithook(hook)


def main(folder: Path, number: int, in_place: bool, files: dict[str, str], target: str) -> None:
    step = 0
    while True:
        place = folder / str(step)
        shutil.copytree(folder / "start", place, symlinks=True)
        child = os.fork()
        if child == 0:
            if in_place:
                os.chdir(place / "out")
            killed_at(step, number)
            try:
                write(target, place / "out", files)
            except KeyboardInterrupt:
                os._exit(1)
            os._exit(0)
        if os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0:
            return
        step += 1


if __name__ == "__main__":
    # A shell starts what it runs in the background with SIGINT ignored, and Python then installs no handler.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    main(
        Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3] == "1", json.loads(Path(sys.argv[4]).read_text()), sys.argv[5]
    )
