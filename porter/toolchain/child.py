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


def compile_in_child(
    folder: str, module: str, build_arguments: tuple[int, ...], arch: str, tools: dict[str, str], c_symbol: str
) -> None:
    """Compile `source/<module>.py` under `folder` for N, K, strides and arch; files under `result/` are the outcome.

    tools: paths of `ld.lld` and `llvm-objcopy`, where they are installed. `kernel.s`, `spec.json`, `launches.json`;
    with the linker `kernel.co`; with both tools and a C symbol `export.o` and `export.h`; or `error.json` with the
    exception's type and message. What the compiler prints on fd 2 goes to `stderr`.
    """
    root = Path(folder)
    with open(root / "stderr", "wb") as said:
        os.dup2(said.fileno(), 2)
    os.environ["FLYDSL_GPU_ARCH"] = arch
    os.environ["FLYDSL_RUNTIME_ENABLE_CACHE"] = "0"
    os.environ.pop("COMPILE_ONLY", None)
    binaries = _tool_folder(root, tools)
    os.environ["ROCM_PATH"] = str(root / "rocm")
    os.environ["PATH"] = os.pathsep.join((str(binaries), os.environ.get("PATH", os.defpath)))
    result = root / "result"
    try:
        from porter.toolchain import _flydsl

        kernel = _load(root / "source", module)
        launcher = kernel.build(*build_arguments)
        arguments = _flydsl.placeholder_arguments(kernel.SPEC["args"])
        isa, launches, code_object = _flydsl.compile_launcher(launcher, arguments, link="ld.lld" in tools)
        if c_symbol and "llvm-objcopy" in tools:
            _flydsl.export_to_c(launcher, arguments, root / "export", c_symbol)
            for suffix in (".o", ".h"):
                (root / "export" / f"{c_symbol}{suffix}").rename(result / f"export{suffix}")
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


def _tool_folder(root: Path, tools: dict[str, str]) -> Path:
    """A folder of the tools under the names that FlyDSL looks for.

    It takes the linker of code objects from `<ROCM_PATH>/llvm/bin` only, and the tools of a C export from PATH only.
    """
    binaries = root / "rocm" / "llvm" / "bin"
    binaries.mkdir(parents=True)
    for name, path in tools.items():
        (binaries / name).symlink_to(path)
    return binaries
