# SPDX-License-Identifier: Apache-2.0
"""Kernels of the templates as tests render, write and compile them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from porter.blocks._variant import Variant
from porter.kernel_spec import KernelSpec
from porter.toolchain import CompiledKernel, CompileRequest, KernelSource, compile_kernel
from porter.write import emitter


def rendered(spec: KernelSpec, variant: Variant | None = None) -> str:
    departure = emitter.Departure(variant) if variant else None
    return emitter.render(spec, emitter.Provenance("0", "0.5", ()), departure)


def planted(more: Mapping[str, str] | None = None) -> dict[str, str]:
    """The support files, with code behind some of them: what it defines anew replaces what stands there."""
    files = emitter.support_files()
    return files | {name: f"{files[name]}\n\n{code}" for name, code in (more or {}).items()}


def source(spec: KernelSpec, text: str = "", more: Mapping[str, str] | None = None) -> KernelSource:
    """The kernel's module, or another text under its name, with its support files as `planted` has them."""
    return KernelSource(spec.name, text or rendered(spec), planted(more))


def compiled(
    spec: KernelSpec, n: int, k: int, text: str = "", more: Mapping[str, str] | None = None, held: bool = False
) -> CompiledKernel:
    """held: as of `compile_kernel`; that our templates pass that is for `test_kernels` to see, once each."""
    return compile_kernel(CompileRequest(source(spec, text, more), n, k, spec.arch), held=held)


def written(spec: KernelSpec, folder: Path, text: str = "", more: Mapping[str, str] | None = None) -> Path:
    """The kernel's module, or another text under its name, in a folder with its support files beside it."""
    for name, content in {**planted(more), f"{spec.name}.py": text or rendered(spec)}.items():
        (folder / name).write_text(content)
    return folder / f"{spec.name}.py"
