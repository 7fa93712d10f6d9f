# SPDX-License-Identifier: Apache-2.0
"""Compile one kernel for a named arch, in a child process that is forked from a warm parent.

A child, because LLVM aborts or crashes on some inputs, FlyDSL keeps global state, and the module is somebody's program;
forked from a parent that has imported FlyDSL once, because that import costs seconds (docs/notes/flydsl.md#compiling).
"""

from __future__ import annotations

import ast
import json
import os
import signal
import stat
import sys
import tempfile
import threading
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from porter.errors import ToolchainError, ToolchainMissing
from porter.toolchain import cache as kernel_cache
from porter.toolchain import children
from porter.toolchain.host_calls import HostCall
from porter.toolchain.launch import Launch
from porter.toolchain.tools import find_linker, find_objcopy, flydsl_version

#: Seconds; the slowest kernel seen (K unrolled 128 times) took 38 on a loaded machine (docs/notes/flydsl.md#compiling).
DEFAULT_TIMEOUT = 180.0

ISA_FILE, OBJECT_FILE, SPEC_FILE, LAUNCHES_FILE = "kernel.s", "kernel.co", "spec.json", "launches.json"
ERROR_FILE, ASKED_FILE, IDENTITY_FILE, HOST_FILE = "error.json", "asked.json", "identity", "host.json"
EXPORT_FILES = ("export.o", "export.h")


#: Packages whose version, not whose files, decides what they do. importlib can reach anything.
_KNOWN_PACKAGES = (sys.stdlib_module_names | {"flydsl", "torch", "numpy"}) - {"importlib", "imp", "runpy"}


_parse_lock = threading.Lock()


@cache
def _imports_known_packages(text: str) -> bool:
    """False too for what is no Python."""
    try:
        # CPython counts the depth of an AST per interpreter: two threads that parse at once confuse it (SystemError).
        with _parse_lock:
            tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names.add(node.module or "")
        elif isinstance(node, ast.Name) and node.id == "__import__":
            names.add(node.id)
    return {name.partition(".")[0] for name in names} <= _KNOWN_PACKAGES


@dataclass(frozen=True, slots=True)
class KernelSource:
    """The text of one kernel module, and of the modules that it imports from beside it (file name -> text)."""

    name: str
    text: str
    support: dict[str, str] = field(default_factory=dict)

    @classmethod
    def from_file(cls, path: Path) -> KernelSource:
        """A module on disk with every `_*.py` beside it."""
        support = {p.name: p.read_text(encoding="utf-8") for p in sorted(path.parent.glob("_*.py"))}
        return cls(path.stem, path.read_text(encoding="utf-8"), support)

    @property
    def self_contained(self) -> bool:
        """Whether these texts are all that decides what is compiled.

        They are not where one imports other packages by absolute name: what those hold is not read here, so neither the
        compiled kernel nor a verdict on it may be kept.
        """
        return all(_imports_known_packages(text) for text in (self.text, *self.support.values()))

    def with_texts(self, texts: Mapping[str, str]) -> KernelSource:
        """The same modules with the texts that are given here (file name -> text) instead of their own."""
        support = {name: texts.get(name, text) for name, text in self.support.items()}
        return KernelSource(self.name, texts.get(f"{self.name}.py", self.text), support)


@dataclass(frozen=True, slots=True)
class CompileRequest:
    """A kernel module, the N and K that its `build` takes, and the arch to compile for.

    c_symbol: also make the code object and FlyDSL's C export, under this C identifier, where the tools for them are
    installed; without one there is ISA text alone, which is all that a proof needs. a_stride, b_stride: bytes from one
    row of A and of B to the next, None = K; a `build` that takes no strides has K.
    """

    source: KernelSource
    n: int
    k: int
    arch: str
    c_symbol: str = ""
    a_stride: int | None = None
    b_stride: int | None = None

    @property
    def build_arguments(self) -> tuple[int, ...]:
        """What `build` is called with: N, K, and the strides where rows are padded."""
        strides = (self.a_stride or self.k, self.b_stride or self.k)
        return (self.n, self.k) if strides == (self.k, self.k) else (self.n, self.k, *strides)


@dataclass(frozen=True, slots=True)
class CExport:
    """FlyDSL's C export: a host object (ELF, for this machine) with launcher and code object in it, and its header."""

    host_object: bytes
    header: bytes


