# SPDX-License-Identifier: Apache-2.0
"""`porter rewrite` without its words: rewrite files, check what can be checked, then write them whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import field

from porter.errors import ExitCode, ToolchainError
from porter.records import Record, Shown, made
from porter.rewrite_rules import (
    Failed,
    Outcome,
    Refused,
    Rewritten,
    Unchanged,
    diff,
    native_scaling,
    rewrite_paths,
    select_rules,
)
from porter.toolchain import CompileRequest, KernelSource, compile_kernel
from porter.write import output


@dataclass(frozen=True, slots=True)
class Repair:
    """What became of every named file. compiled: rewritten files that were compiled and hold no native scaling."""

    outcomes: tuple[Outcome, ...]
    before: dict[str, str]
    compiled: frozenset[str]

    @property
    def rewritten(self) -> tuple[Rewritten, ...]:
        return tuple(outcome for outcome in self.outcomes if isinstance(outcome, Rewritten))

    def exit_code(self, check: bool) -> ExitCode:
        """1 for a file that is refused or failed, and with `check` for one that would change."""
        bad = any(isinstance(outcome, Refused | Failed) for outcome in self.outcomes)
        return ExitCode.FINDINGS if bad or (check and self.rewritten) else ExitCode.GOOD

    def diff(self) -> str:
        """All changes as one unified diff."""
        return "".join(diff(self.before[outcome.path], outcome) for outcome in self.rewritten)

    def write(self) -> None:
        """Replace each rewritten file by one rename. Raises InputError CKP060."""
        for outcome in self.rewritten:
            output.replace_file(Path(outcome.path), outcome.text)

    @property
    def output(self) -> RewriteOutput:
        return RewriteOutput(tuple(map(self._file, self.outcomes)))

    def _file(self, outcome: Outcome) -> FileOutput:
        if isinstance(outcome, Rewritten):
            return made(RewrittenOutput, outcome, compiled=outcome.path in self.compiled)
        if isinstance(outcome, Unchanged):
            return made(UnchangedOutput, outcome)
        if isinstance(outcome, Refused):
            return made(RefusedOutput, outcome)
        return made(FailedOutput, outcome)


class RewrittenOutput(Record, frozen=True, tag_field="outcome", tag="rewritten"):
    """A file that was rewritten. compiled: it was compiled, and holds no native scaling."""

    path: str
    rules: tuple[str, ...]
    sites: tuple[Shown, ...]
    notes: tuple[str, ...]
    compiled: bool


class UnchangedOutput(Record, frozen=True, tag_field="outcome", tag="unchanged"):
    """A file that stays as it is, and why."""

    path: str
    why: tuple[str, ...]


class RefusedOutput(Record, frozen=True, tag_field="outcome", tag="refused"):
    """A file in which something cannot be proved: the first place, and a way out."""

    path: str
    code: str
    location: Shown = field(name="where")
    why: str
    hint: str


class FailedOutput(Record, frozen=True, tag_field="outcome", tag="failed"):
    """A file that could not be read, or whose rewrite does not compile."""

    path: str
    error: str


FileOutput = RewrittenOutput | UnchangedOutput | RefusedOutput | FailedOutput


class RewriteOutput(Record, frozen=True, tag_field="schema", tag="porter/rewrite/1"):
    """porter rewrite: the outcome of every file: rewritten by which rules, unchanged and why, or refused with code,
    place and hint."""

    files: tuple[FileOutput, ...]


def repair(
    paths: Sequence[Path], rules: Sequence[str], clustered: bool, shape: tuple[int, int] | None, arch: str = "gfx950"
) -> Repair:
    """Rewrite files in memory.

    rules: ids, empty for all that are not optional; shape: N and K to compile rewritten kernels for, None not to. A
    kernel that no longer compiles, or whose machine code still scales natively, becomes Failed.
    """
    outcomes = rewrite_paths(paths, rules=select_rules(rules or None), clustered=clustered)
    before = {
        outcome.path: Path(outcome.path).read_text(encoding="utf-8") for outcome in outcomes if _readable(outcome)
    }
    compiled: set[str] = set()
    if shape is not None:
        texts = {Path(outcome.path).name: outcome.text for outcome in outcomes if isinstance(outcome, Rewritten)}
        checked: list[Outcome] = []
        for outcome in outcomes:
            result = _compiled(outcome, texts, shape, arch)
            checked.append(result)
            if result is outcome and isinstance(outcome, Rewritten) and _is_kernel(outcome):
                compiled.add(outcome.path)
        outcomes = checked
    return Repair(tuple(outcomes), before, frozenset(compiled))


def _readable(outcome: Outcome) -> bool:
    return isinstance(outcome, Rewritten | Unchanged | Refused)


def _is_kernel(outcome: Rewritten) -> bool:
    # The convention of the toolchain; a helper module without it is compiled with the kernel that imports it.
    return "def build(" in outcome.text and "SPEC" in outcome.text


def _compiled(outcome: Outcome, texts: dict[str, str], shape: tuple[int, int], arch: str) -> Outcome:
    if not isinstance(outcome, Rewritten) or not _is_kernel(outcome):
        return outcome
    source = KernelSource.from_file(Path(outcome.path))
    try:
        kernel = compile_kernel(
            CompileRequest(source.with_texts({**texts, f"{source.name}.py": outcome.text}), *shape, arch)
        )
    except ToolchainError as error:
        return Failed(outcome.path, f"the rewritten kernel does not compile: {error}")
    left = native_scaling(kernel.isa)
    if left:
        line, text = left[0]
        return Failed(outcome.path, f"the rewritten kernel still scales natively, ISA line {line}: {text}")
    return outcome
