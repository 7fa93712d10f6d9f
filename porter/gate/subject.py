# SPDX-License-Identifier: Apache-2.0
"""The kernels in scope: modules that porter generated, and hand-written ones with what they declare of themselves.

A hand-written kernel is compiled through a small wrapper module that follows the toolchain's convention (SPEC and
build(N, K)), so nothing else has to know that it is not porter's.
"""

from __future__ import annotations

import ast
import json
import pprint
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porter.errors import KernelNameError, SourceSpan
from porter.gate.config import GateConfig, HandWritten
from porter.gate.lint.module import LintModule
from porter.gate.result import GateFinding
from porter.kernel_spec import KernelSpec
from porter.output import MANIFEST
from porter.toolchain import KernelSource

#: Modules beside a generated kernel that are no kernels themselves.
_NO_KERNELS = ("__init__.py", "dispatch.py", "dispatch_rows.py")

#: What a kernel may declare: key -> (values allowed, None for any of the default's type; default, None: required).
_DECLARED: dict[str, tuple[tuple[Any, ...] | None, Any]] = {
    "launcher": (None, "build"),
    "args": (None, None),
    "n": (None, None),
    "k": (None, None),
    "mfma": (("16x16x128", "32x32x64", "16x16x32", "32x32x16"), None),
    "arch": (("gfx950", "gfx942"), "gfx950"),
    "contract": (("ck", "cktile"), "ck"),
    "scale_block_m": ((1, 128), 1),
    "scale_layout": (("rm", "km"), "rm"),
    "b_layout": (("row_major", "shuffled_16x16"), "row_major"),
    "split_k": (None, 1),
    "out_dtype": (("bf16", "fp16"), "bf16"),
    "m": (None, (1, 64, 301)),
}
#: Argument roles and their kinds; dtype of pointers.
ROLES = {"C": "", "A": "fp8", "B": "fp8", "x_scale": "fp32", "w_scale": "fp32", "workspace": "fp32"}
SCALARS = ("M", "N", "K")


@dataclass(frozen=True, slots=True)
class Subject:
    """One kernel module.

    name: of the kernel, its file's stem; shown: path relative to the root, with slashes; spec: of a generated kernel;
    declared: of a hand-written one, complete with defaults; where: of the declaration.
    """

    name: str
    path: Path
    shown: str
    text: str
    siblings: Mapping[str, str]
    spec: KernelSpec | None
    declared: Mapping[str, Any] | None
    where: SourceSpan

    @property
    def provable(self) -> bool:
        """Whether anything says what the kernel's arguments mean."""
        return self.spec is not None or self.declared is not None

    @property
    def arch(self) -> str:
        return self.spec.arch if self.spec else str((self.declared or {}).get("arch", "gfx950"))

    def lint_module(self) -> LintModule:
        return LintModule(self.shown, self.name, self.text, dict(self.siblings), self.name == "_shim")

    def source(self) -> KernelSource:
        """What the toolchain compiles."""
        if self.spec is not None or self.declared is None:
            return KernelSource(self.name, self.text, dict(self.siblings))
        spec = {key: value for key, value in self.declared.items() if key not in ("launcher", "n", "k", "m")}
        literal = pprint.pformat({"name": self.name, **spec}, sort_dicts=False)
        wrapper = (
            f"from . import {self.name} as _kernel\n\nSPEC = {literal}\nbuild = _kernel.{self.declared['launcher']}\n"
        )
        return KernelSource(f"porter_{self.name}", wrapper, {**self.siblings, f"{self.name}.py": self.text})


def generated(config: GateConfig) -> Iterator[Subject | GateFinding]:
    """Every kernel of the output folder: those of its manifest, and any other with a porter name beside them."""
    folder = config.root / config.out
    listed = dict(_listed(folder / MANIFEST))
    names = {path.name for path in folder.glob("*.py")} if folder.is_dir() else set()
    support = {name: (folder / name).read_text("utf-8", "replace") for name in sorted(names) if name.startswith("_")}
    for name in sorted({*listed, *(name for name in names if name.startswith("flydsl_a8w8_blockscale_"))}):
        shown = f"{config.out}/{name}"
        where = SourceSpan(shown, 1)
        if name not in names:
            where = SourceSpan(f"{config.out}/{MANIFEST}", listed[name])
            yield GateFinding("CKG016", f"{name} is listed but missing", where, Path(name).stem, name)
            continue
        try:
            spec = KernelSpec.parse(Path(name).stem)
        except KernelNameError as error:
            yield GateFinding("CKG016", error.message, where, Path(name).stem, name)
            continue
        text = (folder / name).read_text("utf-8", "replace")
        yield Subject(Path(name).stem, folder / name, shown, text, support, spec, None, where)


