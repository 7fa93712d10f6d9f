# SPDX-License-Identifier: Apache-2.0
"""Names of a C++ file: aliases, alias templates, constants and template parameters, each worked out when asked for."""

from __future__ import annotations

import bisect
import re
from dataclasses import dataclass

from porter.ck_parser.cpp_tokens import DamagedList, Token, Tokens, arguments, tokens, until_semicolon

_MAX_HOPS = 16
_MAX_DEPTH = 100
_MAX_INTEGER = 2**63

_TEMPLATE = re.compile(r"\btemplate\s*(?=<)")
_ALIAS = re.compile(r"\s*using\s+(\w{1,200})\s*=")
_DECLARATION = re.compile(
    r"\busing\s+(?P<alias>\w{1,200})\s*="
    r"|\btypedef\s(?P<typedef>[^;{}]{1,300}?)(?P<new>\w{1,200})\s*;"
    r"|\b(?:constexpr|const)\b[^;=(){}<>#]{1,200}?\b(?P<constant>\w{1,200})\s*(?:=|(?=\{))"
    r"|^[ \t]*#[ \t]*define[ \t]+(?P<macro>\w{1,200})[ \t]+(?P<value>[^\n]{1,200})",
    re.MULTILINE,
)


class NotANumber(Exception):
    """Why tokens are no number; open_name: the template parameter that leaves it open, if one does."""

    def __init__(self, reason: str, open_name: str = "") -> None:
        super().__init__(reason)
        self.reason = reason
        self.open_name = open_name


@dataclass(frozen=True, slots=True)
class AliasTemplate:
    """`template <parameters> using name = target;`; defaults: of the parameters that have one; at: of the target."""

    name: str
    parameters: tuple[str, ...]
    defaults: dict[str, Tokens]
    at: int


