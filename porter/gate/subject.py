# SPDX-License-Identifier: Apache-2.0
"""The kernels in scope: modules that porter generated, and hand-written ones with what they declare of themselves.

A hand-written kernel is compiled through a small wrapper module that follows the toolchain's convention (SPEC and
build(N, K)), so nothing else has to know that it is not porter's.
"""

from __future__ import annotations

import ast
import posixpath
import pprint
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from porter import manifest
from porter.errors import InputError, KernelNameError, SourceSpan
from porter.gate.config import GateConfig
from porter.gate.declaration import complete, constant
from porter.gate.lint.module import LintModule
from porter.gate.result import GateFinding
from porter.kernel_spec import KernelSpec
from porter.proof.shapes import unserved
from porter.toolchain import KernelSource
from porter.write.emitter import ENTRY_POINTS

#: What a declaration says that the compiled kernel does not depend on, or that the wrapper says itself.
_NOT_OF_THE_CODE = frozenset({"launcher", "weights", "m", "host"})
#: How the module of every generated kernel begins.
_PREFIX = "flydsl_a8w8_blockscale_"


@dataclass(frozen=True, slots=True)
class Subject:
    """One kernel module.

    name: of the kernel, its file's stem; shown: path relative to the root, with slashes; spec: of a generated kernel;
    declared: of a hand-written one, complete with defaults; where: of the declaration; listed: every shape (M, N,
    K) that the manifest maps to it.
    """

    name: str
    path: Path
    shown: str
    text: str
    siblings: Mapping[str, str]
    spec: KernelSpec | None
    declared: Mapping[str, Any] | None
    where: SourceSpan
    listed: tuple[tuple[int, int, int], ...] = ()

    @property
    def provable(self) -> bool:
        """Whether anything says what the kernel's arguments mean."""
        return self.spec is not None or self.declared is not None

    @property
    def arch(self) -> str:
        return self.spec.arch if self.spec else str((self.declared or {}).get("arch", "gfx950"))

    @property
    def host(self) -> str:
        """Name of the host function, empty for a hand-written kernel that declares none."""
        return ENTRY_POINTS[self.spec.family] if self.spec else str((self.declared or {}).get("host", ""))

    @property
    def weights(self) -> list[tuple[int, int]]:
        """(N, K) that a hand-written kernel declares."""
        return [(int(n), int(k)) for n, k in (self.declared or {}).get("weights", ())]

    def lint_module(self) -> LintModule:
        return LintModule(self.shown, self.name, self.text, dict(self.siblings), self.name == "_shim")

    def source(self) -> KernelSource:
        """What the toolchain compiles."""
        if self.spec is not None or self.declared is None:
            return KernelSource(self.name, self.text, dict(self.siblings))
        spec = {key: value for key, value in self.declared.items() if key not in _NOT_OF_THE_CODE}
        literal = pprint.pformat({"name": self.name, **spec}, sort_dicts=False)
        wrapper = (
            f"from . import {self.name} as _kernel\n\nSPEC = {literal}\nbuild = _kernel.{self.declared['launcher']}\n"
        )
        if self.host:
            wrapper += f"{self.host} = _kernel.{self.host}\n"
        return KernelSource(f"porter_{self.name}", wrapper, {**self.siblings, f"{self.name}.py": self.text})


def generated(config: GateConfig) -> Iterator[Subject | GateFinding]:
    """Every kernel of the output folder: those of its manifest, and any other with a porter name beside them."""
    folder = config.root / config.out
    listed: dict[str, _Listed] = {}
    try:
        listed = dict(_listed(folder / manifest.FILE))
    except InputError as error:
        where = SourceSpan(_shown(config, manifest.FILE), error.where.line if error.where else 1)
        yield GateFinding("CKG016", error.message, where, key=manifest.FILE)
    names = modules(folder)
    support: dict[str, str] = {}
    for name in names:
        if name.startswith("_"):
            try:
                support[name] = read_module(folder / name)
            except ValueError:
                continue  # the lint of the folder's modules says so
    for name in sorted({*listed, *(name for name in names if name.startswith(_PREFIX))}):
        shown, kernel = _shown(config, name), Path(name).stem
        if name not in names:
            where = SourceSpan(_shown(config, manifest.FILE), listed[name].line)
            yield GateFinding("CKG016", f"{name} is listed but missing", where, kernel, name)
            continue
        try:
            spec, text = KernelSpec.parse(kernel), read_module(folder / name)
            ast.parse(text)
        except KernelNameError as error:
            yield GateFinding("CKG016", error.message, SourceSpan(shown, 1), kernel, name)
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            yield unreadable(shown, kernel, error)
        else:
            shapes = listed[name].shapes if name in listed else ()
            if why := unserved(spec, shapes):
                yield GateFinding("CKG016", why, SourceSpan(shown, 1), kernel, why)
                continue
            yield Subject(kernel, folder / name, shown, text, support, spec, None, SourceSpan(shown, 1), shapes)


