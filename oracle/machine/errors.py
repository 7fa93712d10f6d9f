# SPDX-License-Identifier: Apache-2.0
"""Errors of the machine: a program, a launch or a toolchain that cannot be used (codes CKM0## and CKM1##).

Findings about a program that *can* run are not errors; they are in `oracle.machine.report` (codes CKM2## and up).
"""

from __future__ import annotations


class MachineError(Exception):
    """Base of every expected error of the machine; renders as `path:line: message [CODE]`.

    code: CKM and three digits; path and line: where in the source text (1-based, 0 if unknown); pc: byte offset of the
    instruction in its section, or None.
    """

    def __init__(self, code: str, message: str, path: str = "", line: int = 0, pc: int | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.path = path
        self.line = line
        self.pc = pc

    def __str__(self) -> str:
        place = f"{self.path or '<text>'}:{self.line}: " if self.line else (f"{self.path}: " if self.path else "")
        at = f" (pc 0x{self.pc:x})" if self.pc is not None else ""
        return f"{place}{self.message}{at} [{self.code}]"


class ProgramError(MachineError):
    """The text or code object is damaged or uses what the machine does not know."""


class LaunchError(MachineError):
    """The launch does not fit the program: grid, block, kernarg, memory."""


class ExecutionError(MachineError):
    """The program did something that has no defined result: jumped out of its text, trapped, never ended."""


class DisassemblerMissing(MachineError):
    """A code object was given and no llvm-objdump of version 20 or newer is installed."""


class CoreUnusable(ImportError):
    """The compiled core is missing (CKM016) or built from other tables (CKM015): `oracle.machine` cannot be imported.

    code, hint: as of every error that a person sees.
    """

    def __init__(self, code: str, message: str, hint: str) -> None:
        super().__init__(message, name="oracle.machine._core")
        self.code = code
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.msg} [{self.code}]\n  hint: {self.hint}"
