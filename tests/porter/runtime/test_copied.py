# SPDX-License-Identifier: Apache-2.0
"""What is copied beside kernels is what porter itself runs, and needs nothing that is not there."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from porter.kernel_spec import KernelSpec
from porter.runtime._serving import INT32_LIMIT, read_name, refusals
from porter.write.dispatch import files
from porter.write.emitter import support_files
from tests.porter.specs import VARIED

ROOM = "porter/runtime"


def test_modules_are_copied_as_they_are(repository: Path) -> None:
    copied = files([], [], "1") | support_files()
    del copied["dispatch_rows.py"]
    rooms = [repository / ROOM, repository / "porter/blocks"]
    modules = [path for room in rooms for path in room.glob("*.py") if path.stem != "__init__"]
    assert copied == {path.name: path.read_text() for path in modules}


def test_porter_goes_by_the_rules_that_it_copies(repository: Path) -> None:
    """N, K and 32-bit limits, regimes, split-K and names stand nowhere else in porter."""
    told = (
        "N_MULTIPLE = ",
        "INT32_LIMIT = ",
        "SPLITS = ",
        "DECODE_TILES = ",
        "RULES: tuple",
        "% 128",
        ">= 2**31",
    )
    found = {
        f"{path.relative_to(repository)}: {line.strip()}"
        for path in (repository / "porter").rglob("*")
        if path.suffix in (".py", ".jinja") and not path.is_relative_to(repository / ROOM)
        for line in path.read_text().splitlines()
        if any(words in line for words in told)
    }
    assert found == set()


@pytest.mark.parametrize("name", ["_serving.py", "_regimes.py"])
def test_the_rules_need_the_standard_library_alone(name: str, repository: Path) -> None:
    tree = ast.parse((repository / ROOM / name).read_text())
    imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
    names = {node.module for node in imported if isinstance(node, ast.ImportFrom) and not node.level}
    names |= {alias.name for node in imported if isinstance(node, ast.Import) for alias in node.names}
    assert {str(module).split(".")[0] for module in names} <= set(sys.stdlib_module_names)


@pytest.mark.parametrize("spec", VARIED, ids=lambda spec: spec.name)
def test_a_stride_counts_where_a_tile_has_its_rows(spec: KernelSpec) -> None:
    kernel = spec.fields
    assert read_name(spec.name) == kernel
    assert not list(refusals(kernel, 1 << 20, 1024, 4096))
    far = -(-INT32_LIMIT // kernel.tile_m)
    assert [reason.code for reason in refusals(kernel, 1, 1024, 4096, a_stride=far)] == ["CKS140"]
    assert not list(refusals(kernel, 1, 1024, 4096, a_stride=far - 1))
