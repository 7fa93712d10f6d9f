# SPDX-License-Identifier: Apache-2.0
"""Which tools this machine has, and how to get the ones it lacks; behind `porter doctor`."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from porter.records import Record
from porter.toolchain import confine

#: LLVM releases that know gfx950; 19 was the last that did not.
OLDEST_LLVM = 20
NEWEST_LLVM = 40

#: How to get what `porter compile` can do without.
_ELSE = f"(any release >= {OLDEST_LLVM}), or a ROCm install named by ROCM_PATH"
GET_LINKER = f"Debian: apt-get install lld-22 {_ELSE}"
GET_CLANG = f"Debian: apt-get install clang-22 lld-22 {_ELSE}"
GET_OBJCOPY = "Debian: apt-get install llvm-22, or binutils"


@dataclass(frozen=True, slots=True)
class ToolStatus:
    """One line of `porter doctor`.

    found: version or path, empty when missing; needed_for: what stops without it; how: how to get it;
    required: whether convert and verify work at all without it.
    """

    name: str
    found: str
    needed_for: str
    how: str
    required: bool


class DoctorOutput(Record, frozen=True, tag_field="schema", tag="porter/doctor/1"):
    """porter doctor: which tools were found, what each is needed for, and how to get it."""

    tools: tuple[ToolStatus, ...]


def flydsl_version() -> str:
    """Version of the installed flydsl, without importing it; empty when it is not installed."""
    return _version("flydsl")


def find_linker() -> Path | None:
    """ld.lld for code objects, or None.

    ROCM_PATH, where it is set, is the only place looked in, as FlyDSL does; else PATH, also for versioned names.
    """
    root = os.environ.get("ROCM_PATH")
    if root is not None:
        linker = Path(root) / "llvm" / "bin" / "ld.lld"
        return linker if os.access(linker, os.X_OK) else None
    return find_llvm_tool("ld.lld")


def find_clang() -> Path | None:
    """clang++ for HIP: that of ROCM_PATH where it is set, else the newest on PATH; or None."""
    root = os.environ.get("ROCM_PATH")
    if root is not None:
        clang = Path(root) / "llvm" / "bin" / "clang++"
        return clang if os.access(clang, os.X_OK) else None
    return find_llvm_tool("clang++")


def find_objcopy() -> Path | None:
    """llvm-objcopy, or the one of binutils, for C exports; or None. It only handles objects of this machine."""
    plain = shutil.which("objcopy")
    return find_llvm_tool("llvm-objcopy") or (Path(plain) if plain else None)


def find_llvm_tool(name: str) -> Path | None:
    """An LLVM tool of release OLDEST_LLVM or newer on PATH: newest versioned name first, then the plain name."""
    for release in range(NEWEST_LLVM, OLDEST_LLVM - 1, -1):
        found = shutil.which(f"{name}-{release}")
        if found:
            return Path(found)
    plain = shutil.which(name)
    if plain and _llvm_release(plain) >= OLDEST_LLVM:
        return Path(plain)
    return None


def _machine_core() -> str:
    """The file of the machine's core; empty where there is none or it does not fit the tables."""
    try:
        from oracle.machine.binding import core
    except ImportError:
        return ""
    return core.__file__ or ""


def find_tools() -> list[ToolStatus]:
    """Everything `porter doctor` reports, in the order of need."""
    compiler = shutil.which(os.environ.get("CC", "cc")) or shutil.which("gcc") or ""
    linker, objdump = find_linker(), find_llvm_tool("llvm-objdump")
    return [
        ToolStatus(
            "python", platform.python_version() + f" ({sys.executable})", "everything", "Python 3.10 or newer", True
        ),
        ToolStatus(
            "flydsl",
            flydsl_version(),
            "compiling kernels",
            "pip install 'flydsl>=0.5,<0.6'",
            True,
        ),
        ToolStatus(
            "torch",
            _version("torch"),
            "flydsl's import and the reference",
            "a CPU build is enough: PyTorch's install page, compute platform CPU",
            True,
        ),
        ToolStatus(
            "machine core",
            _machine_core(),
            "executing kernels",
            "pip install -e . in a checkout builds it (needs a C compiler)",
            True,
        ),
        ToolStatus("C compiler", compiler, "building the machine core", "Debian: apt-get install gcc", False),
        ToolStatus(
            "ld.lld",
            str(linker or ""),
            "code objects, C exports, CK's own kernels; ISA text and proofs need none",
            GET_LINKER,
            False,
        ),
        ToolStatus("objcopy", str(find_objcopy() or ""), "C exports", GET_OBJCOPY, False),
        ToolStatus(
            "llvm-objdump",
            str(objdump or ""),
            "running and counting code objects",
            f"Debian: apt-get install llvm-22 (any release >= {OLDEST_LLVM})",
            False,
        ),
        ToolStatus(
            "clang++",
            str(find_clang() or ""),
            "building CK's own kernels (porter ck build, --against ck)",
            GET_CLANG,
            False,
        ),
        ToolStatus(
            "confinement",
            "" if confine.missing() else "Landlock and seccomp",
            "; ".join(confine.missing()) or "compiling a stranger's kernels",
            "Linux 5.13 or newer on x86-64 or aarch64",
            False,
        ),
        ToolStatus("GPU", _gpu(), "nothing in porter; running kernels for real", "an MI355X with ROCm", False),
    ]


def _version(distribution: str) -> str:
    try:
        return importlib.metadata.version(distribution)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _llvm_release(path: str) -> int:
    try:
        output = subprocess.run([path, "--version"], capture_output=True, text=True, timeout=20, check=False).stdout
    except (OSError, subprocess.TimeoutExpired):
        return 0
    match = re.search(r"(?:LLVM version|LLD|clang version) (\d+)", output)
    return int(match.group(1)) if match else 0


def _gpu() -> str:
    # The kernel driver's own list; asking torch would import it, and start a runtime.
    nodes = Path("/sys/class/kfd/kfd/topology/nodes")
    names = []
    for properties in sorted(nodes.glob("*/properties")) if nodes.is_dir() else []:
        match = re.search(r"^gfx_target_version (\d+)$", properties.read_text(errors="replace"), re.MULTILINE)
        if match and int(match.group(1)):
            version = int(match.group(1))
            names.append(f"gfx{version // 10000}{version // 100 % 100:x}{version % 100:x}")
    return ", ".join(names)
