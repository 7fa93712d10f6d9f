# SPDX-License-Identifier: Apache-2.0
"""The gate: every check of every kernel in scope, in one order, to one result."""

from __future__ import annotations

import posixpath
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from porter.census import KernelCensus
from porter.errors import InputError, ToolchainError
from porter.gate import subject as subjects
from porter.gate.baseline import baseline_text
from porter.gate.changed import Revision
from porter.gate.checks import checks, needs
from porter.gate.checks.kind import KernelCheck, NotRun
from porter.gate.config import GateConfig
from porter.gate.context import Context, KernelContext
from porter.gate.lint.flydsl_range import in_words, supported
from porter.gate.result import Check, GateFinding, GateResult, Status, ended
from porter.gate.subject import Subject
from porter.toolchain import confine, flydsl_version


@dataclass
class Gate:
    """One run. revision: only kernels changed since it are proved; jobs: processes and threads; progress: told of every
    finished check."""

    config: GateConfig
    revision: Revision | None
    jobs: int
    progress: Callable[[Check], None]

    def __post_init__(self) -> None:
        self.context = Context(self.config, self.jobs)
        self.started = time.monotonic()

    def run(self) -> GateResult:
        """Every check. Raises InputError for what the user gave wrongly; findings are never raised."""
        prefix = _prefix(self.config.root)
        results: list[Check] = []
        try:
            for check in self._checks():
                results.append(replace(check, findings=tuple(_below(prefix, item) for item in check.findings)))
                self.progress(check)
        except OSError as error:
            place = error.filename or self.config.out
            raise InputError("CKG115", f"{place}: cannot be read: {error.strerror}", self.config.where) from error
        return GateResult(tuple(results), time.monotonic() - self.started)

    def baseline(self) -> str:
        """The text of a baseline of every kernel in scope.

        Raises ToolchainError where one does not compile, InputError CKG114 without a kernel.
        """
        kernels = [self._at(item) for item in self._subjects() if isinstance(item, Subject) and item.provable]
        if not kernels:
            raise InputError("CKG114", "no kernel is in scope, so there is nothing to take a baseline of")
        results = self.context.compile(at.request for at in kernels)
        taken: list[KernelCensus] = []
        for at, result in zip(kernels, results, strict=True):
            if isinstance(result, ToolchainError):
                raise result
            taken += at.census(result)
        return baseline_text(taken)

    def _checks(self) -> Iterator[Check]:
        yield from self._scope()
        for check in checks().files:
            yield from check.run(self.context)
        missing = _no_toolchain()
        _ = self.context.baseline  # a wrong one is said even where nothing is compared with it
        provable = []
        for kernel in self.context.kernels:
            if missing or not kernel.provable:
                why = missing or "declares nothing: no N and K to compile for"
                yield from (self._at(kernel).not_run(check.NAME, why) for check in checks().of_kernels)
            else:
                provable.append(self._at(kernel))
        if provable and (lacking := confine.missing()):
            where = self.config.place(self.config.where)
            finding = GateFinding("CKG047", f"kernels' modules are run unconfined: {'; '.join(lacking)}", where)
            yield ended("scope", self.config.out, (finding,))
        yield from self._code(provable)
        yield from self._proofs(provable)

    def _scope(self) -> Iterator[Check]:
        """What is wrong with what is in scope, and if nothing is."""
        found = list(self._subjects())
        self.context.kernels = [item for item in found if isinstance(item, Subject)]
        for item in found:
            if isinstance(item, GateFinding):
                yield ended("scope", item.kernel or item.where.path, (item,))
        if not found:
            where = self.config.place(self.config.where)
            finding = GateFinding("CKG061", "no kernel is in scope, so nothing was checked", where, key="nothing")
            yield ended("scope", self.config.out, (finding,))

    def _subjects(self) -> Iterator[Subject | GateFinding]:
        yield from subjects.generated(self.config)
        yield from subjects.hand_written(self.config)
        yield from subjects.strays(self.config)

    def _at(self, kernel: Subject) -> KernelContext:
        return KernelContext(self.context, kernel)

    def _code(self, kernels: Sequence[KernelContext]) -> Iterator[Check]:
        """Checks of machine code: those that are remembered first, then all others compiled together."""
        code = checks().code
        pending = []
        for at in kernels:
            known = at.recall(code)
            if known is None:
                pending.append(at)
            else:
                yield from _remembered(code, at, known)
        results = self.context.compile(at.request for at in pending)
        for at, at.result in zip(pending, results, strict=True):
            yield from _judged(code, at)

    def _proofs(self, kernels: Sequence[KernelContext]) -> Iterator[Check]:
        """Checks that execute kernels, and what any check that failed leaves out."""
        start = time.monotonic()
        for at in kernels:
            proofs = [check for check in checks().proofs if not _said(at.broken, check)]
            if self.revision is not None and self.revision.unchanged(at.kernel):
                note = f"unchanged since {self.revision.name}"
                yield from (_left_out(check, at, note) for check in proofs)
            elif self.config.time_limit and time.monotonic() - start > self.config.time_limit:
                why = f"the time limit of {self.config.time_limit:g} s was over"
                yield from (at.not_run(check.NAME, why) for check in proofs)
            elif (known := at.recall(proofs)) is not None:
                yield from _remembered(proofs, at, known)
            else:
                yield from _judged(proofs, at)
            broken = ((check, _said(at.broken, check)) for check in checks().of_kernels)
            yield from (_left_out(check, at, note) for check, note in broken if note)


