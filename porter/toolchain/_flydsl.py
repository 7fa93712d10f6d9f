# SPDX-License-Identifier: Apache-2.0
"""Every FlyDSL name outside its stable list that porter itself uses; runs in the compiling child only.

FlyDSL's stable interface has no way to the ISA text. The private route used here gives text and code object that are
bit-identical to those of the public route (measured with flydsl 0.5.0), and the text needs no linker.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir import ir
from flydsl._mlir.passmanager import PassManager
from flydsl.compiler import jit_function
from flydsl.compiler.backends import get_backend
from flydsl.compiler.kernel_function import CompilationContext

from porter.toolchain.launch import Expression, Launch

_CASTS = frozenset({"arith.index_cast", "arith.index_castui", "arith.extsi", "arith.extui", "arith.trunci"})

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


def compile_launcher(launcher: Any, arguments: list[Any], link: bool) -> tuple[str, list[Launch], bytes | None]:
    """Trace and lower a `@flyc.jit` launcher: ISA text, what it launches, and where `link` the code object (ELF)."""
    launcher._ensure_sig()
    bound = launcher._sig.bind(*arguments)
    bound.apply_defaults()
    launcher._resolve_arguments(bound.arguments)
    backend = get_backend()
    compiler = jit_function.MlirCompiler
    with jit_function._create_mlir_context() as context, CompilationContext.compile_hints({}):
        traced = launcher._trace(context, launcher._sig, bound, None, execute=False)
        launches = _launches(traced.module)
        text, config = compiler.prepare(traced.module, backend=backend, compile_hints={}, link_libs=traced.link_libs)
        module = ir.Module.parse(text)
        jit_function._run_pipeline(module, config.fragments[:-1], verifier=True, print_after_all=False)
        lowered = module.operation.get_asm(enable_debug_info=False)
        isa = ir.Module.parse(lowered)
        PassManager.parse("builtin.module(gpu-module-to-binary{format=isa})").run(isa.operation)
        isa_text = jit_function._extract_isa_text(isa.operation.get_asm())
        code_object = None
        if link:
            binary = ir.Module.parse(lowered)
            PassManager.parse(f"builtin.module({config.fragments[-1]})").run(binary.operation)
            code_object = _code_object(binary)
    return isa_text, launches, code_object


def export_to_c(launcher: Any, arguments: list[Any], folder: Path, symbol: str) -> None:
    """FlyDSL's C export: `<symbol>.o` and `<symbol>.h` in a new folder. Needs ld.lld and objcopy on PATH."""
    folder.mkdir()
    flyc.compile(launcher, *arguments).export_to_c(str(folder), symbol)


def _launches(module: Any) -> list[Launch]:
    """Every kernel launch of the traced host function, in order.

    Raises ValueError where the host function does more than integer arithmetic on its arguments before a launch.
    """
    launches: list[Launch] = []
    for function in module.body.operations:
        if function.operation.name != "func.func":
            continue
        block = function.operation.regions[0].blocks[0]
        known: dict[Any, Expression] = {value: ["arg", index] for index, value in enumerate(block.arguments)}
        for view in block.operations:
            operation = view.operation
            if operation.name == "gpu.launch_func":
                launches.append(_launch(operation, known))
            elif operation.name == "arith.constant":
                known[operation.result] = ["const", ir.IntegerAttr(operation.attributes["value"]).value]
            elif operation.name in _CASTS:
                known[operation.result] = known[operation.operands[0]]
            elif operation.name.startswith("arith."):
                parts = [known[operand] for operand in operation.operands]
                known[operation.result] = [operation.name.removeprefix("arith."), *parts]
    if not launches:
        raise ValueError("the launcher launches no kernel")
    return launches


def _launch(operation: Any, known: dict[Any, Expression]) -> Launch:
    sizes = list(ir.DenseI32ArrayAttr(operation.attributes["operandSegmentSizes"]))
    ends = [sum(sizes[: index + 1]) for index in range(len(sizes))]
    operands = list(operation.operands)
    # Segments: async dependencies, grid x y z, block x y z, cluster x y z, dynamic LDS, kernel operands, async object.
    gx, gy, gz, bx, by, bz = (known[operands[ends[index] - 1]] for index in range(1, 7))
    args = [known[operand] for operand in operands[ends[10] : ends[11]]]
    if any(arg[0] != "arg" for arg in args):
        raise ValueError("a kernel argument is computed on the host; porter follows only arguments passed through")
    kernel = ir.SymbolRefAttr(operation.attributes["kernel"]).value[-1]
    return Launch(kernel, (gx, gy, gz), (bx, by, bz), tuple(arg[1] for arg in args))


def _code_object(module: Any) -> bytes:
    for operation in module.body.operations:
        if operation.operation.name == "gpu.binary":
            entry = ir.ArrayAttr(operation.attributes["objects"])[0]
            import flydsl._mlir.dialects.gpu as gpu

            return bytes(gpu.ObjectAttr(entry).object)
    raise ValueError("no gpu.binary in the compiled module")
