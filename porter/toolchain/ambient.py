# SPDX-License-Identifier: Apache-2.0
"""What a module asks of its surroundings while it is compiled, and two sets of answers to it; compiling child only.

The arguments of `build` and the sources beside a kernel are all that may decide its code. A kernel is traced under both
sets: the same code under both, and only then, is the code of that kernel. Answers differ for the module's own frames
alone, so the compiler behaves as ever. This finds honest dependence; it does not outwit an author who hides one.
"""

from __future__ import annotations

import ast
import importlib.util
import os
import platform
import random
import re
import socket
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

from porter.toolchain.syntax import nodes


@dataclass(frozen=True, slots=True)
class Answers:
    """package: the kernel's; variable: value of each environment variable asked for, None: unset; gpus: torch's; later:
    seconds that the clock is ahead; seed: of random numbers, which forked children would else draw alike."""

    package: str
    variable: str | None
    gpus: int
    host: str
    later: float
    cpus: int
    seed: int


ANSWERS = (
    Answers("kernels", None, 0, "localhost", 0.0, 2, 1),
    Answers("installed.elsewhere.kernels", "1", 8, "build-7", 1e9 + 4321.0, 96, 2),
)

#: Files that every process may read: what they hold is the same everywhere, or is not to be told apart.
_HARMLESS = (os.devnull, "/dev/urandom", "/dev/random", "/dev/zero")
_FILE_EVENTS = frozenset({"open", "os.listdir", "os.scandir", "os.stat", "shutil.copyfile", "glob.glob"})
_OTHER_EVENTS = {
    "subprocess.Popen": "runs a program",
    "os.system": "runs a program",
    "os.exec": "runs a program",
    "os.posix_spawn": "runs a program",
    "os.fork": "forks",
    "socket.__new__": "opens a socket",
    "ctypes.dlopen": "loads a library",
}
#: What the child sets from the request.
_PART_OF_THE_KEY = frozenset({"FLYDSL_GPU_ARCH"})
#: Names by which a module learns where it lies.
_OWN_NAMES = frozenset({"__name__", "__package__", "__file__", "__path__", "__spec__", "__loader__"})
#: What a module can read without a call that is seen here.
_UNSEEN = frozenset(
    {"random", "secrets", "uuid", "datetime", "ctypes", "sys.modules", "sys.argv", "sys._getframe", "sys.executable"}
    | {"os.environb", "posix", "torch.version", "numpy.random", "np.random", "torch.rand"}
)
#: Without one of these words a text reads none of them, and need not be parsed.
_MENTIONED = re.compile(rf"\b({'|'.join({*_OWN_NAMES, *(name.partition('.')[0] for name in _UNSEEN)})})\b")
_STDLIB = tuple({sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib")})
_SITE = ("site-packages", "dist-packages")


@dataclass
class Surroundings:
    """What one child's modules ask for. sources: their folder; roots: what the toolchain itself is made of."""

    answers: Answers
    sources: str
    roots: tuple[str, ...]
    #: What was asked, in words; it may decide the code only if the code differs between the answers.
    asked: set[str] = field(default_factory=set)
    #: What was reached beyond the sources, in words.
    reached: set[str] = field(default_factory=set)

    def install(self) -> None:
        """Answer from here on. The process is a compiling child, so nothing is put back."""
        _Environment.surroundings = self
        os.environ.__class__ = _Environment
        answers = self.answers
        self._answer(socket, "gethostname", "the host's name", lambda: answers.host)
        self._answer(platform, "node", "the host's name", lambda: answers.host)
        self._answer(os, "cpu_count", "the number of CPUs", lambda: answers.cpus)
        self._answer(os, "getcwd", "the working folder", os.getcwd)
        for clock in ("time", "monotonic", "perf_counter"):
            self._answer(time, clock, "the time", _ahead(getattr(time, clock), answers.later))
            self._answer(
                time, f"{clock}_ns", "the time", _ahead(getattr(time, f"{clock}_ns"), int(answers.later * 1e9))
            )
        for name in ("stat", "lstat", "access"):
            self._watch_path(name)
        self._answer_gpus()
        self._seed()
        sys.addaudithook(self._audit)

    def read_texts(self, texts: Iterable[str]) -> None:
        """Note what modules ask for in ways that leave no trace when they run."""
        for text in filter(_MENTIONED.search, texts):
            self.asked |= {f"its own {name}" for name in _own_names(nodes(text))}
            self.asked |= _UNSEEN & set(_named(nodes(text)))

    def _seed(self) -> None:
        import numpy
        import torch

        for seed in (random.seed, numpy.random.seed, torch.manual_seed):
            seed(self.answers.seed)

    def _answer_gpus(self) -> None:
        import torch

        gpus = self.answers.gpus
        self._answer(torch.cuda, "is_available", "torch.cuda.is_available()", lambda: gpus > 0)
        self._answer(torch.cuda, "device_count", "torch.cuda.device_count()", lambda: gpus)
        for name in ("get_device_properties", "get_device_name", "get_device_capability", "current_device"):
            self._answer(torch.cuda, name, f"torch.cuda.{name}()", getattr(torch.cuda, name))

    def _answer(self, module: Any, name: str, words: str, answer: Callable[..., Any]) -> None:
        real = getattr(module, name)

        def asked(*args: Any, **keywords: Any) -> Any:
            if not self._is_author(sys._getframe(1)):
                return real(*args, **keywords)
            self.asked.add(words)
            return answer(*args, **keywords)

        setattr(module, name, asked)

    def _watch_path(self, name: str) -> None:
        real = getattr(os, name)

        def watched(path: Any, *args: Any, **keywords: Any) -> Any:
            self._audit("os.stat", (path,))
            return real(path, *args, **keywords)

        setattr(os, name, watched)

    def _audit(self, event: str, arguments: tuple[Any, ...]) -> None:
        if event in _FILE_EVENTS:
            path = arguments[0]
            if isinstance(path, str | bytes | os.PathLike) and self._is_author(sys._getframe(1), anywhere=True):
                place = os.path.abspath(os.fsdecode(path))
                if not self._inside(place) and not (event == "os.stat" and self._above(place)):
                    self.reached.add(f"reads {place}")
                    raise FileNotFoundError(2, "outside of the kernel's sources", place)
        elif event in _OTHER_EVENTS and self._is_author(sys._getframe(1), anywhere=True):
            self.reached.add(_OTHER_EVENTS[event])
            raise PermissionError(1, f"a kernel's module {_OTHER_EVENTS[event]}")

    def _inside(self, path: str) -> bool:
        return path in _HARMLESS or any((path + os.sep).startswith(root + os.sep) for root in self.roots)

    def _above(self, path: str) -> bool:
        """A path is resolved step by step, so folders above the toolchain's are looked at, not into."""
        return any(root.startswith(os.path.join(path, "")) for root in self.roots)

    def _is_author(self, frame: FrameType | None, anywhere: bool = False) -> bool:
        """Whether the kernel's modules call: directly or through the standard library, or anywhere up the stack."""
        while frame is not None:
            place = frame.f_code.co_filename
            if place.startswith(self.sources):
                return True
            if not anywhere and not _of_stdlib(place):
                return False
            frame = frame.f_back
        return False


def _of_stdlib(place: str) -> bool:
    return (
        place.startswith("<frozen")
        or place == __file__
        or (place.startswith(_STDLIB) and not any(f"{os.sep}{site}{os.sep}" in place for site in _SITE))
    )


class _Environment(os._Environ):  # type: ignore[type-arg]
    """os.environ that knows who asks."""

    surroundings: Surroundings

    def __getitem__(self, name: Any) -> Any:
        surroundings = self.surroundings
        if name not in _PART_OF_THE_KEY and surroundings._is_author(sys._getframe(1)):
            surroundings.asked.add(f"the environment variable {name}")
            if surroundings.answers.variable is None:
                raise KeyError(name)
            return surroundings.answers.variable
        return super().__getitem__(name)

    def __setitem__(self, name: Any, value: Any) -> None:
        if self.surroundings._is_author(sys._getframe(1)):
            self.surroundings.reached.add(f"sets the environment variable {name}")
        super().__setitem__(name, value)

    def __iter__(self) -> Iterator[Any]:
        if self.surroundings._is_author(sys._getframe(1)):
            self.surroundings.asked.add("all environment variables")
            return iter(())
        return super().__iter__()


def _ahead(clock: Callable[[], float], by: float) -> Callable[[], float]:
    return lambda: clock() + by


def _own_names(module: Iterable[ast.AST]) -> Iterator[str]:
    """Names that are compared or taken apart. Handing one on, to a logger or an op's name, is usual."""
    for node in module:
        if isinstance(node, ast.Compare) and ast.unparse(node) != "__name__ == '__main__'":
            looked_at: list[ast.expr] = [node.left, *node.comparators]
        elif isinstance(node, ast.Attribute | ast.Subscript):
            looked_at = [node.value]
        else:
            continue
        yield from (part.id for part in looked_at if isinstance(part, ast.Name) and part.id in _OWN_NAMES)


def _named(module: Iterable[ast.AST]) -> Iterator[str]:
    """Dotted names that are read, and those of imported modules and of what is imported from them."""
    for node in module:
        if isinstance(node, ast.Attribute):
            yield _dotted(node)
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))


