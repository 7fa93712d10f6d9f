# SPDX-License-Identifier: Apache-2.0
"""Itanium-mangled names of kernels as C++ again, as far as kernels' template arguments use the mangling.

Names, nested names, template arguments and packs, literals, built-in types, pointers and substitutions; anything else
(expressions, lambdas, array and function types) is given up.

Source: Itanium C++ ABI, section 5.1.
"""

from __future__ import annotations

import re
from collections.abc import Callable

_MAX_DEPTH = 64
#: A demangled name is not longer: substitutions could otherwise double it with every letter.
_MAX_CHARS = 16_384

_BUILTIN = {
    "v": "void",
    "w": "wchar_t",
    "b": "bool",
    "c": "char",
    "a": "signed char",
    "h": "unsigned char",
    "s": "short",
    "t": "unsigned short",
    "i": "int",
    "j": "unsigned int",
    "l": "long",
    "m": "unsigned long",
    "x": "long long",
    "y": "unsigned long long",
    "f": "float",
    "d": "double",
    "DF16_": "_Float16",
    "DF16b": "__bf16",
    "Dh": "half",
    "Dn": "decltype(nullptr)",
}
_STANDARD = {"St": "std", "Sa": "std::allocator", "Sb": "std::basic_string", "Ss": "std::string"}
_QUALIFIERS = {"P": "*", "R": "&", "O": "&&", "K": " const", "V": " volatile", "r": " restrict"}


class _GiveUp(Exception):
    """The name uses something that this room does not read, or it is damaged."""


def demangle(symbol: str) -> str:
    """The name without its function parameters; empty where it cannot be read."""
    symbol = symbol.strip()
    if not symbol.startswith("_Z"):
        return ""
    try:
        return _Reader(symbol.removeprefix("_Z").removeprefix("L")).encoding()
    except (_GiveUp, RecursionError):
        return ""


class _Reader:
    """Reads from the left; `known` holds what substitutions refer to, in order."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.depth = 0
        self.known: list[str] = []

    def encoding(self) -> str:
        return self._name()

    def _starts(self, prefix: str) -> bool:
        return self.text.startswith(prefix, self.at)

    def _eat(self, prefix: str) -> bool:
        if self._starts(prefix):
            self.at += len(prefix)
            return True
        return False

    def _need(self, prefix: str) -> None:
        if not self._eat(prefix):
            raise _GiveUp

    def _remember(self, name: str) -> str:
        if len(name) > _MAX_CHARS:
            raise _GiveUp
        self.known.append(name)
        return name

    def _deeper(self, read: Callable[[], str]) -> str:
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise _GiveUp
        try:
            return read()
        finally:
            self.depth -= 1

    def _name(self) -> str:
        if self._eat("N"):
            return self._nested()
        name = self._unqualified()
        if self._starts("I"):
            name = self._remember(name) + self._template_arguments()
        return name

    def _nested(self) -> str:
        while self._eat("K") or self._eat("V") or self._eat("r"):
            continue
        name = ""
        while not self._eat("E"):
            if self._starts("S") and not self._starts("St"):
                name = self._substitution()
                continue
            if self._starts("I"):
                name += self._template_arguments()
            else:
                part = self._unqualified()
                name = f"{name}::{part}" if name else part
            if not self._starts("E"):
                self._remember(name)
        return name

    def _unqualified(self) -> str:
        standard = "std::" if self._eat("St") else ""
        self._eat("L")
        match = re.compile("[0-9]{1,5}").match(self.text, self.at)
        if not match:
            raise _GiveUp
        length = int(match.group())
        start = match.end()
        if not length or start + length > len(self.text):
            raise _GiveUp
        self.at = start + length
        return standard + self.text[start : self.at]

    def _substitution(self) -> str:
        for short, name in _STANDARD.items():
            if short != "St" and self._eat(short):
                return name
        match = re.compile("S([0-9A-Z]{0,4})_").match(self.text, self.at)
        if not match:
            raise _GiveUp
        self.at = match.end()
        index = int(match[1], 36) + 1 if match[1] else 0
        if index >= len(self.known):
            raise _GiveUp
        return self.known[index]

    def _template_arguments(self) -> str:
        self._need("I")
        return f"<{', '.join(self._arguments())}>"

    def _arguments(self) -> list[str]:
        found: list[str] = []
        length = 0
        while not self._eat("E"):
            if self._eat("J"):
                found.extend(self._arguments())
            else:
                found.append(self._deeper(self._argument))
            length += len(found[-1]) if found else 0
            if length > _MAX_CHARS:
                raise _GiveUp
        return found

    def _argument(self) -> str:
        return self._literal() if self._starts("L") else self._type()

    def _literal(self) -> str:
        self._need("L")
        if self._starts("_Z"):
            raise _GiveUp
        kind = self._type()
        match = re.compile("(n?)([0-9]{1,20})E").match(self.text, self.at)
        if not match:
            raise _GiveUp
        self.at = match.end()
        value = f"{'-' if match[1] else ''}{match[2]}"
        if kind == "bool":
            return "true" if value == "1" else "false"
        return value if kind in _BUILTIN.values() else f"({kind}){value}"

    def _type(self) -> str:
        for letter, mark in _QUALIFIERS.items():
            if self._eat(letter):
                return self._remember(self._deeper(self._type) + mark)
        for code, name in _BUILTIN.items():
            if self._eat(code):
                return name
        match = re.compile("D([BU])([0-9]{1,3})_").match(self.text, self.at)
        if match:
            self.at = match.end()
            return self._remember(f"{'unsigned ' if match[1] == 'U' else ''}_BitInt({match[2]})")
        if self.text[self.at : self.at + 1] in ("D", "F", "A", "M", "T", "X", "U", "u"):
            raise _GiveUp
        if self._starts("S") and not self._starts("St"):
            name = self._substitution()
            if self._starts("I"):
                return self._remember(name + self._template_arguments())
            return name
        return self._remember(self._deeper(self._name))
