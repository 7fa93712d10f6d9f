# SPDX-License-Identifier: Apache-2.0
"""What a kernel's module may not do while it is compiled, and code that depends on where that happens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from porter.errors import ToolchainError
from porter.toolchain import CompileRequest, KernelSource, children, compile_kernel, confine
from tests.porter.toolchain.test_compile import TRIVIAL

guarded = pytest.mark.skipif(bool(confine.missing()), reason=f"not here: {', '.join(confine.missing())}")


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORTER_CACHE_DIR", str(tmp_path / "cache"))


def request(head: str = "", value: str = "float(N)") -> CompileRequest:
    """A kernel that stores `value`, after `head` at the top of its module."""
    text = head + "\n" + TRIVIAL.replace("BODY", "pass").replace("float(N)", value)
    return CompileRequest(KernelSource("trivial", text), 2, 128, "gfx950")


DEPENDENT = {
    "variable": ("import os", 'float(os.environ.get("TILE", N))', "the environment variable TILE"),
    "getenv": ("import os", 'float(os.getenv("TILE") or N)', "the environment variable TILE"),
    "set or not": ("from os import environ", 'float("TILE" in environ)', "the environment variable TILE"),
    "gpu": ("import torch", "float(torch.cuda.is_available())", r"torch.cuda.is_available\(\)"),
    "gpus": ("import torch", "float(torch.cuda.device_count())", r"torch.cuda.device_count\(\)"),
    "name": ("", 'float(__name__.startswith("installed"))', "its own __name__"),
    "package": ("", "float('elsewhere' in __package__)", "its own __package__"),
    "host": ("import socket", "float(len(socket.gethostname()))", "the host's name"),
    "cpus": ("import os", "float(os.cpu_count())", "the number of CPUs"),
    "time": ("from time import time", "float(int(time()) // 1000000)", "the time"),
    "clock": ("import time", "float(time.perf_counter() > 1e9)", "the time"),
    "random": ("import random", "random.random()", "random"),
    "numpy": ("import numpy", "float(numpy.random.rand())", "numpy.random"),
    "torch": ("import torch", "torch.rand(1).item()", "torch.rand"),
    "handed on": ("", "float(len(__name__))", "what differs from time to time"),
    "unseen": ("import os", "float(os.getpid())", "what differs from time to time"),
}


@pytest.mark.parametrize("kind", DEPENDENT)
def test_code_that_depends_on_its_surroundings_is_refused_with_what_it_asks(kind: str) -> None:
    head, value, words = DEPENDENT[kind]
    with pytest.raises(ToolchainError, match=words) as caught:
        compile_kernel(request(head, value))
    assert caught.value.code == "CKT017"


def test_what_is_asked_and_changes_nothing_is_said_also_from_the_cache() -> None:
    asks = request('import os\nDEBUG = os.environ.get("DEBUG_KERNELS")')
    results = [compile_kernel(asks) for _ in range(2)]
    assert [result.asked for result in results] == [("the environment variable DEBUG_KERNELS",)] * 2
    assert [result.cached for result in results] == [False, True]
    assert compile_kernel(request("import logging\nlog = logging.getLogger(__name__)")).asked == ()


@pytest.fixture
def children_run(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, int]]:
    """(N, index of the answers) of every child that runs."""
    seen: list[tuple[int, int]] = []
    run = children.run

    def counted(job: dict[str, Any], timeout: float) -> int | None:
        seen.append((job["build"][0], job["answers"]))
        return run(job, timeout)

    monkeypatch.setattr(children, "run", counted)
    return seen


def test_a_module_that_asks_nothing_is_traced_twice_at_its_first_shape_only(
    children_run: list[tuple[int, int]],
) -> None:
    source = request("# only here").source
    for n in (2, 3):
        compile_kernel(CompileRequest(source, n, 128, "gfx950"))
    assert children_run == [(2, 0), (2, 1), (3, 0)]


def test_code_that_was_only_looked_at_is_held_once_it_matters(children_run: list[tuple[int, int]]) -> None:
    asked = request("# looked at first")
    seen = compile_kernel(asked, held=False)
    assert compile_kernel(asked, held=False).cached and children_run == [(2, 0)]
    held = compile_kernel(asked)
    assert (seen.isa, seen.identity) == (held.isa, held.identity) and children_run == [(2, 0), (2, 1)]
    assert compile_kernel(asked).cached and compile_kernel(asked, held=False).cached
    assert children_run == [(2, 0), (2, 1)]


def test_dependent_code_that_was_only_looked_at_is_refused_all_the_same() -> None:
    asks = request("import os", 'float(os.environ.get("TILE", N))')
    assert compile_kernel(asks, held=False).asked == ("the environment variable TILE",)
    for _ in range(2):
        with pytest.raises(ToolchainError, match="CKT017"):
            compile_kernel(asks)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        ("VALUE = open(PATH).read()", "reads .*/outside.txt"),
        ("import json, pathlib\nVALUE = json.loads(pathlib.Path(PATH).read_text())", "reads .*/outside.txt"),
        ("import os\nVALUE = os.path.exists(PATH)", "reads .*/outside.txt"),
        ("import os\nVALUE = os.listdir(os.path.dirname(PATH))", "reads"),
        ("try:\n    VALUE = open(PATH).read()\nexcept OSError:\n    VALUE = 1", "reads .*/outside.txt"),
        ("try:\n    open(PATH, 'w').write('x')\nexcept OSError:\n    pass", "outside.txt"),
        ("import subprocess\ntry:\n    subprocess.run(['true'])\nexcept OSError:\n    pass", "runs a program"),
        ("import socket\ntry:\n    socket.socket()\nexcept OSError:\n    pass", "opens a socket"),
        ("import os\nos.environ['FLYDSL_GPU_ARCH'] = 'gfx942'", "sets the environment variable FLYDSL_GPU_ARCH"),
    ],
)
def test_a_module_that_reaches_beyond_its_sources_is_refused(head: str, words: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("3")
    with pytest.raises(ToolchainError, match=words) as caught:
        compile_kernel(request(head.replace("PATH", repr(str(outside)))))
    assert caught.value.code == "CKT016"
    assert outside.read_text() == "3"


#: Goes around Python's own hooks, as a stranger would: ctypes.pythonapi finds every symbol of libc.
STRANGER = """
import ctypes, os
libc = ctypes.pythonapi
libc.__errno_location.restype = ctypes.POINTER(ctypes.c_int)