@dataclass(frozen=True, slots=True)
class CompiledKernel:
    """What the compiler made.

    isa: text with `.amdhsa_` directives and metadata; spec: the module's SPEC; launches: what its launcher does, in
    order; code_object: ELF bytes, and c_export: None where not asked for or without tools; cached: whether it came from
    the cache; asked: what the module asked of its surroundings, in words; none of the answers tried changed the code;
    identity: of what was lowered, launches and compile hints included.
    """

    request: CompileRequest
    isa: str
    spec: dict[str, Any]
    launches: tuple[Launch, ...]
    code_object: bytes | None
    cached: bool
    c_export: CExport | None = None
    asked: tuple[str, ...] = ()
    identity: str = ""


def compile_kernel(
    request: CompileRequest, *, timeout: float = DEFAULT_TIMEOUT, use_cache: bool = True, held: bool = True
) -> CompiledKernel:
    """Compile, or take from the cache.

    held: whether the module must give the same code in other surroundings. It need not where porter wrote its text this
    moment and only looks at the code: that costs a second trace.

    Raises ToolchainMissing (CKT001) without flydsl or torch; ToolchainError: CKT002 the module or FlyDSL raised,
    CKT003 the compiler died on a signal, CKT004 it ran past `timeout` seconds, CKT011 the launcher cannot be followed,
    CKT012 its compile hints cannot be told, CKT015 it launches nothing, CKT016 the module reaches beyond its sources,
    CKT017 its code depends on its surroundings (where held).
    """
    version = flydsl_version()
    if not version:
        raise ToolchainMissing("CKT001", "flydsl is not installed", hint="porter doctor says how to get it")
    linker = find_linker() if request.c_symbol else None
    objcopy = find_objcopy() if linker else None
    parts = {
        "flydsl": version,
        "arch": request.arch,
        "build": request.build_arguments,
        "source": request.source.text,
        "support": request.source.support,
        "linked": linker is not None,
        "c_symbol": request.c_symbol if objcopy else "",
    }
    keys = [kernel_cache.key_of(parts), kernel_cache.key_of({**parts, "held": False})]
    use_cache = use_cache and request.source.self_contained
    files = _first(keys[: 1 if held else 2]) if use_cache else None
    cached = files is not None
    if files is None:
        tools = {name: str(tool) for name, tool in (("ld.lld", linker), ("llvm-objcopy", objcopy)) if tool}
        files = (_first(keys[1:]) if use_cache else None) or _run_child(request, tools, timeout, 0)
        if held:
            _hold_surroundings(request, files[IDENTITY_FILE], json.loads(files[ASKED_FILE])["asked"], timeout)
        if use_cache:
            kernel_cache.store(keys[0 if held else 1], files)
    return CompiledKernel(
        request=request,
        isa=files[ISA_FILE].decode(),
        spec=json.loads(files[SPEC_FILE]),
        launches=tuple(Launch.from_json(launch) for launch in json.loads(files[LAUNCHES_FILE])),
        code_object=files.get(OBJECT_FILE),
        cached=cached,
        identity=files[IDENTITY_FILE].decode(),
        asked=tuple(json.loads(files[ASKED_FILE])["asked"]),
        c_export=CExport(*(files[name] for name in EXPORT_FILES)) if EXPORT_FILES[0] in files else None,
    )


def compile_many(
    requests: Iterable[CompileRequest],
    *,
    jobs: int | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    use_cache: bool = True,
    held: bool = True,
    progress: Callable[[CompileRequest], None] | None = None,
) -> list[CompiledKernel | ToolchainError]:
    """`compile_kernel` in parallel; a failed kernel is a value in the list, and the others still compile. In order."""

    def one(request: CompileRequest) -> CompiledKernel | ToolchainError:
        try:
            return compile_kernel(request, timeout=timeout, use_cache=use_cache, held=held)
        except ToolchainError as error:
            return error
        finally:
            if progress is not None:
                progress(request)

    with ThreadPoolExecutor(max_workers=jobs or os.cpu_count() or 1) as pool:
        return list(pool.map(one, requests))


def _first(keys: Sequence[str]) -> dict[str, bytes] | None:
    """The first of these entries that the cache has."""
    return next((files for files in map(kernel_cache.load, keys) if files is not None), None)