def strays(config: GateConfig) -> Iterator[Subject | GateFinding]:
    """Kernels of the output folder under a name that is not porter's, which no table declares: what they say of
    themselves they are proved by, as any hand-written one; one that says nothing is not left unsaid."""
    folder = config.root / config.out
    declared = {posixpath.normpath(kernel.path) for kernel in config.hand}
    where = config.place(config.where)
    for name in modules(folder):
        shown = _shown(config, name)
        if name.startswith(("_", _PREFIX)) or shown in declared:
            continue
        try:
            text = read_module(folder / name)
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue  # the lint of the folder's modules says so
        if any(_makes_kernel(node) for node in ast.walk(tree)):
            yield _declaring(folder / name, shown, {}, where)


def _makes_kernel(node: ast.AST) -> bool:
    """Whether a function is decorated as a kernel of FlyDSL."""
    if not isinstance(node, ast.FunctionDef):
        return False
    names = (decorator.func if isinstance(decorator, ast.Call) else decorator for decorator in node.decorator_list)
    return any(ast.unparse(name).rpartition(".")[2] == "kernel" for name in names)


def modules(folder: Path) -> list[str]:
    """Names of the Python files that lie in a folder."""
    return sorted(path.name for path in folder.glob("*.py") if path.is_file()) if folder.is_dir() else []


def read_module(path: Path) -> str:
    """A module as Python reads it. Raises ValueError for one that is not UTF-8, or cannot be read."""
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise ValueError(f"cannot be read: {error.strerror}") from error


def unreadable(shown: str, kernel: str, error: Exception) -> GateFinding:
    """The finding on a module that is no Python."""
    line = (error.lineno if isinstance(error, SyntaxError) else None) or 1
    said = error.msg if isinstance(error, SyntaxError) else str(error) or type(error).__name__
    return GateFinding("CKG016", f"not Python: {said}", SourceSpan(shown, line), kernel, "module")


def _shown(config: GateConfig, name: str) -> str:
    return posixpath.normpath(f"{config.out}/{name}")


def other_modules(config: GateConfig, kernels: Sequence[Subject]) -> Iterator[LintModule | GateFinding]:
    """What is linted beside the kernels: every other module of the output folder, and what hand-written ones import."""
    folder, seen = config.root / config.out, {kernel.shown for kernel in kernels}
    paths = {_shown(config, name): folder / name for name in modules(folder)}
    for kernel in kernels:
        if kernel.spec is None:
            paths |= {
                posixpath.join(posixpath.dirname(kernel.shown), n): kernel.path.parent / n for n in kernel.siblings
            }
    for shown, path in sorted(paths.items()):
        if shown in seen or path.name.startswith(_PREFIX):
            continue
        try:
            yield LintModule(shown, path.stem, read_module(path), shim=path.name == "_shim.py")
        except ValueError as error:
            yield unreadable(shown, path.stem, error)


def hand_written(config: GateConfig) -> Iterator[Subject | GateFinding]:
    """Every kernel of `[tool.porter.kernels]`; what the table does not say, a constant PORTER in the module may."""
    for kernel in config.hand:
        path = config.root / kernel.path
        declared_at = config.place(kernel.where)
        if not path.is_file():
            yield GateFinding("CKG016", f"{kernel.path}: no such file", declared_at, path.stem, kernel.path)
            continue
        yield _declaring(path, kernel.path, kernel.declared, declared_at)


def _declaring(path: Path, shown: str, table: Mapping[str, Any], declared_at: SourceSpan) -> Subject | GateFinding:
    """A hand-written kernel with what its constant and then its table say of it."""
    try:
        text = read_module(path)
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        return unreadable(shown, path.stem, error)
    said, where = constant(tree, shown, declared_at)
    if said is None:
        text = "PORTER is not a dict of literals, and it is read, never run"
        return GateFinding("CKG016", text, where, path.stem, "PORTER")
    declared, problem = complete({**said, **table})
    if problem:
        return GateFinding("CKG016", problem, where, path.stem, problem)
    return Subject(path.stem, path, shown, text, _imported(path, tree), None, declared, where)


class _Listed(NamedTuple):
    """A kernel of a manifest: the line of its name, and its shapes (M, N, K)."""

    line: int
    shapes: tuple[tuple[int, int, int], ...]


def _listed(path: Path) -> Iterator[tuple[str, _Listed]]:
    """Every module of a manifest, nothing without one. Raises InputError CKP062 for a damaged one."""
    if not path.is_file():
        return
    found, content = manifest.read(path), path.read_bytes()
    for kernel in found.kernels:
        line = content.count(b"\n", 0, content.find(f'"name": "{kernel.name}"'.encode())) + 1
        yield kernel.module, _Listed(line, tuple(kernel.shapes))


def _imported(path: Path, tree: ast.Module) -> dict[str, str]:
    """File name -> text of the modules beside a kernel that it imports with `from .`, and those that these import."""
    found: dict[str, str] = {}
    trees = [tree]
    while trees:
        for node in ast.walk(trees.pop()):
            if not isinstance(node, ast.ImportFrom) or node.level != 1:
                continue
            names = [node.module.partition(".")[0]] if node.module else [alias.name for alias in node.names]
            for name in names:
                sibling = path.parent / f"{name}.py"
                if sibling.name in found or not sibling.is_file():
                    continue
                try:
                    found[sibling.name] = read_module(sibling)
                    trees.append(ast.parse(found[sibling.name]))
                except (SyntaxError, ValueError, RecursionError, MemoryError):
                    continue
    return found
