# SPDX-License-Identifier: Apache-2.0
"""From an instance to its code object: the compiler, its flags, the cache, and as many at once as memory allows."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Event, Timer

from porter.ck_objects.source import Request, text
from porter.ck_objects.tree import CkTree
from porter.errors import PorterError, ToolchainError, ToolchainMissing
from porter.records import Amount, Arch, Digest, Record, made
from porter.records import text as json_text
from porter.toolchain import cache as kept
from porter.toolchain.tools import GET_CLANG, find_clang, find_linker

#: Seconds that a build may take, MiB that it is reckoned to take (facts of the slowest instances, doubled).
TIMEOUT = 900.0
MEMORY_MIB = 2048

#: As aiter compiles CK (its setup, `hip_clang_flags`), for the device alone and without ROCm's headers and libraries.
FLAGS = (
    *("-x", "hip", "--offload-device-only", "-nogpuinc", "-nogpulib", "--no-gpu-bundle-output", "-fdeclspec"),
    *("-O3", "-std=c++20", "-w", "-ferror-limit=3"),
    *("-D__HIP_PLATFORM_AMD__=1", "-DCK_USE_XDL", "-DCK_TILE_FLOAT_TO_BFLOAT16_DEFAULT=0"),
    "-fno-offload-uniform-block",
    *(
        part
        for option in (
            "--amdgpu-kernarg-preload-count=16",
            "--lsr-drop-solution=1",
            "-enable-post-misched=0",
            "-amdgpu-early-inline-all=true",
            "-amdgpu-function-calls=false",
            "-greedy-reverse-local-assignment=1",
            "--amdgpu-use-amdgpu-trackers=1",
        )
        for part in ("-mllvm", option)
    ),
)
FLUSH = "-fgpu-flush-denormals-to-zero"


def flags(request: Request) -> tuple[str, ...]:
    """All that the compiler is told, but for places."""
    return (f"--offload-arch={request.arch}", *FLAGS, *([] if request.keep_denormals else [FLUSH]))


class ObjectOutput(Record, frozen=True, tag_field="schema", tag="porter/ck-object/1"):
    """What lies beside a built object: whose it is, and what made it. ck: sha256 of the headers; seconds and mebibytes:
    what the build took, 0 where it came from the cache."""

    name: str
    instance: str
    arch: Arch
    padded: bool
    keep_denormals: bool
    ck: Digest
    compiler: str
    flags: tuple[str, ...]
    seconds: Amount
    mebibytes: Amount


@dataclass(frozen=True, slots=True)
class Built:
    """An object and where it lies; seconds, mebibytes: of the compiler, 0 where it was there before."""

    request: Request
    path: Path
    seconds: float = 0.0
    mebibytes: float = 0.0

    @property
    def news(self) -> str:
        took = f"{self.seconds:.0f} s, {self.mebibytes:.0f} MiB" if self.seconds else "from the cache"
        return f"built {self.request.name} ({took})"


@dataclass(frozen=True, slots=True)
class Failed:
    """A request that came to nothing, and why."""

    request: Request
    error: PorterError

    @property
    def news(self) -> str:
        return f"FAILED {self.error}"


def compiler() -> tuple[Path, str]:
    """clang++ for HIP and its version. Raises ToolchainMissing (CKB002) where it, or lld, is missing."""
    clang = find_clang()
    if clang is None:
        raise ToolchainMissing("CKB002", "no clang++ that knows gfx950", hint=GET_CLANG)
    if find_linker() is None:
        raise ToolchainMissing("CKB002", "clang needs ld.lld to link a code object", hint=GET_CLANG)
    return clang, _version(clang)


@cache
def _version(clang: Path) -> str:
    out = subprocess.run([clang, "--version"], capture_output=True, text=True, timeout=60, check=False).stdout
    return out.splitlines()[0].strip() if out else ""


def build(
    requests: Sequence[Request],
    tree: CkTree,
    folder: Path,
    jobs: int | None = None,
    timeout: float = TIMEOUT,
    step: Callable[[Built | Failed], None] = lambda _: None,
) -> list[Built | Failed]:
    """Build objects into a folder, `<name>.co` and `<name>.json` each, in the order of the requests.

    What was built before with the same headers, text, compiler and flags is taken from the cache. jobs: builds at once,
    by default one a CPU as far as memory reaches; step: called as each ends. Raises ToolchainMissing (CKB002).
    """
    found = compiler()
    folder.mkdir(parents=True, exist_ok=True)
    with ThreadPoolExecutor(jobs or _at_once()) as pool:
        futures = {pool.submit(_one, request, tree, folder, found, timeout): request for request in requests}
        ended: dict[Request, Built | Failed] = {}
        try:
            for future in as_completed(futures):
                ended[futures[future]] = future.result()
                step(future.result())
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return [ended[request] for request in requests]


def _at_once() -> int:
    """Builds that fit the CPUs and the memory that is free now."""
    free = next(_meminfo("MemAvailable"), MEMORY_MIB)
    return max(1, min(os.cpu_count() or 1, free // MEMORY_MIB))


def _meminfo(name: str) -> Iterator[int]:
    """MiB of a line of Linux' /proc/meminfo; nothing elsewhere."""
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
    except OSError:
        return
    yield from (int(line.split()[1]) // 1024 for line in lines if line.startswith(f"{name}:"))


def _one(request: Request, tree: CkTree, folder: Path, found: tuple[Path, str], timeout: float) -> Built | Failed:
    clang, version = found
    source = text(request)
    key = kept.key_of({"ck": tree.digest, "source": source, "compiler": version, "flags": flags(request)})
    files = kept.load(key)
    seconds = mebibytes = 0.0
    try:
        if files is None:
            start = time.monotonic()
            code, mebibytes = _compile(source, request, tree, clang, timeout)
            seconds = time.monotonic() - start
            files = {"object.co": code}
            kept.store(key, files)
    except PorterError as error:
        return Failed(request, error)
    record = made(
        ObjectOutput,
        request,
        instance=request.instance.name,
        ck=tree.digest,
        compiler=version,
        flags=flags(request),
        seconds=seconds,
        mebibytes=mebibytes,
    )
    path = folder / f"{request.name}.co"
    _write(path, files["object.co"])
    _write(path.with_suffix(".json"), f"{json_text(record)}\n".encode())
    return Built(request, path, seconds, mebibytes)


def _compile(source: str, request: Request, tree: CkTree, clang: Path, timeout: float) -> tuple[bytes, float]:
    """The object, and the MiB that compiling took. Raises ToolchainError (CKB003, CKB004)."""
    with tempfile.TemporaryDirectory(prefix="porter-ck-") as scratch:
        file, output, said = (Path(scratch) / name for name in ("instance.hip", "object.co", "said"))
        file.write_text(source)
        includes = [part for folder in tree.includes for part in ("-I", str(folder))]
        command = [str(clang), *flags(request), *includes, str(file), "-o", str(output)]
        late = Event()
        with said.open("wb") as log:
            child = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=scratch, start_new_session=True
            )
        timer = Timer(timeout, _stop, (child.pid, late))
        timer.start()
        try:
            _, status, usage = os.wait4(child.pid, 0)
        except BaseException:
            _kill(child.pid)
            raise
        finally:
            timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        if late.is_set():
            raise ToolchainError("CKB004", f"{request.name}: the compiler was stopped after {timeout:.0f} s")
        if child.returncode or not output.is_file():
            raise ToolchainError("CKB003", f"{request.name}: {_words(said, child.returncode, tree)}")
        return output.read_bytes(), usage.ru_maxrss / 1024