class Names:
    """The declarations of blanked text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.parameters: set[str] = set()
        self.alias_templates: dict[str, AliasTemplate] = {}
        self._places: dict[str, list[int]] = {}
        self._starts: dict[str, list[tuple[int, int]]] = {}
        self._numbers: dict[int, int | NotANumber] = {}
        self._definitions: dict[tuple[int, int], Tokens] = {}
        template_targets = self._templates()
        for match in _DECLARATION.finditer(text):
            name = match["alias"] or match["new"] or match["constant"] or match["macro"]
            if match.end() in template_targets:
                continue
            if match["typedef"] is not None:
                span = (match.start("typedef"), match.end("typedef"))
            elif match["macro"]:
                span = (match.start("value"), match.end("value"))
            else:
                span = (match.end(), -1)
            self._places.setdefault(name, []).append(match.start())
            self._starts.setdefault(name, []).append(span)

    def _templates(self) -> set[int]:
        """Read every `template <...>`; gives where the targets of alias templates begin."""
        targets: set[int] = set()
        resume = 0
        for match in _TEMPLATE.finditer(self.text):
            if match.start() < resume:
                continue
            try:
                listed, resume = arguments(self.text, match.end())
            except DamagedList as error:
                resume = error.at
                continue
            names: list[str] = []
            defaults: dict[str, Tokens] = {}
            for words in listed:
                equals = next((index for index, word in enumerate(words) if word.text == "="), len(words))
                if equals and words[equals - 1].kind == "name":
                    names.append(words[equals - 1].text)
                    if words[equals + 1 :]:
                        defaults[names[-1]] = words[equals + 1 :]
            self.parameters.update(names)
            alias = _ALIAS.match(self.text, resume)
            if alias:
                targets.add(alias.end())
                self.alias_templates[alias[1]] = AliasTemplate(alias[1], tuple(names), defaults, alias.end())
        return targets

    def definition(self, name: str, at: int) -> Tokens | None:
        """What `name` stands for where it is used: its last declaration before `at`."""
        places = self._places.get(name)
        if not places:
            return None
        index = bisect.bisect_left(places, at) - 1
        span = self._starts[name][max(0, index)]
        if span not in self._definitions:
            start, end = span
            self._definitions[span] = (
                tuple(tokens(self.text, start, end)) if end >= 0 else until_semicolon(self.text, start)
            )
        return self._definitions[span]

    def follow(self, words: Tokens, at: int) -> Tokens:
        """What an alias finally stands for; qualified names are final."""
        for _ in range(_MAX_HOPS):
            if len(words) != 1 or words[0].kind != "name":
                break
            found = self.definition(words[0].text, at)
            if not found or found == words:
                break
            words = found
        return words

    def number(self, words: Tokens, at: int, depth: int = 0) -> int:
        """The value of a constant expression; raises NotANumber."""
        parser = _Expression(self, words, at, depth)
        value = parser.sum()
        if parser.index != len(words):
            raise NotANumber(f"{words[parser.index].text} is not part of a constant expression")
        return value

    def constant(self, name: str, at: int, depth: int) -> int:
        """The value of a named constant; raises NotANumber."""
        found = self.definition(name, at)
        if found is None:
            if name in self.parameters:
                raise NotANumber(f"{name} is a template parameter", open_name=name)
            raise NotANumber(f"{name} is not a constant of this file")
        if not found:
            raise NotANumber(f"{name} has no value")
        key = found[0].at
        if key not in self._numbers:
            # A constant that is worked out from itself finds this.
            self._numbers[key] = NotANumber(f"{name} is defined by itself")
            try:
                self._numbers[key] = self.number(found, at, depth + 1)
            except NotANumber as error:
                self._numbers[key] = error
        value = self._numbers[key]
        if isinstance(value, NotANumber):
            raise value
        return value


class _Expression:
    """A constant expression, read from the left with the usual precedence."""

    def __init__(self, names: Names, words: Tokens, at: int, depth: int) -> None:
        self.names = names
        self.words = words
        self.at = at
        self.depth = depth
        self.index = 0

    def _next(self) -> str:
        return self.words[self.index].text if self.index < len(self.words) else ""

    def _take(self) -> Token:
        if self.index >= len(self.words):
            raise NotANumber("nothing where a number was expected")
        self.index += 1
        return self.words[self.index - 1]

    def _expect(self, symbol: str) -> None:
        if self._next() != symbol:
            raise NotANumber(f"{self._next() or 'the end'} where {symbol} was expected")
        self.index += 1

    def sum(self) -> int:
        value = self._product()
        while self._next() in ("+", "-", "<<"):
            symbol = self._take().text
            right = self._product()
            if symbol == "<<":
                value = value << right if 0 <= right < 63 else _MAX_INTEGER
            else:
                value += right if symbol == "+" else -right
            self._bounded(value)
        return value

    def _product(self) -> int:
        value = self._unary()
        while self._next() in ("*", "/", "%"):
            symbol = self._take().text
            right = self._unary()
            if symbol == "*":
                value *= right
            elif right == 0:
                raise NotANumber("a division by zero")
            else:
                # C++ rounds a quotient towards zero.
                quotient = abs(value) // abs(right) * (1 if (value < 0) == (right < 0) else -1)
                value = quotient if symbol == "/" else value - quotient * right
            self._bounded(value)
        return value

    def _bounded(self, value: int) -> None:
        if abs(value) >= _MAX_INTEGER:
            raise NotANumber("the number is too large")

    def _unary(self) -> int:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise NotANumber("the expression is nested too deeply")
        try:
            if self._next() in ("-", "+"):
                negative = self._take().text == "-"
                value = self._unary()
                return -value if negative else value
            return self._primary()
        finally:
            self.depth -= 1

    def _primary(self) -> int:
        token = self._take()
        if token.kind == "number":
            return _integer(token.text)
        if token.text in ("(", "{"):
            if token.text == "(" and self._is_cast():
                self.index = self._closing()
                return self._unary()
            value = self.sum()
            self._expect(")" if token.text == "(" else "}")
            return value
        if token.kind != "name":
            raise NotANumber(f"{token.text} where a number was expected")
        while self._next() == "::":
            self._take()
            token = self._take()
        if token.text in ("true", "false"):
            return int(token.text == "true")
        if self._next() == "<" and token.text in ("static_cast", "Number", "number", "integral_constant"):
            return self._wrapped(token.text)
        if self._next() in ("(", "{"):
            # index_t{128}, index_t(128): the type in front does not change a size.
            return self._primary()
        return self.names.constant(token.text, self.at, self.depth)

    def _wrapped(self, kind: str) -> int:
        """`static_cast<T>(x)` and `Number<x>{}`."""
        self._expect("<")
        if kind == "static_cast":
            while self._next() not in (">", ""):
                self._take()
            self._expect(">")
            return self._primary()
        value = self.sum()
        self._expect(">")
        if self._next() == "{":
            self._take()
            self._expect("}")
        elif self._next() == "::":
            self._take()
            self._take()
        return value

    def _is_cast(self) -> bool:
        """`(qualified::name)` before a value: a cast, as demangled symbols write enumerators."""
        end = self._closing()
        inside = self.words[self.index : end - 1]
        behind = self.words[end].kind in ("name", "number") if end < len(self.words) else False
        return behind and bool(inside) and all(word.kind == "name" or word.text == "::" for word in inside)

    def _closing(self) -> int:
        """The index behind the parenthesis that is open."""
        index = self.index
        while index < len(self.words) and self.words[index].text not in ("(", ")"):
            index += 1
        return index + 1


def _integer(text: str) -> int:
    digits = text.replace("'", "")
    if len(digits) > 20:
        raise NotANumber("the number is too large")
    if digits[:2] in ("0x", "0X"):
        return int(digits[2:] or "0", 16)
    return int(digits, 8) if re.fullmatch("0[0-7]+", digits) else int(digits)
