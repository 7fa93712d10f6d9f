# SPDX-License-Identifier: Apache-2.0
"""Kernels of the templates as tests render, write and compile them."""

from __future__ import annotations

from pathlib import Path

from porter.kernel_spec import KernelSpec
from porter.toolchain import CompiledKernel, CompileRequest, KernelSource, compile_kernel
from porter.write import emitter


def rendered(spec: KernelSpec) -> str:
    return emitter.render(spec, emitter.Provenance("0", "0", ()))


def source(spec: KernelSpec, text: str = "") -> KernelSource:
    """The kernel's module, or another text under its name, with its support files."""
    return KernelSource(spec.name, text or rendered(spec), emitter.support_files())


def compiled(spec: KernelSpec, n: int, k: int, text: str = "") -> CompiledKernel:
    return compile_kernel(CompileRequest(source(spec, text), n, k, spec.arch))


def written(spec: KernelSpec, folder: Path) -> Path:
    """The kernel's module in a folder, with its support files beside it."""
    for name, text in {**emitter.support_files(), f"{spec.name}.py": rendered(spec)}.items():
        (folder / name).write_text(text)
    return folder / f"{spec.name}.py"
