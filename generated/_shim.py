# SPDX-License-Identifier: Apache-2.0
"""Every FlyDSL name that the kernels of this folder use from outside FlyDSL's stable list.

FlyDSL keeps a stable name for one minor release after deprecating it; these may change in any release. Tested with
flydsl 0.5.0.
"""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import flydsl.compiler as flyc
import flydsl.expr as fx
from flydsl._mlir.dialects import llvm
from flydsl.expr import rocdl


def wave_uniform(value: Any) -> Any:
    """i32 that is equal in all lanes of a wave -> the same i32 in a scalar register.

    LLVM cannot see that `thread_idx.x // 64` is wave-uniform; without this, every address built from it stays in vector
    registers and each use as a scalar operand costs a v_readfirstlane_b32 in the loop.
    """
    return fx.Int32(rocdl.readfirstlane(fx.Int32.ir_type, value))


def from_lane(value: Any, lane: Any) -> Any:
    """fp32 that lane `lane` of the wave has, of each lane's own choice: ds_bpermute_b32, which takes no LDS."""
    bits = fx.Vector.filled(1, value, fx.Float32).bitcast(fx.Int32)[0]
    moved = fx.Int32(rocdl.ds_bpermute(fx.Int32.ir_type, (lane * 4).ir_value(), bits.ir_value()))
    return fx.Vector.filled(1, moved, fx.Int32).bitcast(fx.Float32)[0]


def sched_fence() -> None:
    """Forbid the instruction scheduler to move anything across this point; emits no instruction."""
    rocdl.sched_barrier(0)


def raise_priority() -> None:
    """Let this wave's MFMAs go first on its SIMD (s_setprio 1)."""
    rocdl.s_setprio(1)


def lower_priority() -> None:
    """Undo `raise_priority` (s_setprio 0)."""
    rocdl.s_setprio(0)


def pin(vector: Any) -> Any:
    """The same fp32 vector, computed before anything behind this call; emits no instruction.

    `sched_fence` holds back the machine scheduler only. In long straight-line code LLVM sinks promotes towards their
    last use before that, keeps every partial alive, and spills; an empty asm statement is a use it cannot cross.
    """
    value = llvm.inline_asm(vector.type, [vector.ir_value()], "", "=v,0", has_side_effects=True)
    return fx.Vector(value, dtype=fx.Float32)


def await_load(value: Any) -> None:
    """Wait until this loaded vector or scalar, and so every load and DMA that was issued before it, has landed.

    Loads and DMAs of a wave land in the order of issue. The use stands in an empty asm statement, and LLVM puts the
    `s_waitcnt` in front of it after its last change to the code: the count is that of the instructions which are there,
    whatever loads it merged, moved or dropped. A count taken from the source is wrong as soon as it merges two.
    """
    llvm.inline_asm(None, [value.ir_value()], "", "v", has_side_effects=True)


def opaque(index: Any) -> Any:
    """The same i32, which LLVM has to take for any other; emits no instruction.

    Two loads whose addresses went through here cannot be merged, so a wait may count them as the source does.
    """
    return fx.Int32(llvm.inline_asm(fx.Int32.ir_type, [index.ir_value()], "", "=v,0", has_side_effects=True))


def jit(**llvm_options: Any) -> Callable[[Callable[..., Any]], Any]:
    """`flyc.jit` for a launcher whose kernels are compiled with these LLVM options, `_` for `-` in their names."""
    if not llvm_options:
        return flyc.jit  # type: ignore[no-any-return]
    from flydsl.compiler.jit_function import JitFunction

    hints = {"llvm_options": {name.replace("_", "-"): value for name, value in llvm_options.items()}}
    return lambda function: JitFunction(function, compile_hints=hints)


_POINTEES = {"fp8": fx.Int8, "bf16": fx.BFloat16, "fp16": fx.Float16, "fp32": fx.Float32}
#: FlyDSL traces one kernel at a time, whichever folder of kernels asks, so the lock is FlyDSL's.
_compile_lock = vars(flyc).setdefault("_porter_compile_lock", threading.RLock())


def compile_launcher(spec: dict[str, Any], build: Callable[[], Any]) -> Callable[..., None]:
    """Compile what `build` returns for SPEC's arch, whatever the environment says, and load it on the current device.

    The result takes the address of every pointer in SPEC's args, then M and the address of a stream.
    """
    types = [_POINTEES[arg["dtype"]] for arg in spec["args"] if arg["kind"] == "pointer"]
    placeholders = [flyc.from_c_void_p(kind, None) for kind in types]
    with _compile_lock, _environment(FLYDSL_GPU_ARCH=spec["arch"], ARCH=spec["arch"], COMPILE_ONLY="0"):
        compiled = flyc.compile(build(), *placeholders, 1, fx.Stream(None))
        _load(compiled)

    def launch(*arguments: int) -> None:
        *addresses, m, stream = arguments
        pointers = [flyc.from_c_void_p(kind, address) for kind, address in zip(types, addresses, strict=True)]
        compiled(*pointers, m, fx.Stream(stream))

    return launch


def _load(compiled: Any) -> None:
    # A first call would do it, but a call launches.
    compiled._keepalive._get_func_exe()


@contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
