# SPDX-License-Identifier: Apache-2.0
"""What runs inside a compiling child: shut itself in, load the module, trace it, write code, or say what failed.

FlyDSL is imported inside the functions; in a child that import is done already, because the server has imported
`porter.toolchain._flydsl`.
"""

from __future__ import annotations

import importlib
import json
import os
import resource
import sys
import types
from pathlib import Path
from typing import Any

from porter.errors import PorterError

#: Bytes of the largest file that a child may write.
_LARGEST_FILE = 1 << 30


def compile_in_child(
    folder: str, module: str, build: list[int], arch: str, tools: dict[str, str], c_symbol: str, answers: int
) -> None:
    """Compile `source/<module>.py` under `folder` for an arch; files under `result/` are the outcome.

    build: what the module's `build` takes, N, K and the strides of padded rows.

    tools: paths of `ld.lld` and `llvm-objcopy`, where they are installed; answers: index into `ambient.ANSWERS`; only
    the first set gives code: `kernel.s`, `spec.json`, `launches.json`; with the linker `kernel.co`; with both tools and
    a C symbol `export.o` and `export.h`. Both give `asked.json`, and `identity` of what is lowered or `error.json`.
    What the compiler prints on fd 2 goes to `stderr`.
    """
    root, result = _enter(folder, arch, tools)
    try:
        from porter.toolchain import _flydsl
        from porter.toolchain.ambient import ANSWERS, Surroundings, of_sources, toolchain_roots
        from porter.toolchain.confine import confine

        roots = (*toolchain_roots(), str(root), *_tool_places(tools))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_FSIZE, (_LARGEST_FILE, _LARGEST_FILE))
        confine(root, map(Path, roots))
        surroundings = Surroundings(ANSWERS[answers], of_sources(root / "source"), roots)
        surroundings.install()
        try:
            kernel, launcher = _build(root, ANSWERS[answers].package, module, build)
            arguments = _flydsl.placeholder_arguments(kernel.SPEC["args"])
            with _flydsl.traced(launcher, arguments) as traced:
                if answers == 0:
                    isa, code_object = _flydsl.lower(traced, "ld.lld" in tools)
        finally:
            surroundings.read_texts(path.read_text() for path in (root / "source").glob("*.py"))
            asked = {"asked": sorted(surroundings.asked), "reached": sorted(surroundings.reached)}
            (result / "asked.json").write_text(json.dumps(asked))
        (result / "identity").write_text(traced.identity())
        if answers:
            return
        if c_symbol and "llvm-objcopy" in tools:
            _flydsl.export_to_c(launcher, arguments, root / "export", c_symbol)
            for suffix in (".o", ".h"):
                (root / "export" / f"{c_symbol}{suffix}").rename(result / f"export{suffix}")
    except Exception as error:
        (result / "error.json").write_text(json.dumps(_said(error, f"{root}/source/")))
        return
    (result / "spec.json").write_text(json.dumps(kernel.SPEC))
    (result / "launches.json").write_text(json.dumps([launch.to_json() for launch in traced.launches]))
    if code_object is not None:
        (result / "kernel.co").write_bytes(code_object)
    (result / "kernel.s").write_text(isa)


def call_host_in_child(
    folder: str, module: str, build: list[int], arch: str, tools: dict[str, str], function: str, calls: list[Any]
) -> None:
    """Call a host function of `source/<module>.py` on a stand-in GPU as `calls` say, one after the other.

    `result/host.json` is the outcome: what `host_child.record` gives for each.
    """
    root, result = _enter(folder, arch, tools)
    try:
        import flydsl.compiler as flyc

        from porter.toolchain import host_child
        from porter.toolchain.ambient import ANSWERS, toolchain_roots
        from porter.toolchain.confine import confine
        from porter.toolchain.host_calls import HostCall

        confine(root, map(Path, (*toolchain_roots(), str(root))))
        recorder = host_child.Recorder()
        flyc.compile = recorder
        kernel = _load(root / "source", ANSWERS[0].package, module)
        wanted = map(HostCall.from_json, calls)
        records = [host_child.record(kernel, function, recorder, call, arch) for call in wanted]
    except Exception as error:
        (result / "error.json").write_text(json.dumps(_said(error, f"{root}/source/")))
        return
    (result / "host.json").write_text(json.dumps(records))


def _enter(folder: str, arch: str, tools: dict[str, str]) -> tuple[Path, Path]:
    """The child's folder and that of its results; fd 2 goes to a file there, and the environment is the child's own."""
    root = Path(os.path.realpath(folder))
    with open(root / "stderr", "wb") as said:
        os.dup2(said.fileno(), 2)
    _set_environment(root, arch, tools)
    return root, root / "result"


def _said(error: Exception, folder: str) -> dict[str, str]:
    if isinstance(error, PorterError):
        return {"code": error.code, "message": error.message, "hint": error.hint}
    return {"code": "CKT002", "message": f"{type(error).__name__}: {error}".replace(folder, ""), "hint": ""}


def _build(root: Path, package: str, module: str, arguments: list[int]) -> tuple[types.ModuleType, Any]:
    """The module, and its launcher with the compile hints that its host code uses."""
    from porter.toolchain.hints import effective_hints

    kernel = _load(root / "source", package, module)
    launcher = kernel.build(*arguments)
    texts = [path.read_text() for path in sorted((root / "source").glob("*.py"))]
    launcher.compile_hints = effective_hints(launcher.compile_hints, texts)
    return kernel, launcher


def _load(folder: Path, name: str, module: str) -> types.ModuleType:
    """Import a module and the siblings that it names with `from . import`, as a package of that dotted name."""
    parts = name.split(".")
    for index in range(1, len(parts) + 1):
        package = types.ModuleType(".".join(parts[:index]))
        package.__path__ = [str(folder)] if index == len(parts) else []
        sys.modules[package.__name__] = package
    return importlib.import_module(f"{name}.{module}")


def _set_environment(root: Path, arch: str, tools: dict[str, str]) -> None:
    """Everything that FlyDSL and its tools read of the environment; the server's own is as short."""
    binaries = _tool_folder(root, tools)
    for name in ("tmp", "cwd"):
        (root / name).mkdir()
    os.chdir(root / "cwd")
    os.environ.update(
        FLYDSL_GPU_ARCH=arch,
        FLYDSL_RUNTIME_ENABLE_CACHE="0",
        ROCM_PATH=str(root / "rocm"),
        PATH=os.pathsep.join((str(binaries), os.defpath)),
        HOME=str(root / "tmp"),
        TMPDIR=str(root / "tmp"),
    )


def _tool_places(tools: dict[str, str]) -> list[str]:
    return [os.path.dirname(os.path.realpath(path)) for path in tools.values()]


def _tool_folder(root: Path, tools: dict[str, str]) -> Path:
    """A folder of the tools under the names that FlyDSL looks for.

    It takes the linker of code objects from `<ROCM_PATH>/llvm/bin` only, and the tools of a C export from PATH only.
    """
    binaries = root / "rocm" / "llvm" / "bin"
    binaries.mkdir(parents=True)
    for name, path in tools.items():
        (binaries / name).symlink_to(path)
    return binaries