def _dotted(node: ast.expr) -> str:
    """`a.b.c`, or "" for an attribute of anything but a name."""
    if isinstance(node, ast.Attribute):
        left = _dotted(node.value)
        return f"{left}.{node.attr}" if left else ""
    return node.id if isinstance(node, ast.Name) else ""


def toolchain_roots() -> tuple[str, ...]:
    """Folders and files that the compiler and Python are made of, with links resolved and as they are named."""
    named = [sys.prefix, sys.base_prefix, sys.exec_prefix, *sys.path, *_STDLIB, "/usr", "/lib", "/lib64", "/bin"]
    # Installed in place, a package lies outside sys.path.
    found = [importlib.util.find_spec(name) for name in ("porter", "flydsl", "torch")]
    named += [os.path.dirname(str(spec.origin)) for spec in found if spec]
    named += ["/etc/ld.so.cache", "/proc/cpuinfo", "/proc/meminfo", "/sys/devices/system/cpu"]
    existing = [path for path in named if path and os.path.exists(path) and path != os.sep]
    return tuple(sorted({place for path in existing for place in (os.path.abspath(path), os.path.realpath(path))}))


def of_sources(folder: Path) -> str:
    """The prefix of the paths of all modules in a folder."""
    return os.path.join(os.path.realpath(folder), "")
