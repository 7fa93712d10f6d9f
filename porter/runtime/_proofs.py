# SPDX-License-Identifier: Apache-2.0
"""What is proved of the kernels of this folder: `proofs.json`, which `porter verify` writes beside them.

N and K are compiled in, so a proof holds for those it names; it holds for the texts whose digest it names and for no
others. Nothing but the standard library is imported.
"""

import functools
import hashlib
import json
import os
import warnings
from pathlib import Path
from typing import Any

#: Files beside a kernel that take part in what it does.
SUPPORT = ("_shim.py", "_host.py")
_FOLDER = Path(__file__).parent


def digest(folder: Path, name: str) -> str:
    """sha256 over a kernel's module and the support files of its folder; empty where one cannot be read."""
    whole = hashlib.sha256()
    try:
        for file in (f"{name}.py", *SUPPORT):
            content = (folder / file).read_bytes()
            whole.update(f"{len(content)}\0".encode() + content)
    except OSError:
        return ""
    return whole.hexdigest()


@functools.cache
def gap(kernel: str, n: int, k: int) -> str:
    """Why nothing is proved of a kernel for this N and K; empty where it is."""
    entry = _entries().get(kernel)
    if entry is None:
        return f"proofs.json says nothing of {kernel}; porter verify writes it"
    if not _current(kernel):
        return f"proofs.json speaks of another text of {kernel}; porter verify writes it anew"
    if f"{n}x{k}" not in entry.get("shapes", {}):
        return f"{kernel} is not proved for N = {n}, K = {k}; porter convert with a row of it, then porter verify"
    return ""


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
