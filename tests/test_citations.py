# SPDX-License-Identifier: Apache-2.0
"""Every citation leads somewhere: files and anchors of this repository, threads and sources in the forms of
docs/notes/sources.md, modules by their dotted names. Nothing names a note that a reader cannot open."""

from __future__ import annotations

import ast
import io
import re
import subprocess
import tokenize
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent
SOURCES = REPOSITORY / "docs" / "notes" / "sources.md"
ROOTS = "porter|oracle|docs|tests|generated|examples|benchmarks"
WRITTEN = {".py", ".pyi", ".md", ".c", ".h", ".jinja", ".toml", ".yml", ".svg"}

_FENCE = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
_PATH = re.compile(rf"(?<![\w./-])((?:{ROOTS})/[\w./-]*\.(?:py|pyi|md|c|h|jinja|json|csv|svg|txt))\b(?:#([\w-]+))?")
_LINK = re.compile(r"\[[^\]]*\]\([^)\s]+\)")
_NOTE = re.compile(r"(?<![\w./-])([\w-]+\.md)\b")
_THREAD = re.compile(r"(?<![\w&/])([A-Za-z][\w-]*)#(\d+)\b")
_DOTTED = re.compile(r"(?<![\w./-])((?:porter|oracle)(?:\.[a-z_]\w*)+)\b(?!/)")
_SECTION = r"\d+(?:\.\d+)*"
_ISA = re.compile(
    rf"\b((?:CDNA\d|RDNA\d|Vega|MI\d+\w?)(?:'s)? ISA)\b(?: ({_SECTION}(?:(?:, | and | to ){_SECTION})*))?"
)
_PARAGRAPH = re.compile(r"\bSources?: +(.*?)(?:\n\s*\n|\Z)", re.DOTALL)


@cache
def files() -> tuple[Path, ...]:
    """Every text of the repository, the new ones included."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=REPOSITORY, check=True, capture_output=True, text=True).stdout
    paths = [REPOSITORY / line for line in listed.splitlines()]
    return tuple(path for path in paths if path.is_file() and (path.suffix in WRITTEN or path.name == "Makefile"))


@cache
def table(heading: str) -> dict[str, str]:
    """First and last column of the table under a heading of docs/notes/sources.md."""
    section = SOURCES.read_text().partition(f"## {heading}\n")[2].partition("\n## ")[0]
    rows = [line.strip("|").split("|") for line in section.splitlines() if line.startswith("|")][2:]
    return {cells[0].strip(): cells[-1].strip() for cells in rows}


@cache
def anchors(path: Path) -> frozenset[str]:
    """Explicit anchors, and those that GitHub makes of headings."""
    text = path.read_text()
    headings = re.findall(r"^#+ (.+)$", _FENCE.sub("", text), re.MULTILINE)
    made = {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}
    return frozenset(made | set(re.findall(r'<a id="([^"]+)">', text)))


@cache
def prose(path: Path, text: str) -> str:
    """What is written for people: comments and docstrings of code, the whole of anything else."""
    if path.suffix in (".c", ".h"):
        return "\n\n".join(re.sub(r"^ \* ?", "", body, flags=re.M) for body in re.findall(r"/\*(.*?)\*/", text, re.S))
    if path.suffix != ".py":
        return text
    nodes = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    ]
    return "\n\n".join([*(ast.get_docstring(node) or "" for node in nodes), *comments(text)])


def comments(text: str) -> Iterator[str]:
    """Comments of Python code, one for lines that follow each other."""
    block, last = [], 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            if token.start[0] != last + 1:
                yield "\n".join(block)
                block = []
            block.append(token.string.lstrip("#: "))
            last = token.start[0]
    yield "\n".join(block)


def stale_paths(path: Path, text: str) -> Iterator[str]:
    """Files of this repository that are not there, and anchors that the page does not have."""
    for name, anchor in _PATH.findall(text):
        file = REPOSITORY / name
        if not file.exists():
            if f"+++ b/{name}" not in text and f"```python {name}" not in text:  # a page may tell how to write it
                yield name
        elif anchor and file.suffix == ".md" and anchor not in anchors(file):
            yield f"{name}#{anchor}"


def stale_links(path: Path, text: str) -> Iterator[str]:
    """Relative links of a page that lead nowhere."""
    if path.suffix != ".md":
        return
    for target in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"`[^`]*`", "", _FENCE.sub("", text))):
        parts = urlsplit(target)
        file = path.parent / parts.path if parts.path else path
        if not parts.scheme and (not file.exists() or (parts.fragment and parts.fragment not in anchors(file))):
            yield target


def unknown_notes(path: Path, text: str) -> Iterator[str]:
    """Pages named without their folder: those of the reader's own folder, or of the root, can be opened."""
    for name in _NOTE.findall(_LINK.sub("", _FENCE.sub("", prose(path, text)))):
        if not (path.parent / name).exists() and not (REPOSITORY / name).exists():
            yield name


