# SPDX-License-Identifier: Apache-2.0
"""What runs inside a compiling child: load the module, trace it, write text and code object, or say what failed.

The parent imports this file only to name the function, so FlyDSL is imported inside it; in a child that import is done
already, because the fork server preloads `porter.toolchain._flydsl`.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import types
from pathlib import Path


def compile_in_child(folder: str, module: str, n: int, k: int, arch: str, linker: str | None) -> None:
    """Compile `source/<module>.py` under `folder` for N, K and arch; files under `result/` are the outcome.

    `kernel.s`, `spec.json`, `launches.json` and, with a linker, `kernel.co`; or `error.json` with the exception's type
    and message. What the compiler prints on fd 2 goes to `stderr`.
    """
    root = Path(folder)
    with open(root / "stderr", "wb") as said:
        os.dup2(said.fileno(), 2)
    os.environ["FLYDSL_GPU_ARCH"] = arch
    os.environ["FLYDSL_RUNTIME_ENABLE_CACHE"] = "0"
    os.environ.pop("COMPILE_ONLY", None)
    os.environ["ROCM_PATH"] = _rocm_root(root, linker)
    result = root / "result"
    try:
        from porter.toolchain import _flydsl

        kernel = _load(root / "source", module)
        launcher = kernel.build(n, k)
        arguments = _flydsl.placeholder_arguments(kernel.SPEC["args"])
        isa, launches, code_object = _flydsl.compile_launcher(launcher, arguments, link=linker is not None)
    except Exception as error:
        message = str(error).replace(str(root / "source") + os.sep, "")
        (result / "error.json").write_text(json.dumps({"type": type(error).__name__, "message": message}))
        return
    (result / "spec.json").write_text(json.dumps(kernel.SPEC))
    (result / "launches.json").write_text(json.dumps([launch.to_json() for launch in launches]))
    if code_object is not None:
        (result / "kernel.co").write_bytes(code_object)
    (result / "kernel.s").write_text(isa)


def _load(folder: Path, module: str) -> types.ModuleType:
    """Import a module and the siblings that it names with `from . import`, as a package of their own."""
    package = types.ModuleType("porter_kernel_under_compilation")
    package.__path__ = [str(folder)]
    sys.modules[package.__name__] = package
    return importlib.import_module(f"{package.__name__}.{module}")


def _rocm_root(root: Path, linker: str | None) -> str:
    """FlyDSL takes ld.lld from `<ROCM_PATH>/llvm/bin` only: give it a folder that holds just that, or nothing."""
    binaries = root / "rocm" / "llvm" / "bin"
    binaries.mkdir(parents=True)
    if linker is not None:
        (binaries / "ld.lld").symlink_to(linker)
    return str(root / "rocm")