def _stop(pid: int, late: Event) -> None:
    late.set()
    _kill(pid)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(pid, signal.SIGKILL)


def _words(said: Path, code: int, tree: CkTree) -> str:
    """The compiler's first error, with paths inside CK; or how it ended."""
    lines = said.read_text(errors="replace").replace(f"{tree.root}/", "").splitlines()
    errors = [line for line in lines if re.search(r"\b(fatal )?error:", line)]
    ended = f"clang ended with {code}" if code >= 0 else f"clang was killed by signal {-code}"
    return errors[0].strip() if errors else (lines[-1].strip() if lines and code >= 0 else ended)


def _write(path: Path, content: bytes) -> None:
    """Whole or not at all."""
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=".new-")
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
        os.replace(scratch, path)
    except BaseException:
        os.unlink(scratch)
        raise


class BuiltOutput(Record, frozen=True):
    """One object: its file, or the error in its place."""

    name: str
    path: str
    seconds: Amount
    mebibytes: Amount
    error: str


class BuildOutput(Record, frozen=True, tag_field="schema", tag="porter/ck-build/1"):
    """porter ck build: every object with its file, the seconds and mebibytes of its compiler (0 from the cache), or its
    error; notes: what was asked for and cannot be built."""

    objects: tuple[BuiltOutput, ...]
    notes: tuple[str, ...]


def output(results: Sequence[Built | Failed], notes: Sequence[str]) -> BuildOutput:
    """`porter ck build` as data."""
    objects = (
        (
            BuiltOutput(result.request.name, "", 0.0, 0.0, str(result.error))
            if isinstance(result, Failed)
            else BuiltOutput(result.request.name, str(result.path), result.seconds, result.mebibytes, "")
        )
        for result in results
    )
    return BuildOutput(tuple(objects), tuple(notes))