def unknown_threads(path: Path, text: str) -> Iterator[str]:
    """Issues and pull requests that are not NAME#NUMBER of a repository that sources.md names."""
    known = {name for name, place in table("Names").items() if place.startswith("github.com/")}
    written = _FENCE.sub("", prose(path, text))
    yield from (f"{name}#{number}" for name, number in _THREAD.findall(written) if name not in known)
    yield from re.findall(rf"\b(?:{'|'.join(known)}) (?:(?:PR|issue|pull request) ?#?|#)?\d{{3,}}\b", written)


def unknown_sources(path: Path, text: str) -> Iterator[str]:
    """Items of a `Source:` paragraph, divided by semicolons, that have none of the forms of sources.md."""
    names = "|".join(map(re.escape, table("Names")))
    form = re.compile(rf"docs/[\w./-]+\.md(?:#[\w-]+)?(?:,.*)?|(?:{names})(?:#\d+| \d[\d.]*)?(?:,.*)?|measured, .+")
    for paragraph in _PARAGRAPH.findall(prose(path, text)):
        for item in " ".join(paragraph.split()).rstrip(".").split("; "):
            if not form.fullmatch(item):
                yield item


def unknown_sections(path: Path, text: str) -> Iterator[str]:
    """Manuals that sources.md does not name, and sections that it does not list."""
    for manual, numbers in _ISA.findall(" ".join(prose(path, text).split())):
        if manual not in table("Names"):
            yield manual
        for number in re.findall(_SECTION, numbers):
            if manual != "CDNA4 ISA" or number not in table("Sections of the CDNA4 ISA"):
                yield f"{manual} {number}"


def unknown_modules(path: Path, text: str) -> Iterator[str]:
    """Dotted names, below porter and oracle, of no module and of nothing within one."""
    for name in _DOTTED.findall(prose(path, text)):
        if name.rpartition(".")[2] not in ("sarif", "xml") and not resolves(name):
            yield name


@cache
def resolves(name: str) -> bool:
    """Whether packages, a module and, behind them, a name that the module's text has."""
    place, parts = REPOSITORY, name.split(".")
    while parts and (place / parts[0]).is_dir():
        place /= parts.pop(0)
    if not parts:
        return True
    module = place / f"{parts[0]}.py"
    if module.exists():
        parts.pop(0)
    else:
        module = place / "__init__.py"
    return not parts or (module.exists() and re.search(rf"\b{parts[0]}\b", module.read_text()) is not None)


def hidden_notes(path: Path, text: str) -> Iterator[str]:
    """Folders that stand beside the repository where it is made, and nowhere else."""
    yield from re.findall(r"(?<![\w.-])(?:\.\./)?(?:shared/)?facts/[\w./-]*|(?<![\w.-])(?:\.\./)?shared/[\w./-]+", text)


CHECKS: tuple[tuple[Callable[[Path, str], Iterator[str]], str], ...] = (
    (stale_paths, "# As docs/contract.md#no-such-part says."),
    (stale_links, "[there](docs/nowhere.md)"),
    (unknown_notes, "# LDS is 160 KiB (hardware.md 1)."),
    (unknown_threads, "# Seen by others (nobody#12)."),
    (unknown_threads, "# Seen by others (sglang 28685)."),
    (unknown_sources, "# Source: what people say."),
    (unknown_sources, "# Source: docs/contract.md; common knowledge."),
    (unknown_sections, "# Range check (CDNA4 ISA 99.1)."),
    (unknown_sections, "# Scalar stores (Vega ISA 12.5)."),
    (unknown_modules, "# Written by `porter.nowhere`."),
    (hidden_notes, "# See facts/flydsl.md."),
)


@pytest.mark.parametrize("check", dict.fromkeys(check for check, _ in CHECKS), ids=lambda check: check.__name__)
def test_citations_lead_somewhere(check: Callable[[Path, str], Iterator[str]]) -> None:
    wrong = {
        f"{path.relative_to(REPOSITORY)}: {fault}"
        for path in files()
        if path != Path(__file__)
        for fault in check(path, path.read_text())
    }
    assert not wrong, "\n".join(sorted(wrong))


@pytest.mark.parametrize(("check", "text"), CHECKS, ids=lambda value: getattr(value, "__name__", "sample"))
def test_a_check_sees_what_leads_nowhere(check: Callable[[Path, str], Iterator[str]], text: str) -> None:
    path = REPOSITORY / ("sample.md" if text.startswith("[") else "sample.py")
    assert list(check(path, text))


def test_sources_are_cited() -> None:
    """No row of docs/notes/sources.md is left over, and its names are in order."""
    written = "\n".join(path.read_text() for path in files() if path not in (SOURCES, Path(__file__)))
    names = list(table("Names"))
    assert names == sorted(names, key=str.lower)
    assert [name for name in names if not re.search(rf"\b{re.escape(name)}\b", written)] == []
    cited = set(re.findall(_SECTION, " ".join(numbers for _, numbers in _ISA.findall(written))))
    spans = {
        f"12.{i}" for low, high in re.findall(r"12\.(\d+) to 12\.(\d+)", written) for i in range(int(low), int(high))
    }
    assert [section for section in table("Sections of the CDNA4 ISA") if section not in cited | spans] == []
