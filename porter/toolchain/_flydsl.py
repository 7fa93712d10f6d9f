# SPDX-License-Identifier: Apache-2.0
"""Every FlyDSL name outside its stable list that porter itself uses; runs in the compiling child only.

FlyDSL's stable interface has no way to the ISA text. The private route used here gives text and code object that are
bit-identical to those of the public route (measured with flydsl 0.5.0), and the text needs no linker.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import flydsl.compiler as flyc
import flydsl.expr as fx
import flydsl.expr.rocdl  # noqa: F401 (kernels load it: here, it is loaded once for all of them)
from flydsl._mlir import ir
from flydsl._mlir.passmanager import PassManager
from flydsl.compiler import jit_function
from flydsl.compiler.backends import get_backend
from flydsl.compiler.kernel_function import CompilationContext
from flydsl.compiler.llvm_options import llvm_options

from porter.errors import ToolchainError
from porter.toolchain._host_side import launches
from porter.toolchain.launch import Launch

_POINTEE = {"fp8": fx.Int8, "bf16": fx.BFloat16, "fp16": fx.Float16, "fp32": fx.Float32, "i32": fx.Int32}


def placeholder_arguments(args: list[dict[str, str]]) -> list[Any]:
    """SPEC["args"] -> arguments to trace with: null pointers and ones; nothing of them is baked into the code."""
    values: list[Any] = []
    for arg in args:
        if arg["kind"] == "pointer":
            values.append(flyc.from_c_void_p(_POINTEE[arg["dtype"]], None))
        elif arg["kind"] == "i32":
            values.append(1)
        else:
            raise ValueError(f"SPEC argument {arg['name']!r}: unknown kind {arg['kind']!r}, expected pointer or i32")
    return values


@dataclass(frozen=True)
class Traced:
    """A launcher as FlyDSL would lower it. text: MLIR without source locations; config: its pipeline."""

    text: str
    config: Any
    launches: list[Launch]

    def identity(self) -> str:
        """sha256 over all that decides the machine code and its launches, as FlyDSL's own cache keys it."""
        parts = [self.text, self.config.fragments, self.config.llvm_opts, [item.to_json() for item in self.launches]]
        return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


@contextmanager
def traced(launcher: Any, arguments: list[Any]) -> Iterator[Traced]:
    """Trace a `@flyc.jit` launcher under its own compile hints; its MLIR context is open inside the `with`.

    Raises ToolchainError CKT011, CKT015 as `launches`.
    """
    launcher._ensure_sig()
    bound = launcher._sig.bind(*arguments)
    bound.apply_defaults()
    launcher._resolve_arguments(bound.arguments)
    hints = launcher._effective_compile_hints()
    with jit_function._create_mlir_context() as context, CompilationContext.compile_hints(hints):
        trace = launcher._trace(context, launcher._sig, bound, None, execute=False)
        if trace.post_load_processors:
            raise ToolchainError("CKT011", "the launcher cannot be followed: it runs code when its module is loaded")
        found = launches(trace.module)
        text, config = jit_function.MlirCompiler.prepare(
            trace.module, backend=get_backend(), compile_hints=hints, link_libs=trace.link_libs
        )
        yield Traced(text, config, found)


def lower(kernel: Traced, link: bool) -> tuple[str, bytes | None]:
    """ISA text, and where `link` the code object (ELF); inside the `with` of `traced`."""
    module = ir.Module.parse(kernel.text)
    code_object = None
    with llvm_options(kernel.config.llvm_opts or {}):
        jit_function._run_pipeline(module, kernel.config.fragments[:-1], verifier=True, print_after_all=False)
        lowered = module.operation.get_asm(enable_debug_info=False)
        isa = ir.Module.parse(lowered)
        PassManager.parse("builtin.module(gpu-module-to-binary{format=isa})").run(isa.operation)
        isa_text = jit_function._extract_isa_text(isa.operation.get_asm())
        if link:
            binary = ir.Module.parse(lowered)
            PassManager.parse(f"builtin.module({kernel.config.fragments[-1]})").run(binary.operation)
            code_object = _code_object(binary)
    return isa_text, code_object


def export_to_c(launcher: Any, arguments: list[Any], folder: Path, symbol: str) -> None:
    """FlyDSL's C export: `<symbol>.o` and `<symbol>.h` in a new folder. Needs ld.lld and objcopy on PATH."""
    folder.mkdir()
    flyc.compile(launcher, *arguments).export_to_c(str(folder), symbol)


def _code_object(module: Any) -> bytes:
    for operation in module.body.operations:
        if operation.operation.name == "gpu.binary":
            entry = ir.ArrayAttr(operation.attributes["objects"])[0]
            import flydsl._mlir.dialects.gpu as gpu

            return bytes(gpu.ObjectAttr(entry).object)
    raise ValueError("no gpu.binary in the compiled module")