def call(name, *arguments):
    return libc.__errno_location()[0] if getattr(libc, name)(*arguments) < 0 else 0


raise ValueError(
    f"tried {call('open', PATH.encode(), 0)} {call('open', PATH.encode(), 1)} {call('socket', 2, 1, 0)}"
    f" {call('kill', os.getppid(), 0)} {open('/proc/self/environ').read()}."
)
"""


@guarded
def test_a_stranger_s_module_gets_nowhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET_TOKEN", "hunter2")
    monkeypatch.setattr(children, "_server", None)  # one that is started with the secret around
    outside = tmp_path / "outside.txt"
    outside.write_text("other")
    with pytest.raises(ToolchainError) as caught:
        compile_kernel(request(STRANGER.replace("PATH", repr(str(outside))).replace("open('/proc", "os.open('/proc")))
    assert "tried" not in str(caught.value)  # Landlock lets nobody read /proc
    with pytest.raises(ToolchainError, match="tried 13 13 1 1 ") as caught:
        compile_kernel(
            request(STRANGER.replace("PATH", repr(str(outside))).replace("{open('/proc/self/environ').read()}", ""))
        )
    assert "hunter2" not in str(caught.value)


def test_the_child_s_environment_is_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_SECRET_TOKEN", "hunter2")
    assert set(children.environment()) <= {"PATH", "LANG", "HOME", "LD_LIBRARY_PATH"}
    everything = "import os\nfrom porter.toolchain import ambient\n"
    everything += "raise ValueError(sorted(ambient.os._Environ.__iter__(os.environ)))"
    with pytest.raises(ToolchainError, match="FLYDSL_GPU_ARCH") as caught:
        compile_kernel(request(everything))
    assert "A_SECRET_TOKEN" not in str(caught.value)
