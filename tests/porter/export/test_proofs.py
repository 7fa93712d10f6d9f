# SPDX-License-Identifier: Apache-2.0
"""Exported packages say what is proved of their kernels, and nothing more."""

from __future__ import annotations

import ast
import importlib
import json
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

import pytest

from porter import manifest
from porter.export import common, mslk, primus
from porter.export.common import ExportPlan
from porter.kernel_spec import KernelSpec
from porter.problem import Family
from porter.proof import coverage
from porter.runtime._proofs import digest
from tests.porter.export.checkouts import importable

SHAPE, CODE = (2048, 7168), "0" * 64
PACKAGES = {"mslk": (mslk.plan, "mslk"), "primus": (primus.plan, "primus_turbo")}


@pytest.fixture
def proved(repository: Path, tmp_path: Path) -> Path:
    """The manifest of a copy of generated/ that says that every kernel is proved for one (N, K)."""
    folder = tmp_path / "generated"
    shutil.copytree(repository / "generated", folder, ignore=shutil.ignore_patterns("__pycache__"))
    names = list(manifest.read(folder / "manifest.json").by_name)
    shapes = {"{}x{}".format(*SHAPE): CODE}
    entries = {name: coverage.Proved(digest(folder, name), (1,), shapes) for name in names}
    (folder / coverage.FILE).write_text(coverage.written(entries, "0"))
    return folder / "manifest.json"


def gaps(package: str, root: Path, n: int, k: int) -> set[str]:
    """What dispatch of an exported package says of all its plain kernels."""
    with importable(root, package):
        module: ModuleType = importlib.import_module(f"{package}.flydsl.ck_blockscale._proofs")
        rows = importlib.import_module(f"{package}.flydsl.ck_blockscale.dispatch_rows")
        return {module.gap(name, n, k, k, k) for name in rows.KERNELS}


@pytest.mark.parametrize("target", PACKAGES)
def test_what_is_proved_stays_proved_in_a_package(target: str, proved: Path, tmp_path: Path) -> None:
    plan, package = PACKAGES[target]
    made = plan(common.load(proved))
    made.write(tmp_path)
    assert gaps(package, tmp_path, *SHAPE) == {""}
    assert all("is not proved for N = 64, K = 7168" in gap for gap in gaps(package, tmp_path, 64, 7168))
    (path,) = [path for path in made.files if path.endswith(coverage.FILE)]
    entries = json.loads(made.files[path])["kernels"]
    families = {KernelSpec.parse(name).family for name in entries}
    assert families == {Family.PLAIN} and len(entries) == len(list((tmp_path / path).parent.glob("flydsl_*.py")))
    assert any(coverage.FILE in note for note in made.notes)
    with (tmp_path / path).with_name("_shim.py").open("a") as stream:
        stream.write("# edited\n")
    assert all("another text" in gap for gap in gaps(package, tmp_path, *SHAPE))


def without_file(manifest: Path) -> None:
    manifest.with_name(coverage.FILE).unlink()


def with_other_texts(manifest: Path) -> None:
    """A kernel that is none of the manifest's would not be exported at all, a support file is."""
    with manifest.with_name("_shim.py").open("a") as stream:
        stream.write("# edited\n")


@pytest.mark.parametrize("damage", [without_file, with_other_texts])
def test_what_is_not_proved_is_not_said_to_be(damage: Callable[[Path], None], proved: Path) -> None:
    damage(proved)
    made = mslk.plan(common.load(proved))
    assert not [path for path in made.files if path.endswith(coverage.FILE)]
    assert "run porter verify, then export" in made.notes[-1]


def test_a_package_has_the_program_that_was_proved(proved: Path) -> None:
    """Its texts differ from those of the proof in comments and line breaks alone."""
    made: ExportPlan = mslk.plan(common.load(proved))
    modules = [Path(path) for path in made.files if re.match(r"_(?!_)|flydsl_", Path(path).name)]
    assert len(modules) > 20
    for path in modules:
        trees = [ast.parse(text) for text in (made.files[str(path)], proved.with_name(path.name).read_text())]
        assert ast.dump(trees[0]) == ast.dump(trees[1]), path
