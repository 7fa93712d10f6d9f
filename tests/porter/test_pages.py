# SPDX-License-Identifier: Apache-2.0
"""The pages of docs/: those that are written from something are fresh, links lead somewhere, commands exist."""

from __future__ import annotations

import json
import re
from pathlib import Path
from urllib.parse import urlsplit

import click
import pytest
from jsonschema import Draft202012Validator

from porter.cli import main
from porter.pages import cli, schemas

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = sorted(DOCS.glob("*.md"))


def test_the_command_page_is_fresh() -> None:
    page = (DOCS / "cli.md").read_text()
    assert page == cli.page(), "run: make generate"
    for name in main.commands:
        assert f"### porter {name}\n" in page


def test_the_schema_page_is_fresh() -> None:
    assert (DOCS / "schemas.md").read_text() == schemas.page(DOCS / "schemas"), "run: make generate"


@pytest.mark.parametrize("path", sorted((DOCS / "schemas").glob("*.json")), ids=lambda path: path.stem)
def test_a_schema_is_valid_and_named_after_its_file(path: Path) -> None:
    schema = json.loads(path.read_text())
    Draft202012Validator.check_schema(schema)
    assert re.fullmatch(rf"porter/{path.stem}/[1-9]\d*", schema["properties"]["schema"]["const"])
    assert schema["title"] and schema["description"].endswith(".")


def anchors(path: Path) -> set[str]:
    """Explicit anchors, and those that GitHub makes of headings."""
    text = path.read_text()
    headings = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return made | set(re.findall(r'<a id="([^"]+)">', text))


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_links_lead_somewhere(path: Path) -> None:
    text = re.sub(r"```.*?```", "", path.read_text(), flags=re.DOTALL)
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", text)):
        parts = urlsplit(target)
        if parts.scheme:
            continue
        file = path.parent / parts.path if parts.path else path
        assert file.exists(), f"{path.name}: {target}"
        if parts.fragment:
            assert parts.fragment in anchors(file), f"{path.name}: {target}"


def test_the_index_names_every_page() -> None:
    index = (DOCS / "README.md").read_text()
    for path in PAGES:
        assert path.name == "README.md" or f"({path.name})" in index, path.name


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_commands_and_options_that_a_page_names_exist(path: Path) -> None:
    for name, rest in re.findall(r"(?:^|`)porter ([a-z]+)\b([^`\n#]*)", path.read_text(), re.MULTILINE):
        assert name in main.commands, f"{path.name}: porter {name}"
        command = main.commands[name]
        known = {word for option in command.params if isinstance(option, click.Option) for word in option.opts}
        for option in re.findall(r"(?<=\s)--[a-z-]+", rest):
            assert option in {*known, "--help"}, f"{path.name}: porter {name} {option}"