def _remembered(kinds: Sequence[KernelCheck], at: KernelContext, known: Mapping[str, str]) -> Iterator[Check]:
    for check in kinds:
        note = check.REMEMBERED or known[check.NAME]
        yield ended(check.NAME, at.kernel.name, check.always(at), note=note)


def _judged(kinds: Sequence[KernelCheck], at: KernelContext) -> Iterator[Check]:
    """The checks that nothing before them forbids; remembered where none of them finds anything."""
    notes: dict[str, str] = {}
    for check in kinds:
        if _said(at.broken, check):
            continue
        if why := _said(at.unrun, check):
            yield at.not_run(check.NAME, why)
            continue
        start = time.monotonic()
        try:
            judged = check.judge(at)
        except NotRun as reason:
            at.unrun[check.NAME] = str(reason)
            yield at.not_run(check.NAME, str(reason))
            continue
        if not judged.findings:
            notes[check.NAME] = judged.note
        result = ended(check.NAME, at.kernel.name, judged.findings)
        if result.status is Status.FAILED:
            at.broken[check.NAME] = check.BROKEN
        findings = judged.findings or check.always(at)
        seconds = time.monotonic() - start if judged.seconds is None else judged.seconds
        yield ended(check.NAME, at.kernel.name, findings, seconds, judged.note)
    if notes and len(notes) == len(kinds):
        at.keep(kinds, notes)


def _left_out(check: KernelCheck, at: KernelContext, note: str) -> Check:
    return Check(check.NAME, at.kernel.name, Status.LEFT_OUT, note=note)


def _said(said: Mapping[str, str], check: KernelCheck) -> str:
    """What is said of the nearest check that this one needs."""
    return next((said[name] for name in needs(check) if name in said), "")


def _no_toolchain() -> str:
    version = flydsl_version()
    if not version:
        return "flydsl is not installed"
    if not supported(version):
        return f"flydsl {version} is installed, porter supports {in_words()}"
    try:
        import oracle.machine  # noqa: F401
    except ImportError as error:
        return f"the machine cannot be loaded: {error}"
    return ""


def _prefix(root: Path) -> str:
    """Path from the folder that holds .git to the root, with slashes; empty where they are one, or nothing holds it.

    Annotations and SARIF are read from the top of a repository, wherever in it the configuration lies.
    """
    here = root.resolve()
    top = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    path = here.relative_to(top).as_posix()
    return "" if path == "." else path


def _below(prefix: str, finding: GateFinding) -> GateFinding:
    path = finding.where.path
    if not prefix or PurePath(path).is_absolute():
        return finding
    return replace(finding, where=replace(finding.where, path=posixpath.normpath(f"{prefix}/{path}")))
