# SPDX-License-Identifier: Apache-2.0
"""Where the modules of kernels lie, by path or by name in a manifest."""

from __future__ import annotations

from pathlib import Path

from porter import manifest as manifests
from porter.errors import InputError


def resolve(kernel: str, manifest: Path) -> Path:
    """The module of a kernel, given as a path or as a name in the manifest. Raises InputError CKV001, CKP062."""
    path = Path(kernel)
    if path.suffix == ".py" or path.exists():
        if not path.is_file():
            raise InputError("CKV001", f"{kernel}: no such kernel file")
        return path
    listed = manifests.read(manifest).by_name
    if kernel not in listed:
        hint = f"known there: {', '.join(listed) or 'none'}"
        raise InputError("CKV001", f"{kernel}: neither a file nor a kernel of {manifest}", hint=hint)
    return manifest.parent / listed[kernel].module


def resolve_all(kernels: tuple[str, ...], manifest: Path) -> list[Path]:
    """The modules of kernels, or without any those of the whole manifest.

    Raises InputError CKV001, CKV002 for a manifest without kernels, CKP062.
    """
    if kernels:
        return [resolve(kernel, manifest) for kernel in kernels]
    paths = [manifest.parent / kernel.module for kernel in manifests.read(manifest).kernels]
    if not paths:
        raise InputError("CKV002", f"{manifest}: lists no kernel, so there is nothing to do")
    return paths