def _hold_surroundings(request: CompileRequest, identity: bytes, asked: list[str], timeout: float) -> None:
    """Trace once more with other answers to all that a module may ask. Raises ToolchainError CKT017 for other code.

    A trace costs two thirds of a compilation, so a module that was seen to ask nothing is traced again at its first
    N and K only, which finds what nobody recorded.
    """
    texts = {"source": request.source.text, "support": request.source.support}
    key = kernel_cache.key_of({"surroundings": flydsl_version(), "arch": request.arch, **texts})
    with _settling[key]:
        if not asked and (key in _settled or kernel_cache.load(key) is not None):
            return
        try:
            other = _run_child(request, {}, timeout, 1)[IDENTITY_FILE]
        except ToolchainError as error:
            if error.code in ("CKT003", "CKT004"):
                raise
            other = b"it does not even compile"
        if other != identity:
            what = ", ".join(asked) or "what differs from time to time"
            raise ToolchainError(
                "CKT017",
                f"{_label(request)}: its code depends on where it is compiled: the module asks for {what}",
                hint="decide by N, K and what `build` is given, so that the code that runs is the code that is proved",
            )
        if not asked:
            _settled.add(key)
            if request.source.self_contained:
                kernel_cache.store(key, {"settled": b""})


#: Modules that are known to ask nothing, by key, and a lock for each, so that one thread finds out.
_settled: set[str] = set()
_settling: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


def record_host(
    compiled: CompiledKernel, function: str, calls: Iterable[HostCall], timeout: float = DEFAULT_TIMEOUT
) -> Any:
    """What the host function of a compiled kernel launches at each call: `porter.toolchain.host_child.record`.

    It runs in a child, on a stand-in GPU. Raises ToolchainError: CKT018 it raises there; CKT003, CKT004 as
    `compile_kernel`.
    """
    request = compiled.request
    job = {"function": function, "calls": [call.to_json() for call in calls]}
    try:
        return json.loads(_run(request, {"tools": {}, **job}, timeout, HOST_FILE)[HOST_FILE])
    except ToolchainError as error:
        code = "CKT018" if error.code == "CKT002" else error.code
        raise ToolchainError(code, f"{function} of {error.message}", hint=error.hint) from error


def _run_child(request: CompileRequest, tools: dict[str, str], timeout: float, answers: int) -> dict[str, bytes]:
    job = {"tools": tools, "c_symbol": request.c_symbol, "answers": answers}
    return _run(request, job, timeout, IDENTITY_FILE)


def _run(request: CompileRequest, more: dict[str, Any], timeout: float, wanted: str) -> dict[str, bytes]:
    """Files that a job of a child leaves, `wanted` among them."""
    with tempfile.TemporaryDirectory(prefix="porter-compile-") as scratch:
        folder = Path(scratch)
        (folder / "source").mkdir()
        (folder / "result").mkdir()
        for name, text in {**request.source.support, request.source.name + ".py": request.source.text}.items():
            (folder / "source" / name).write_text(text, encoding="utf-8")
        place = {"folder": scratch, "module": request.source.name}
        job = {**place, "build": list(request.build_arguments), "arch": request.arch, **more}
        try:
            code = children.run(job, timeout)
        except OSError as error:
            raise ToolchainError("CKT003", f"{_label(request)}: {error}") from error
        if code is None:
            raise ToolchainError(
                "CKT004",
                f"{_label(request)}: the compiler ran past {timeout:g} s and was stopped",
                hint="give a larger --timeout, or report the kernel",
            )
        said = (_written(folder / "stderr") or b"").decode(errors="replace")
        results = {path.name: _written(path) for path in (folder / "result").iterdir()}
        files = {name: content for name, content in results.items() if content is not None}
        if reached := json.loads(files.get(ASKED_FILE, b"{}")).get("reached"):
            hint = "what decides a kernel's code must stand in its module and in those it imports with `from .`"
            raise ToolchainError("CKT016", f"{_label(request)}: its module {', '.join(reached)}", hint=hint)
        if ERROR_FILE in files:
            failure = json.loads(files[ERROR_FILE])
            text = f"{_label(request)}: {failure['message']}{_words(said)}"
            raise ToolchainError(failure["code"], text, hint=failure["hint"])
        if code != 0 or wanted not in files:
            how = f"died on {signal.Signals(-code).name}" if code < 0 else f"exited with {code} and no result"
            raise ToolchainError("CKT003", f"{_label(request)}: the compiler {how}{_words(said)}")
        return files


def _written(path: Path) -> bytes | None:
    """What a child wrote, None for anything but a plain file: a link could lead to what the child may not read."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    with open(handle, "rb") as stream:
        return stream.read() if stat.S_ISREG(os.fstat(handle).st_mode) else None


def _label(request: CompileRequest) -> str:
    return f"{request.source.name} (N={request.n}, K={request.k}, {request.arch})"


def _words(said: str) -> str:
    lines = [line for line in said.strip().splitlines() if line.strip()]
    return "\n  compiler: " + "\n  compiler: ".join(lines[-12:]) if lines else ""