def support_modules(config: GateConfig) -> Iterator[LintModule]:
    """Modules that generated kernels import from beside them; they are linted as well."""
    folder = config.root / config.out
    for path in sorted(folder.glob("*.py")) if folder.is_dir() else ():
        if path.name in _NO_KERNELS or (path.name.startswith("_") and path.name != "__init__.py"):
            text = path.read_text("utf-8", "replace")
            yield LintModule(f"{config.out}/{path.name}", path.stem, text, shim=path.name == "_shim.py")


def hand_written(config: GateConfig) -> Iterator[Subject | GateFinding]:
    """Every kernel of `[tool.porter.kernels]`; what the table does not say, a constant PORTER in the module may."""
    for kernel in config.kernels:
        path = config.root / kernel.path
        try:
            text = path.read_bytes().decode("utf-8")
            tree = ast.parse(text)
        except (OSError, UnicodeDecodeError) as error:
            yield GateFinding("CKG016", f"{kernel.path}: cannot be read: {error}", kernel.where, path.stem, kernel.path)
            continue
        except SyntaxError as error:
            yield GateFinding(
                "CKG016", f"not Python: {error.msg}", SourceSpan(kernel.path, error.lineno or 1), path.stem
            )
            continue
        constant, where = _constant(tree, kernel)
        declared, problem = _complete({**constant, **kernel.declared})
        if problem:
            yield GateFinding("CKG016", problem, where, path.stem, problem)
            continue
        yield Subject(path.stem, path, kernel.path, text, _imported(path, tree), None, declared, where)


def _listed(manifest: Path) -> Iterator[tuple[str, int]]:
    """(module, line) of a manifest that can be read; a damaged one is drift and lists nothing here."""
    try:
        text = manifest.read_text("utf-8")
        for kernel in json.loads(text)["kernels"]:
            name = Path(kernel["module"]).name
            yield name, text.count("\n", 0, text.find(f'"{name}"')) + 1
    except (OSError, ValueError, KeyError, TypeError):
        return


def _constant(tree: ast.Module, kernel: HandWritten) -> tuple[dict[str, Any], SourceSpan]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == "PORTER" for t in node.targets):
            try:
                value = ast.literal_eval(node.value)
            except (ValueError, TypeError):
                value = None
            where = SourceSpan(kernel.path, node.lineno)
            return (value if isinstance(value, dict) else {"PORTER": "not a literal dict"}), where
    return {}, kernel.where


def _complete(given: Mapping[str, Any]) -> tuple[dict[str, Any] | None, str]:
    """(declaration with defaults, what is wrong). Neither: nothing is declared, so the kernel is not proved."""
    if not given:
        return None, ""
    unknown = sorted(set(given) - set(_DECLARED))
    if unknown:
        return None, f"declares {', '.join(unknown)}; known: {', '.join(_DECLARED)}"
    missing = [key for key, (_, default) in _DECLARED.items() if default is None and key not in given]
    if missing:
        return None, f"does not declare {', '.join(missing)}"
    full = {key: given.get(key, default) for key, (_, default) in _DECLARED.items()}
    for key, (allowed, _) in _DECLARED.items():
        if allowed is not None and full[key] not in allowed:
            return None, f"{key} = {full[key]!r}: expected one of {', '.join(map(str, allowed))}"
    for key in ("n", "k", "split_k"):
        if not isinstance(full[key], int) or full[key] < 1:
            return None, f"{key} = {full[key]!r}: expected a positive whole number"
    full["m"] = [full["m"]] if isinstance(full["m"], int) else list(full["m"])
    if not full["m"] or not all(isinstance(m, int) and m > 0 for m in full["m"]):
        return None, f"m = {full['m']!r}: expected one or more positive numbers of rows"
    if not isinstance(full["launcher"], str) or not full["launcher"].isidentifier():
        return None, f"launcher = {full['launcher']!r}: expected the name of a function build(N, K)"
    roles = full["args"]
    if not isinstance(roles, list | tuple) or not set(roles) <= {*ROLES, *SCALARS} or "C" not in roles:
        return None, f"args = {roles!r}: expected roles from {', '.join((*ROLES, *SCALARS))} in the launcher's order"
    full["args"] = [
        (
            {"name": role, "kind": "i32"}
            if role in SCALARS
            else {"name": role, "kind": "pointer", "dtype": ROLES[role] or full["out_dtype"]}
        )
        for role in roles
    ]
    return full, ""


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
                found[sibling.name] = sibling.read_text("utf-8", "replace")
                try:
                    trees.append(ast.parse(found[sibling.name]))
                except SyntaxError:
                    continue
    return found
