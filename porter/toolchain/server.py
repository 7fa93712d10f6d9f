# SPDX-License-Identifier: Apache-2.0
"""The warm parent of the compiling children: imports FlyDSL once, then forks one child a job, with nothing else in it.

It is started with a short environment of its own, so no child can find what its user's environment holds. A line of
JSON on stdin starts or ends a job; one on stdout tells how a job's process ended.
"""

from __future__ import annotations

import contextlib
import gc
import inspect
import json
import os
import select
import signal
from typing import Any


def main() -> None:
    """Serve until stdin ends; then kill what still runs."""
    with contextlib.suppress(Exception):
        # A child that needs it fails with the reason.
        import porter.toolchain._flydsl  # noqa: F401

        # Once here, not in every child: where each of 2,000 modules lies, which torch asks when it registers an op.
        inspect.getmodule(main.__code__)
    # What was imported stays: no child's collector need walk it, and copy its pages.
    gc.collect()
    gc.freeze()
    wakeup, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the user's word to the parent, which ends stdin
    running: dict[int, int] = {}
    pending = b""
    while True:
        ready, _, _ = select.select([0, wakeup], [], [])
        if wakeup in ready:
            os.read(wakeup, 4096)
            _reap(running)
        if 0 in ready:
            data = os.read(0, 1 << 16)
            *lines, pending = (pending + data).split(b"\n")
            for line in lines:
                _obey(json.loads(line), running)
            if not data:
                break
    for process in running:
        _kill(process)


def _obey(order: dict[str, Any], running: dict[int, int]) -> None:
    if "kill" in order:
        for process, job in running.items():
            if job == order["kill"]:
                _kill(process)
        return
    process = os.fork()
    if process:
        running[process] = order["id"]
        return
    try:
        _child(order["job"])
    finally:
        # Neither the server's loop nor its clean-up may run here.
        os._exit(1)


def _child(job: dict[str, Any]) -> None:
    from porter.toolchain.child import call_host_in_child, compile_in_child
    from porter.toolchain.confine import die_with_parent

    die_with_parent()
    os.setsid()
    signal.set_wakeup_fd(-1)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDWR)
    for handle in (0, 1, 2):
        os.dup2(nothing, handle)
    os.closerange(3, max(nothing, 256) + 1)
    (call_host_in_child if "function" in job else compile_in_child)(**job)
    os._exit(0)


def _reap(running: dict[int, int]) -> None:
    for process in list(running):
        ended, status = os.waitpid(process, os.WNOHANG)
        if ended:
            with contextlib.suppress(OSError):
                os.killpg(process, signal.SIGKILL)  # what the job left behind
            answer = {"id": running.pop(process), "code": os.waitstatus_to_exitcode(status)}
            os.write(1, json.dumps(answer).encode() + b"\n")


def _kill(process: int) -> None:
    for kill in (os.killpg, os.kill):
        with contextlib.suppress(OSError):
            kill(process, signal.SIGKILL)
