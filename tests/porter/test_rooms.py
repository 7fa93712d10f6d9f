# SPDX-License-Identifier: Apache-2.0
"""Imports of porter run downwards only, in the order of CONTRIBUTING.md; oracle imports nothing of porter."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest


def imported(path: Path) -> Iterator[str]:
    """Modules of ours that a file imports anywhere in it, annotations included."""
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room(module: str) -> str:
    """`porter.select.legality` -> `select`; nothing for what is not porter's."""
    parts = module.split(".")
    return parts[1] if parts[0] == "porter" and len(parts) > 1 else ""


def order(repository: Path) -> list[str]:
    """Rooms of porter as CONTRIBUTING.md lists them, the highest first."""
    return re.findall(r"`porter/(\w+)(?:/|\.py)`", (repository / "CONTRIBUTING.md").read_text().split("## Rules")[0])


def test_every_room_is_listed(repository: Path) -> None:
    found = {path.stem for path in (repository / "porter").glob("[!_]*") if path.is_dir() or path.suffix == ".py"}
    assert found == set(order(repository))


def test_imports_run_downwards(repository: Path) -> None:
    rank = {name: position for position, name in enumerate(order(repository))}
    upward = [
        f"{path.relative_to(repository)} imports {module}"
        for path in sorted((repository / "porter").rglob("*.py"))
        if "templates" not in path.parts and (here := path.relative_to(repository).with_suffix("").parts[1]) in rank
        for module in imported(path)
        if room(module) in rank and rank[room(module)] < rank[here]
    ]
    assert upward == []


@pytest.mark.parametrize("name", ["porter", "flydsl"])
def test_oracle_knows_nothing_of(name: str, repository: Path) -> None:
    found = [
        f"{path.relative_to(repository)} imports {module}"
        for path in sorted((repository / "oracle").rglob("*.py"))
        for module in imported(path)
        if module.split(".")[0] == name
    ]
    assert found == []
