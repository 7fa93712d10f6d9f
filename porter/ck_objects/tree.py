# SPDX-License-Identifier: Apache-2.0
"""Where CK's source lies: a checkout of CK or aiter, an unpacked or installed `amd-aiter`, or its wheel."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from porter.ck_parser import InstanceEntry, read_files
from porter.ck_parser.quoting import quote
from porter.errors import InputError
from porter.toolchain.cache import cache_dir
from porter.toolchain.tools import ToolStatus

#: What names the source where the command line does not.
VARIABLE = "PORTER_CK"

#: CK under a folder, from the nearest: its own checkout, aiter's checkout, the wheel unpacked, and as it is installed.
_PLACES = ("", "3rdparty/composable_kernel", "aiter_meta/3rdparty/composable_kernel")
_MARK = "include/ck/ck.hpp"
#: aiter's lists of instances under the folder that holds 3rdparty.
_LISTS = ("csrc/ck_gemm_a8w8_blockscale*/*_common.py", "csrc/ck_gemm_a8w8_blockscale*/*_instance.py")
#: Folders of a wheel that are needed.
_WANTED = (
    "aiter_meta/3rdparty/composable_kernel/include/",
    "aiter_meta/3rdparty/ck_helper/",
    "aiter_meta/csrc/ck_gemm_a8w8_blockscale",
)
#: How to get it.
_GET_CK = f"{VARIABLE} names a checkout of CK or aiter, or a wheel: pip download --no-deps amd-aiter"
_SHIM = Path(__file__).parent / "shim"
#: Where CK-Tile says which operands a quantised GEMM scales by blocks, and its word for both.
TILE_SCALES = "include/ck_tile/ops/gemm_quant/pipeline/tile_gemm_quant_traits.hpp"
_BOTH_SCALED = re.compile(r"\bABQuantGrouped\b")


@dataclass(frozen=True)
class CkTree:
    """CK's source. root: the folder that has `include/ck`."""

    root: Path

    @property
    def includes(self) -> tuple[Path, ...]:
        """Folders for the compiler: ours in HIP's place, aiter's for the header that CK's build makes, and CK's.

        A checkout of CK alone must have been configured, or lacks ck/config.h.
        """
        helper = self.root.parent / "ck_helper"
        return (_SHIM, *([helper] if helper.is_dir() else []), self.root / "include")

    @cached_property
    def digest(self) -> str:
        """sha256 of every header that an object may depend on, ours included."""
        digest = hashlib.sha256()
        for folder in self.includes:
            for path in sorted(folder.rglob("*.h*")):
                digest.update(f"{path.relative_to(folder)}\0".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
        return digest.hexdigest()

    @cached_property
    def tile_scales_both(self) -> bool:
        """Whether its CK-Tile has the GEMM that scales A and B by blocks, which came after November 2025."""
        file = self.root / TILE_SCALES
        return file.is_file() and _BOTH_SCALED.search(file.read_text(errors="replace")) is not None

    @cached_property
    def instances(self) -> tuple[InstanceEntry, ...]:
        """Instances of aiter's lists beside CK, with their ids; none in a checkout of CK alone."""
        base = self.root.parent.parent
        files = sorted(path for pattern in _LISTS for path in base.glob(pattern))
        return read_files(files).instances if files else ()


@cache
def find(source: str | None = None) -> CkTree:
    """The tree at a path, or at that of PORTER_CK. Raises InputError (CKB001)."""
    named = source or os.environ.get(VARIABLE, "")
    if not named:
        raise InputError(
            "CKB001",
            "where Composable Kernel's source lies is not said",
            hint=f"--ck or {_GET_CK}",
        )
    path = Path(named)
    base = _unpacked(path) if path.suffix == ".whl" and path.is_file() else path
    for place in _PLACES:
        if (base / place / _MARK).is_file():
            return CkTree((base / place).resolve())
    raise InputError(
        "CKB001",
        f"no Composable Kernel in {quote(named)}: no {_MARK} there, in {' or in '.join(_PLACES[1:])}",
        hint="a checkout of CK or aiter, an unpacked amd-aiter wheel, or the wheel itself",
    )


def status() -> ToolStatus:
    """The tree of PORTER_CK as a line of `porter doctor`; a wheel is not unpacked for it."""
    named, how = os.environ.get(VARIABLE, ""), _GET_CK
    found = named if named.endswith(".whl") and Path(named).is_file() else ""
    if named and not found:
        try:
            found = str(find(named).root)
        except InputError as error:
            how = error.message
    return ToolStatus("CK's source", found, "building CK's own kernels (porter ck build, --against ck)", how, False)


def _unpacked(wheel: Path) -> Path:
    """The wheel's CK in the cache, unpacked once for each content, whole or not at all."""
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    folder = cache_dir() / "ck" / digest
    if folder.is_dir():
        return folder
    folder.parent.mkdir(parents=True, exist_ok=True)
    scratch = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        with zipfile.ZipFile(wheel) as archive:
            archive.extractall(scratch, _wanted(archive.namelist()))
        scratch.rename(folder)
    except zipfile.BadZipFile as error:
        raise InputError("CKB001", f"{quote(str(wheel))} is no wheel: {error}") from error
    except OSError:
        if not folder.is_dir():  # else another process was first
            raise
    finally:
        shutil.rmtree(scratch, ignore_errors=True)
    return folder


def _wanted(names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(_WANTED)]
