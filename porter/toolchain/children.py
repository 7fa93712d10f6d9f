# SPDX-License-Identifier: Apache-2.0
"""The client of `porter.toolchain.server`: run a job in a child of it and wait for the end."""

from __future__ import annotations

import atexit
import contextlib
import itertools
import json
import os
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import Future
from concurrent.futures import TimeoutError as Late
from typing import Any

#: All that a child sees of the environment, beside what it sets itself. LD_LIBRARY_PATH may be how torch is found.
_KEPT = ("LD_LIBRARY_PATH",)
_START = "import sys; sys.path[:] = {path!r}; from porter.toolchain.server import main; main()"


def environment() -> dict[str, str]:
    """The fixed, short environment of the server: nothing of the user's but where shared libraries lie."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    return {"PATH": os.defpath, "LANG": "C.UTF-8", "HOME": os.devnull, **kept}


class Server:
    """One running server; thread-safe."""

    def __init__(self) -> None:
        self.said = tempfile.TemporaryFile()  # noqa: SIM115 (as long as the server lives)
        start = _START.format(path=[entry for entry in sys.path if entry])
        self.process = subprocess.Popen(
            [sys.executable, "-I", "-c", start],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.said,
            env=environment(),
            start_new_session=True,
        )
        self.owner = os.getpid()
        self.lock = threading.Lock()
        self.numbers = itertools.count()
        self.waiting: dict[int, Future[int]] = {}
        self.ended = False
        threading.Thread(target=self._listen, daemon=True).start()
        atexit.register(self._end)

    def run(self, job: dict[str, Any], timeout: float) -> int | None:
        """The exit code of the job's process, negative for a signal; None when it ran past `timeout` s and was killed.

        Raises OSError where the server itself is gone.
        """
        future: Future[int] = Future()
        number = next(self.numbers)
        with self.lock:
            if self.ended:
                raise BrokenPipeError("the compiling server has ended")
            self.waiting[number] = future
        self._tell({"id": number, "job": job})
        try:
            return future.result(timeout)
        except Late:
            self._tell({"kill": number})
            with contextlib.suppress(OSError):
                future.result()
            return None

    def _tell(self, order: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        with self.lock:
            self.process.stdin.write(json.dumps(order).encode() + b"\n")
            self.process.stdin.flush()

    def _end(self) -> None:
        if self.owner == os.getpid() and self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
            self.process.wait()

    def _listen(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            answer = json.loads(line)
            with self.lock:
                future = self.waiting.pop(answer["id"])
            future.set_result(answer["code"])
        self.process.wait()
        with self.lock:
            self.ended = True
            left, self.waiting = list(self.waiting.values()), {}
        self.said.seek(0)
        words = self.said.read().decode(errors="replace").strip()
        for future in left:
            future.set_exception(BrokenPipeError(f"the compiling server has ended: {words}"))


_server: Server | None = None
_starting = threading.Lock()


def run(job: dict[str, Any], timeout: float) -> int | None:
    """`Server.run` on this process's server, started at need and again after its death."""
    global _server
    with _starting:
        if _server is None or _server.ended or _server.owner != os.getpid():
            _server = Server()
        server = _server
    return server.run(job, timeout)
