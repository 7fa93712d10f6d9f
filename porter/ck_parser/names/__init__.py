# SPDX-License-Identifier: Apache-2.0
"""Kernel names. Each grammar is one module of this package with a `GRAMMAR`; a new module is found by walking it."""

from __future__ import annotations

import re
from functools import cache

from porter.ck_parser.names.grammar import Grammar, Kernel
from porter.ck_parser.quoting import quote
from porter.errors import KernelNameError
from porter.walk import modules

#: Longer names than this are refused unread; the longest real one has 109 characters.
MAX_NAME_CHARS = 512


@cache
def grammars() -> tuple[Grammar, ...]:
    """Every grammar of the package, by module name."""
    return tuple(module.GRAMMAR for module in modules(__name__) if hasattr(module, "GRAMMAR"))


def parse_kernel_name(name: str) -> Kernel:
    """Read a kernelName of any libtype.

    Raises KernelNameError: CKP031 when no grammar knows the name, CKP032 (CKP030 for porter's own) naming the first
    token that leaves the grammar, CKP033 when the parameters contradict each other.
    """
    if len(name) > MAX_NAME_CHARS:
        raise KernelNameError("CKP031", f"kernel name {quote(name)}: more than {MAX_NAME_CHARS} characters")
    for grammar in grammars():
        if grammar.recognises(name):
            return grammar.parse(name)
    raise KernelNameError("CKP031", f"kernel name {quote(name)} fits no known grammar", hint=_beginnings())


@cache
def _beginnings() -> str:
    """How names begin that some grammar knows."""
    fixed = sorted({re.split(r"[{\[]", grammar.text)[0] for grammar in grammars()})
    return f"known names begin with {', '.join(fixed)}"
