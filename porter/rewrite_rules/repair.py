# SPDX-License-Identifier: Apache-2.0
"""`porter rewrite` without its words: rewrite files, check what can be checked, then write them whole."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porter.errors import ExitCode, ToolchainError
from porter.rewrite_rules import (
    Failed,
    Outcome,
    Refused,
    Rewritten,
    Schedule,
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

    def to_json(self) -> dict[str, Any]:
        """The object of `porter rewrite --format json`; schema in docs/schemas/rewrite.json."""
        return {"schema": "porter/rewrite/1", "files": [self._file(outcome) for outcome in self.outcomes]}

    def _file(self, outcome: Outcome) -> dict[str, Any]:
        data: dict[str, Any] = {"path": outcome.path, "outcome": type(outcome).__name__.lower()}
        if isinstance(outcome, Rewritten):
            data |= {
                "rules": list(outcome.rules),
                "sites": [str(site) for site in outcome.sites],
                "notes": list(outcome.notes),
                "compiled": outcome.path in self.compiled,
            }
        elif isinstance(outcome, Unchanged):
            data["why"] = list(outcome.why)
        elif isinstance(outcome, Refused):
            data |= {"code": outcome.code, "where": str(outcome.location), "why": outcome.why, "hint": outcome.hint}
        else:
            data["error"] = outcome.error
        return data


def repair(
    paths: Sequence[Path], rules: Sequence[str], schedule: Schedule, shape: tuple[int, int] | None, arch: str = "gfx950"
) -> Repair:
    """Rewrite files in memory.

    rules: ids, empty for all that are not optional; shape: N and K to compile rewritten kernels for, None not to. A
    kernel that no longer compiles, or whose machine code still scales natively, becomes Failed.
    """
    outcomes = rewrite_paths(paths, rules=select_rules(rules or None), schedule=schedule)
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
