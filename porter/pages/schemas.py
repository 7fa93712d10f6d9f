# SPDX-License-Identifier: Apache-2.0
"""docs/schemas.md from the schemas in docs/schemas: `python -m porter.pages.schemas FILE` writes it."""

from __future__ import annotations

import json
import sys
from pathlib import Path

PAGE = "docs/schemas.md"
FOLDER = "docs/schemas"

_HEAD = f"""\
<!-- Written by `python -m porter.pages.schemas {PAGE}`; a test compares. Change the schemas, not this page. -->

# JSON schemas

Each command prints one JSON object with `--format json`; its `schema` member says which of these it follows. They are
JSON Schema, draft 2020-12, closed: a member that is not listed is an error, so a change of the output is a change here.
The number at the end grows when a member is taken away or changes its meaning. Tests hold the output of every command
against its schema.

| schema | of | what it says | members |
|---|---|---|---|
"""


def page(folder: Path) -> str:
    """docs/schemas.md for a folder of schemas, by file name."""
    return _HEAD + "".join(_row(path) for path in sorted(folder.glob("*.json")))


def _row(path: Path) -> str:
    schema = json.loads(path.read_text(encoding="utf-8"))
    members = ", ".join(f"`{name}`" for name in schema["properties"] if name != "schema")
    label = schema["properties"]["schema"]["const"]
    return f"| [{label}](schemas/{path.name}) | {schema['title']} | {schema['description']} | {members} |\n"


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(Path(FOLDER)), encoding="utf-8")
