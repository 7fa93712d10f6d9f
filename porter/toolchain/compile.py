# SPDX-License-Identifier: Apache-2.0
"""Compile one kernel for a named arch, in a child process that is forked from a warm parent.

A child, because LLVM aborts or crashes on some inputs and FlyDSL keeps global state; forked from a parent that has
imported FlyDSL once, because that import costs seconds (flydsl.md A1).
"""

from __future__ import annotations

import ast
import json
import multiprocessing
import os
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from porter.errors import ToolchainError, ToolchainMissing
from porter.toolchain import cache as kernel_cache
from porter.toolchain.launch import Launch
from porter.toolchain.tools import find_linker, find_objcopy, flydsl_version

#: Seconds; the slowest kernel seen (K unrolled 128 times) took 38 on a loaded machine (flydsl.md A1).
DEFAULT_TIMEOUT = 180.0

ISA_FILE, OBJECT_FILE, SPEC_FILE, LAUNCHES_FILE, ERROR_FILE = (
    "kernel.s",
    "kernel.co",
    "spec.json",
    "launches.json",
    "error.json",
)
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

    c_symbol: also make FlyDSL's C export, under this C identifier, where the tools for it are installed; a_stride,
    b_stride: bytes from one row of A and of B to the next, None = K; a `build` that takes no strides has K.
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
    order; code_object: ELF bytes, None where no
    linker is installed; cached: whether it came from the cache; c_export: None where not asked for or without tools.
    """

    request: CompileRequest
    isa: str
    spec: dict[str, Any]
    launches: tuple[Launch, ...]
    code_object: bytes | None
    cached: bool
    c_export: CExport | None = None


def compile_kernel(
    request: CompileRequest, *, timeout: float = DEFAULT_TIMEOUT, use_cache: bool = True
) -> CompiledKernel:
    """Compile, or take from the cache.

    Raises ToolchainMissing (CKT001) without flydsl or torch; ToolchainError: CKT002 the module or FlyDSL raised,
    CKT003 the compiler died on a signal, CKT004 it ran past `timeout` seconds.
    """
    version = flydsl_version()
    if not version:
        raise ToolchainMissing("CKT001", "flydsl is not installed", hint="porter doctor says how to get it")
    linker = find_linker()
    objcopy = find_objcopy() if request.c_symbol and linker else None
    key = kernel_cache.key_of(
        {
            "flydsl": version,
            "arch": request.arch,
            "build": request.build_arguments,
            "source": request.source.text,
            "support": request.source.support,
            "linked": linker is not None,
            "c_symbol": request.c_symbol if objcopy else "",
        }
    )
    use_cache = use_cache and request.source.self_contained
    files = kernel_cache.load(key) if use_cache else None
    cached = files is not None
    if files is None:
        files = _run_child(request, linker, objcopy, timeout)
        if use_cache:
            kernel_cache.store(key, files)
    return CompiledKernel(
        request=request,
        isa=files[ISA_FILE].decode(),
        spec=json.loads(files[SPEC_FILE]),
        launches=tuple(Launch.from_json(launch) for launch in json.loads(files[LAUNCHES_FILE])),
        code_object=files.get(OBJECT_FILE),
        cached=cached,
        c_export=CExport(*(files[name] for name in EXPORT_FILES)) if EXPORT_FILES[0] in files else None,
    )


def compile_many(
    requests: Iterable[CompileRequest],
    *,
    jobs: int | None = None,
    timeout: float = DEFAULT_TIMEOUT,
    use_cache: bool = True,
    progress: Callable[[CompileRequest], None] | None = None,
) -> list[CompiledKernel | ToolchainError]:
    """Compile in parallel; a failed kernel is a value in the list, so the others still compile. Order is kept."""

    def one(request: CompileRequest) -> CompiledKernel | ToolchainError:
        try:
            return compile_kernel(request, timeout=timeout, use_cache=use_cache)
        except ToolchainError as error:
            return error
        finally:
            if progress is not None:
                progress(request)

    with ThreadPoolExecutor(max_workers=jobs or os.cpu_count() or 1) as pool:
        return list(pool.map(one, requests))


@cache
def _context() -> Any:
    context = multiprocessing.get_context("forkserver")
    # The server imports FlyDSL once; every child is a fork of it.
    context.set_forkserver_preload(["porter.toolchain._flydsl"])
    return context


_start_lock = threading.Lock()


def _run_child(request: CompileRequest, linker: Path | None, objcopy: Path | None, timeout: float) -> dict[str, bytes]:
    from porter.toolchain.child import compile_in_child

    with tempfile.TemporaryDirectory(prefix="porter-compile-") as scratch:
        folder = Path(scratch)
        (folder / "source").mkdir()
        (folder / "result").mkdir()
        for name, text in {**request.source.support, request.source.name + ".py": request.source.text}.items():
            (folder / "source" / name).write_text(text, encoding="utf-8")
        tools = {name: str(tool) for name, tool in (("ld.lld", linker), ("llvm-objcopy", objcopy)) if tool}
        named = (request.source.name, request.build_arguments, request.arch)
        arguments = (scratch, *named, tools, request.c_symbol)
        process = _context().Process(target=compile_in_child, args=arguments, daemon=True)
        with _start_lock:
            process.start()
        process.join(timeout)
        if process.is_alive():
            process.kill()
            process.join()
            raise ToolchainError(
                "CKT004",
                f"{_label(request)}: the compiler ran past {timeout:g} s and was stopped",
                hint="give a larger --timeout, or report the kernel",
            )
        said = (folder / "stderr").read_text(errors="replace") if (folder / "stderr").exists() else ""
        files = {path.name: path.read_bytes() for path in (folder / "result").iterdir()}
        if ERROR_FILE in files:
            error = json.loads(files[ERROR_FILE])
            raise ToolchainError("CKT002", f"{_label(request)}: {error['type']}: {error['message']}{_words(said)}")
        if process.exitcode != 0 or ISA_FILE not in files:
            code = process.exitcode or 0
            how = f"died on {signal.Signals(-code).name}" if code < 0 else f"exited with {code} and no result"
            raise ToolchainError("CKT003", f"{_label(request)}: the compiler {how}{_words(said)}")
        return files


def _label(request: CompileRequest) -> str:
    return f"{request.source.name} (N={request.n}, K={request.k}, {request.arch})"


def _words(said: str) -> str:
    lines = [line for line in said.strip().splitlines() if line.strip()]
    return "\n  compiler: " + "\n  compiler: ".join(lines[-12:]) if lines else ""
