# SPDX-License-Identifier: Apache-2.0
"""What is proved of the kernels of this folder: `proofs.json`, which `porter verify` writes beside them.

N and K, and the strides of padded rows, are compiled in, so a proof holds for those it names; it holds for the texts
whose digest it names and for no others. Nothing but the standard library is imported.
"""

import functools
import hashlib
import json
import os
import re
import warnings
from pathlib import Path
from typing import Any

_FOLDER = Path(__file__).parent
#: What kernels import from beside them, and so takes part in what they do; the others are dispatch's.
_SUPPORT = re.compile(r"_(?!_|proofs\.py|regimes\.py)\w+\.py")


def digest(folder: Path, name: str) -> str:
    """`digest_of` a kernel's module and of the support modules of its folder; empty where one cannot be read."""
    try:
        files = [file.name for file in folder.iterdir() if _SUPPORT.fullmatch(file.name)]
        return digest_of({file: (folder / file).read_bytes() for file in (f"{name}.py", *files)})
    except OSError:
        return ""


def digest_of(contents: dict[str, bytes]) -> str:
    """sha256 over names and contents of files; a kernel's module and its support modules."""
    whole = hashlib.sha256()
    for file, content in sorted(contents.items()):
        whole.update(f"{file}\0{len(content)}\0".encode() + content)
    return whole.hexdigest()


def shape_key(n: int, k: int, a_stride: int, b_stride: int) -> str:
    """How `proofs.json` spells what a kernel is built for; strides in bytes, K where rows are not padded."""
    return f"{n}x{k}" if a_stride == b_stride == k else f"{n}x{k} rows {a_stride} {b_stride}"


@functools.cache
def gap(kernel: str, n: int, k: int, a_stride: int, b_stride: int) -> str:
    """Why nothing is proved of a kernel for this N and K and rows so far apart; empty where it is."""
    entry = _entries().get(kernel)
    if entry is None:
        return f"proofs.json says nothing of {kernel}; porter verify writes it"
    if not _current(kernel):
        return f"proofs.json speaks of another text of {kernel}; porter verify writes it anew"
    if shape_key(n, k, a_stride, b_stride) in entry.get("shapes", {}):
        return ""
    if f"{n}x{k}" not in entry.get("shapes", {}):
        return f"{kernel} is not proved for N = {n}, K = {k}; porter convert with a row of it, then porter verify"
    rows = f"rows of {a_stride} bytes of XQ and {b_stride} of WQ"
    pads = f"--pad-x {a_stride - k} --pad-w {b_stride - k}"
    return f"{kernel} is not proved for N = {n}, K = {k} with {rows}; porter verify {pads}"


def admit(text: str) -> None:
    """Warn once of an unproved shape; with PORTER_STRICT=1 raise ValueError instead."""
    if os.environ.get("PORTER_STRICT") == "1":
        raise ValueError(f"{text} (PORTER_STRICT=1)")
    _warn(text)


@functools.cache
def _warn(text: str) -> None:
    warnings.warn(text, stacklevel=4)


@functools.cache
def _current(kernel: str) -> bool:
    return bool(_entries()[kernel].get("source")) and _entries()[kernel]["source"] == digest(_FOLDER, kernel)


@functools.cache
def _entries() -> dict[str, dict[str, Any]]:
    """Kernel name -> entry; nothing where the file is absent or damaged."""
    try:
        kernels = json.loads((_FOLDER / "proofs.json").read_text("utf-8"))["kernels"]
        return {name: entry for name, entry in kernels.items() if isinstance(entry, dict)}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
