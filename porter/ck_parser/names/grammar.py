# SPDX-License-Identifier: Apache-2.0
"""What a name grammar is: tokens read from the left, each with words for what was expected."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Protocol

from porter.ck_parser.quoting import quote
from porter.errors import KernelNameError
from porter.problem import Family

#: A positive number as every grammar writes it, and one that may be zero.
POSITIVE = "[1-9][0-9]{0,5}"
NUMBER = "(?:0|[1-9][0-9]{0,5})"


class Kernel(Protocol):
    """What every named kernel tells, whoever made it.

    libtype: aiter's libtype; name: the kernelName, which parses back to an equal value; family: None when the name
    does not tell.
    """

    @property
    def libtype(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def family(self) -> Family | None: ...


@dataclass(frozen=True, slots=True)
class OpaqueKernel:
    """A kernel that is not CK's: what it is and whose, and nothing of its parameters, which no port needs."""

    libtype: str
    name: str
    family: Family | None = None


@dataclass(frozen=True, slots=True)
class Grammar:
    """One form of kernel name.

    text: the form, for messages; start: a regular expression that tells the form from every other by its beginning;
    steps: (what is expected, regular expression) from the left to the end; build: named groups, and
    the whole as `name`, to a kernel.
    """

    text: str
    start: str
    steps: tuple[tuple[str, str], ...]
    build: Callable[[Mapping[str, str]], Kernel]

    def recognises(self, name: str) -> bool:
        """Whether the beginning of the name is this form's; no other grammar recognises it then."""
        return re.match(self.start, name) is not None

    def parse(self, name: str) -> Kernel:
        """Read a name; KernelNameError CKP032 names the first token that does not fit."""
        position = 0
        values = {"name": name}
        for expected, pattern in self.steps:
            match = re.compile(pattern).match(name, position)
            if match is None:
                token = quote(name[position:].split("_", 1)[0]) if position < len(name) else "the end of the name"
                message = f"kernel name {quote(name)}: {token} where {expected} was expected"
                raise KernelNameError("CKP032", message, hint=f"grammar: {self.text}")
            values.update((key, value) for key, value in match.groupdict().items() if value is not None)
            position = match.end()
        return self.build(values)


def opaque(libtype: str, family: Family | None) -> Callable[[Mapping[str, str]], OpaqueKernel]:
    """`build` of a grammar whose kernels are not CK's."""
    return lambda values: OpaqueKernel(libtype, values["name"], family)


def numbers(key: str, count: int, separator: str = "_") -> str:
    """Regular expression of `count` positive numbers joined by x, as one group, and what follows."""
    return f"(?P<{key}>{'x'.join([POSITIVE] * count)}){separator}"


def split_numbers(text: str) -> tuple[int, ...]:
    """`8x32x1` as (8, 32, 1)."""
    return tuple(map(int, text.split("x")))
