# SPDX-License-Identifier: Apache-2.0
"""Instances in C++: arguments of CK's device operations and of aiter's helpers, wherever a file writes them."""

from __future__ import annotations

import bisect
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import PurePath

from porter.ck_parser.cpp_names import AliasTemplate, Names
from porter.ck_parser.cpp_tokens import MAX_LIST_CHARS, DamagedList, Token, Tokens, arguments, split_code
from porter.ck_parser.device_templates import SOURCE_TEMPLATES, IsGeneric, Template, instantiate
from porter.ck_parser.readers.contents import FileContents, ReadOptions, SourcePlace
from porter.ck_parser.rows import InstanceEntry
from porter.ck_parser.table import CellError, Reason
from porter.ck_parser.text import Source
from porter.errors import InputError, SourceSpan

FORM = "C++ instances"
SUFFIXES = (".hpp", ".cpp", ".cuh", ".h", ".cu", ".hh", ".cc", ".cxx", ".hxx", ".inc", ".hip")
TEMPLATE_NAMES = tuple(template.name for template in SOURCE_TEMPLATES)

_MAX_CHARS = 64 * 2**20
_TEMPLATES = {template.name: template for template in SOURCE_TEMPLATES}
_USE = re.compile(rf"\b(?:{'|'.join(TEMPLATE_NAMES)})\s*<")
_TARGET = re.compile(rf"\s*(?:\w+\s*::\s*)*({'|'.join(TEMPLATE_NAMES)})\s*<")
_NOT_BUILT = Reason("CKP048", "the instance is commented out: CK does not build it")
_OWNER = re.compile(r"\busing\s+(\w{1,200})\s*=")
#: Limits of the aliases that a file may put before a template, so that a damaged file cannot multiply itself.
_MAX_ALIASES = 256
_MAX_ALIAS_TOKENS = 2000


def recognises(path: str, head: str) -> bool:
    """A C++ file, or text of no other suffix that uses one of the templates."""
    suffix = PurePath(path).suffix.lower()
    return suffix in SUFFIXES or (suffix not in (".py", ".csv", ".json") and _USE.search(head) is not None)


def read(source: Source, options: ReadOptions) -> FileContents:
    """Read every instance; definitions of templates that leave the sizes open are none.

    An instance that is commented out, or that the preprocessor leaves out, is listed as one that CK does not build.

    Raises InputError CKP019, and CKP004 where the file holds neither an instance nor such a definition.
    """
    code, aside = split_code(source.whole(_MAX_CHARS))
    names = Names(code)
    contents = FileContents(source.path)
    generic = _read(code, names, contents, None)
    if _USE.search(aside):
        _read(aside, names, contents, _NOT_BUILT)
    contents.instances.sort(key=lambda entry: (entry.where.line, entry.where.column))
    if not contents.data_rows and not generic:
        hint = f"porter knows {', '.join(TEMPLATE_NAMES)}"
        raise InputError("CKP004", "no block-scale instance in the file", SourceSpan(source.path, 1), hint)
    return contents


def _read(text: str, names: Names, contents: FileContents, not_built: Reason | None) -> bool:
    """Read the instances of code, or of what is commented out; says whether definitions left sizes open."""
    lines = _Lines(contents.path, text)
    generic = False
    for use in _uses(text, names):
        place = SourcePlace(lines.span(use.start, use.end))
        try:
            made = instantiate(use.template, use.arguments(), names, use.start)
        except IsGeneric:
            generic = True
            continue
        except CellError as error:
            # A comment is free text: only what reads as an instance counts.
            if not not_built:
                contents.count(place.line)
                contents.refuse(place, error)
            continue
        contents.count(place.line)
        contents.instances.append(
            InstanceEntry(
                instance=made.instance,
                kernel_id=None,
                arch="",
                where=place.where,
                list_name=use.owner,
                written=made.written,
                refusal=not_built or made.refusal,
                notes=made.notes,
            )
        )
    return generic


@dataclass(frozen=True, slots=True)
class _Use:
    """One use of a template: where it is written, the alias that it is part of, and its arguments or their damage."""

    template: Template
    given: Sequence[Tokens] | CellError
    start: int
    end: int
    owner: str

    def arguments(self) -> Sequence[Tokens]:
        if isinstance(self.given, CellError):
            raise self.given
        return self.given


