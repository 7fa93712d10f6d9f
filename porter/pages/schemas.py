# SPDX-License-Identifier: Apache-2.0
"""docs/schemas and docs/schemas.md from the records: `python -m porter.pages.schemas` writes them."""

from __future__ import annotations

import importlib
import pkgutil
from pathlib import Path
from typing import Any

import porter
from porter.gate.config import Table
from porter.records import Record, below, laid_out, schema

PAGE = "docs/schemas.md"
FOLDER = "docs/schemas"

_HEAD = """\
<!-- Written by `python -m porter.pages.schemas`; a test compares. Change the records, not this page. -->

# JSON schemas

Each command prints one JSON object with `--format json`; its `schema` member says which of these it follows. They are
JSON Schema, draft 2020-12, written from the types that porter itself reads and writes, and closed: a member that is not
listed is an error. The number at the end grows when a member is taken away or changes its meaning. Tests hold the
output of every command against its schema. The configuration of `porter ci` has one as well, for editors.

| schema | of | what it says | members |
|---|---|---|---|
"""


def schemas() -> dict[str, dict[str, Any]]:
    """File name -> schema, of every record that has a schema's name, and of `[tool.porter]`."""
    _import_all()
    found = {record.__struct_config__.tag: record for record in below(Record) if _is_top(record)}
    named = {str(tag).split("/")[1]: schema(record) for tag, record in found.items()}
    named["configuration"] = schema(Table)
    return {f"{name}.json": named[name] for name in sorted(named)}


def files() -> dict[str, str]:
    """File name -> text of docs/schemas."""
    return {name: laid_out(data) + "\n" for name, data in schemas().items()}


def page() -> str:
    """docs/schemas.md."""
    return _HEAD + "".join(_row(name, data) for name, data in schemas().items())


def _row(file: str, data: dict[str, Any]) -> str:
    members = ", ".join(f"`{name}`" for name in data["properties"] if name != "schema")
    label = data["properties"].get("schema", {"const": "pyproject.toml"})["const"]
    return f"| [{label}](schemas/{file}) | {data['title']} | {data['description']} | {members} |\n"


def _import_all() -> None:
    """Records are found as subclasses; what is copied beside kernels has none, and is imported there alone."""
    for module in pkgutil.walk_packages(porter.__path__, "porter."):
        if not module.name.startswith(
            ("porter.templates", "porter.runtime", "porter.blocks", "porter.__main__", "porter.toolchain._")
        ):
            importlib.import_module(module.name)


def _is_top(record: type[Record]) -> bool:
    return record.__struct_config__.tag_field == "schema"


if __name__ == "__main__":
    written = files()
    Path(FOLDER).mkdir(exist_ok=True)
    for old in Path(FOLDER).glob("*.json"):
        old.unlink()
    for file, text in written.items():
        (Path(FOLDER) / file).write_text(text, encoding="utf-8")
    Path(PAGE).write_text(page(), encoding="utf-8")
