# SPDX-License-Identifier: Apache-2.0
"""What is on disk is in the wheel: files that are not Python's are named in pyproject.toml, and Python's are found; and
the version of all of it stands in one place."""

from __future__ import annotations

import re
import sys
from importlib import metadata
from pathlib import Path
from typing import Any

import pytest

from porter import __version__

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]
#: Compiled into the extension, so needed only where it is built.
SOURCES = {*(ROOT / "oracle" / "machine" / "core").glob("*.[ch]"), *(ROOT / "oracle" / "reference").glob("*.c")}


def settings() -> Any:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["setuptools"]


def on_disk(package: str) -> set[Path]:
    made = {".so", ".pyc"}
    return {path for path in (ROOT / package).rglob("*") if path.is_file() and path.suffix not in made}


@pytest.mark.parametrize("package", ["porter", "oracle"])
def test_package_data_names_every_file_that_is_not_python(package: str) -> None:
    named = {glob: {*(ROOT / package).glob(glob)} for glob in settings()["package-data"][package]}
    other = {path for path in on_disk(package) - SOURCES if path.suffix != ".py"}
    assert other and other == set().union(*named.values())
    assert [glob for glob, found in named.items() if not found] == []


@pytest.mark.parametrize("package", ["porter", "oracle"])
def test_every_python_file_is_in_a_package_that_is_found(package: str) -> None:
    find = settings()["packages"]["find"]
    assert f"{package}*" in find["include"] and not {"exclude", "where"} & set(find)
    folders = {path.parent for path in on_disk(package) if path.suffix == ".py"}
    # `runtime` and `templates/export` have no __init__.py: they are copied, never imported.
    bare = {folder for folder in folders if not (folder / "__init__.py").exists()}
    assert all(folder.name.isidentifier() for folder in folders)
    assert find.get("namespaces", True) or not bare


def test_the_version_is_that_of_the_package_and_of_the_changelog() -> None:
    assert metadata.version("ck-flydsl-porter") == __version__
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert headings[0] == "[Unreleased]"
    assert re.fullmatch(rf"\[{re.escape(__version__)}\] - \d{{4}}-\d\d-\d\d", headings[1])
