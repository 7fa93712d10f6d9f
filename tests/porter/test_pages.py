# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/: those that are written from something are fresh, and the commands that they name exist.

That links lead somewhere is looked at with the other citations, in tests/test_citations.py.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import click
import pytest
from jsonschema import Draft202012Validator

from porter.commands.main import main
from porter.pages import cli, codes, schemas

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(DOCS.rglob("*.md"))


def test_the_command_page_is_fresh() -> None:
    page = (DOCS / "cli.md").read_text()
    assert page == cli.page(), "run: make generate"
    for name in main.commands:
        assert f"### porter {name}\n" in page


def test_the_schema_page_is_fresh() -> None:
    assert (DOCS / "schemas.md").read_text() == schemas.page(), "run: make generate"


def test_the_schemas_are_those_of_the_records() -> None:
    texts = {path.name: path.read_text() for path in (DOCS / "schemas").iterdir()}
    assert texts == schemas.files(), "run: make generate"


def test_the_pages_of_codes_are_fresh() -> None:
    assert {path.name: path.read_text() for path in (DOCS / "codes").iterdir()} == codes.pages(), "run: make generate"


def test_the_gate_page_names_every_key_of_the_configuration() -> None:
    page, schema = (DOCS / "gate.md").read_text(), schemas.schemas()["configuration.json"]
    budget = [f"budget.{key}" for key in schema["$defs"]["Budget"]["properties"]]
    keys = [key for key in schema["properties"] if key not in ("budget", "kernels")]
    assert budget and [key for key in [*keys, *budget] if f"`{key}`" not in page] == []


@pytest.mark.parametrize("path", sorted((DOCS / "schemas").glob("*.json")), ids=lambda path: path.stem)
def test_a_schema_is_valid_and_named_after_its_file(path: Path) -> None:
    schema = json.loads(path.read_text())
    Draft202012Validator.check_schema(schema)
    if path.stem != "configuration":  # a table of pyproject.toml, not a file of its own
        assert re.fullmatch(rf"porter/{path.stem}/[1-9]\d*", schema["properties"]["schema"]["const"])
    assert schema["title"] and schema["description"].endswith(".")


def test_the_index_names_every_page() -> None:
    index = (DOCS / "README.md").read_text()
    for path in (*DOCS.glob("*.md"), *DOCS.glob("notes/*.md")):
        assert path.name == "README.md" or f"({path.relative_to(DOCS)})" in index, path.name


def said(page: str) -> list[str]:
    """The commands that a page names: lines of its code blocks and code within its sentences."""
    blocks = re.findall(r"^```.*?\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    sentences = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    spans = re.findall(r"`([^`\n]+)`", sentences)
    return [line for text in (*blocks, *spans) for line in text.splitlines() if line.startswith("porter ")]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_commands_and_options_that_a_page_names_exist(path: Path) -> None:
    for line in said(path.read_text()):
        name, *words = line.split()[1:]
        if not name.isalpha() or name.isupper():
            continue  # the usage of porter itself
        assert name in main.commands, f"{path.name}: {line}"
        known = {
            option for item in main.commands[name].params if isinstance(item, click.Option) for option in item.opts
        }
        for word in words:
            assert not word.startswith("--") or word in {*known, "--help"}, f"{path.name}: {line}"


def test_the_pages_show_commands() -> None:
    assert len({line for path in PAGES for line in said(path.read_text())}) > 20


@pytest.mark.parametrize("path", sorted(DOCS.glob("*.svg")), ids=lambda path: path.name)
def test_a_picture_is_whole_readable_in_both_schemes_and_says_what_it_shows(path: Path) -> None:
    root = ElementTree.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    parts = {name: root.findtext(f"{space}{name}") for name in ("title", "desc", "style")}
    assert all(parts.values())
    assert "prefers-color-scheme: dark" in (parts["style"] or "")
    light, dark = re.findall(r":root \{(.*?)\}", parts["style"] or "", re.DOTALL)
    assert re.findall(r"--[\w]+", light) == re.findall(r"--[\w]+", dark)
    assert "http" not in path.read_text().replace("http://www.w3.org/2000/svg", "")