def _uses(text: str, names: Names) -> Iterator[_Use]:
    """Every use of a template or of the file's aliases for one, in order.

    After a damaged list the search goes on where reading it stopped.
    """
    aliases = _alias_templates(names)
    pattern = re.compile(rf"\b({'|'.join((*map(re.escape, aliases), *TEMPLATE_NAMES))})\s*<")
    owners = [(match.start(), match[1]) for match in _OWNER.finditer(text)]
    starts = [start for start, _ in owners]
    resume = 0
    for match in pattern.finditer(text):
        start = match.start()
        if start < resume:
            continue
        index = bisect.bisect_left(starts, start) - 1
        written_in = index >= 0 and text.rfind(";", max(starts[index], start - MAX_LIST_CHARS), start) < 0
        owner = owners[index][1] if written_in else ""
        alias = aliases.get(match[1])
        template = alias.template if alias else _TEMPLATES[match[1]]
        try:
            given, resume = arguments(text, match.end() - 1)
            passed = alias.passed(given) if alias else given
        except DamagedList as error:
            resume = error.at
            damage = CellError("CKP022", f"{match[1]}: {error.reason}")
            yield _Use(template, damage, start, match.end(), owner)
        except CellError as error:
            yield _Use(template, error, start, resume, owner)
        else:
            yield _Use(template, passed, start, resume, owner)


@dataclass(frozen=True, slots=True)
class _Alias:
    """An alias template of the file for a known template; target: the arguments that it passes on."""

    definition: AliasTemplate
    template: Template
    target: Sequence[Tokens]

    def passed(self, given: Sequence[Tokens]) -> list[Tokens]:
        """The known template's arguments for the alias's; CellError CKP023 where their number does not fit."""
        bound = _bind(self.definition, given)
        if bound is None:
            expected = len(self.definition.parameters)
            raise CellError("CKP023", f"{len(given)} arguments where {self.definition.name} has {expected}")
        return [piece for words in self.target for piece in _substitute(words, bound)]


def _alias_templates(names: Names) -> dict[str, _Alias]:
    found: dict[str, _Alias] = {}
    for definition in names.alias_templates.values():
        match = _TARGET.match(names.text, definition.at)
        if not match or definition.name in _TEMPLATES:
            continue
        try:
            target = arguments(names.text, match.end() - 1)[0]
        except DamagedList:
            # The use of the known template behind the alias is reported where it stands.
            continue
        if len(found) < _MAX_ALIASES and sum(map(len, target)) < _MAX_ALIAS_TOKENS:
            found[definition.name] = _Alias(definition, _TEMPLATES[match[1]], target)
    return found


def _bind(alias: AliasTemplate, given: Sequence[Tokens]) -> dict[str, list[Tokens]] | None:
    """Arguments by parameter, a pack's all under its name; None where their number does not fit."""
    bound: dict[str, list[Tokens]] = {}
    rest = list(given)
    for index, name in enumerate(alias.parameters):
        is_last = index == len(alias.parameters) - 1
        if is_last and len(rest) > 1 and not alias.defaults:
            bound[name], rest = rest, []
        elif rest:
            bound[name] = [rest.pop(0)]
        elif name in alias.defaults:
            bound[name] = [alias.defaults[name]]
        else:
            return None
    return None if rest else bound


def _substitute(words: Tokens, bound: dict[str, list[Tokens]]) -> Iterator[Tokens]:
    """An argument of the target with the alias's parameters replaced; `Ts...` gives one argument for each of a pack."""
    if len(words) == 2 and words[0].text in bound and words[1].text == "...":
        yield from bound[words[0].text]
        return
    result: list[Token] = []
    for word in words:
        pieces = bound.get(word.text, []) if word.kind == "name" else []
        result += pieces[0] if len(pieces) == 1 else [word]
    yield tuple(result)


class _Lines:
    """Offsets as lines and columns; cheap as long as one offset is near the one before."""

    def __init__(self, path: str, text: str) -> None:
        self.path = path
        self.text = text
        self._at = 0
        self._line = 1

    def number(self, at: int) -> int:
        """The line of an offset, from 1."""
        if at >= self._at:
            self._line += self.text.count("\n", self._at, at)
        else:
            self._line -= self.text.count("\n", at, self._at)
        self._at = at
        return self._line

    def span(self, start: int, end: int) -> SourceSpan:
        """From `start` to `end` where that is on one line; without a column in lines of more than 64 KiB."""
        end_line = self.number(end)
        line = self.number(start)
        nearest = max(0, start - MAX_LIST_CHARS)
        begin = self.text.rfind("\n", nearest, start) + 1
        if not begin and nearest:
            return SourceSpan(self.path, line)
        return SourceSpan(self.path, line, start - begin + 1, end - begin + 1 if end_line == line else 0)
