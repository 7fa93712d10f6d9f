# SPDX-License-Identifier: Apache-2.0
"""Every error that porter shows a person: a code, a place, what was expected, and a way out.

Codes stand in `porter.codes`. The core raises these types and never imports click; `porter.commands` maps a type to an
exit code through `exit_code`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class ExitCode(IntEnum):
    """What every command returns; 130 is what shells make of a program that Ctrl-C ended."""

    GOOD = 0
    FINDINGS = 1
    BAD_INPUT = 2
    TOOLCHAIN_MISSING = 3
    INTERNAL = 4
    INTERRUPTED = 130


@dataclass(frozen=True, slots=True)
class SourceSpan:
    """Where a value was written.

    path: the file as the user named it; line and column: 1-based; end_column: exclusive; column 0 means the whole line.
    """

    path: str
    line: int
    column: int = 0
    end_column: int = 0

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}" if self.column else f"{self.path}:{self.line}"


class PorterError(Exception):
    """Base of every expected error; renders as `place: message [CODE]` with the hint on a line of its own."""

    exit_code = ExitCode.BAD_INPUT

    def __init__(self, code: str, message: str, where: SourceSpan | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.where = where
        self.hint = hint

    def __str__(self) -> str:
        place = f"{self.where}: " if self.where else ""
        hint = f"\n  hint: {self.hint}" if self.hint else ""
        return f"{place}{self.message} [{self.code}]{hint}"


class InputError(PorterError):
    """A file or an argument that cannot be used as a whole (CKP): unreadable, wrong form, missing column."""


class KernelNameError(PorterError):
    """A kernel name that fits no known grammar (CKP); the message names the token that does not fit."""


class ToolchainError(PorterError):
    """The compiler ran and failed: abort, crash, time-out, or an error in its own words (CKT)."""

    exit_code = ExitCode.FINDINGS


class ToolchainMissing(PorterError):
    """A tool that the command needs is not installed (CKT)."""

    exit_code = ExitCode.TOOLCHAIN_MISSING
