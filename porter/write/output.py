# SPDX-License-Identifier: Apache-2.0
"""A folder of generated files: written whole, compared, or shown as a diff; never left half-written."""

from __future__ import annotations

import difflib
import hashlib
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from porter import manifest
from porter.errors import InputError
from porter.write import atomic_folder


@dataclass(frozen=True, slots=True)
class Drift:
    """Names of the files of a folder that differ from what porter would write there."""

    missing: tuple[str, ...]
    changed: tuple[str, ...]
    stale: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.missing or self.changed or self.stale)


def sha256(text: str) -> str:
    """Hex digest of a file's UTF-8 text, as the manifest records it."""
    return hashlib.sha256(text.encode()).hexdigest()


def compare(folder: Path, files: dict[str, str]) -> Drift:
    """What differs between a folder and the files that belong there (name -> text).

    stale: files that the folder's own manifest lists and porter would no longer write.
    """
    existing = {name: _read(folder / name) for name in files}
    return Drift(
        missing=tuple(name for name, text in existing.items() if text is None),
        changed=tuple(name for name, text in existing.items() if text is not None and text != files[name]),
        stale=tuple(sorted(set(_listed(folder)) - set(files))),
    )


def diff(folder: Path, files: dict[str, str]) -> str:
    """Unified diff from the folder as it is to the folder as it would be written; empty when they agree."""
    drift = compare(folder, files)
    pieces: list[str] = []
    for name in sorted((*drift.missing, *drift.changed, *drift.stale)):
        old, new = _read(folder / name) or "", files.get(name, "")
        pieces.extend(
            difflib.unified_diff(old.splitlines(keepends=True), new.splitlines(keepends=True), f"a/{name}", f"b/{name}")
        )
    return "".join(pieces)


def write(folder: Path, files: dict[str, str]) -> tuple[str, ...]:
    """Write the files that differ and drop stale ones nobody has edited, all or nothing; runs at once take turns.

    Returns the names written or removed. Raises InputError CKP060 when the folder cannot be written.
    """
    try:
        with atomic_folder.locked(folder) as real:
            drift = compare(real, files)
            listed = _listed(real)
            names = sorted((*drift.missing, *drift.changed), key=lambda name: (name == manifest.FILE, name))
            texts = {name: _read(real / name) for name in drift.stale}
            removed = {n: listed[n] for n, text in texts.items() if text is not None and sha256(text) == listed[n]}
            atomic_folder.change(real, {name: files[name].encode() for name in names}, removed)
    except OSError as error:
        raise InputError(
            "CKP060", f"{folder}: cannot write: {error.strerror}", hint="give a folder that you can write with --out"
        ) from error
    return (*names, *removed)


def replace_file(path: Path, text: str) -> None:
    """Write one file by a rename. Raises InputError CKP060 when it cannot be written."""
    try:
        _replace(path, text)
    except OSError as error:
        raise InputError("CKP060", f"{path}: cannot write: {error.strerror}") from error


def _replace(path: Path, text: str) -> None:
    handle, scratch = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(scratch, 0o644)
        os.replace(scratch, path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise


def _read(path: Path) -> str | None:
    try:
        return path.read_bytes().decode("utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (UnicodeDecodeError, IsADirectoryError):
        return ""


def _listed(folder: Path) -> dict[str, str]:
    """File name -> sha256 of what the folder's own manifest lists."""
    return manifest.listed_files((_read(folder / manifest.FILE) or "").encode())
