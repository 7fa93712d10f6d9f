# SPDX-License-Identifier: Apache-2.0
"""The gate: every check of every kernel in scope, in one order, to one result."""

from __future__ import annotations

import posixpath
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from porter.census import KernelCensus
from porter.errors import InputError, PorterError, SourceSpan, ToolchainError, ToolchainMissing
from porter.gate import subject as subjects
from porter.gate.budget import Baseline, baseline_text, read_baseline, within_budget
from porter.gate.changed import Revision
from porter.gate.config import GateConfig
from porter.gate.drift import Expected
from porter.gate.lint import lint
from porter.gate.lint.flydsl_range import in_words, supported
from porter.gate.locate import PROMOTE, Locator
from porter.gate.packed import packed_fp32
from porter.gate.proof import data_sets, declared_works, kernel_under_test, prove, survivors, works
from porter.gate.result import Check, GateFinding, GateResult, Status
from porter.gate.subject import Subject
from porter.gate.verdicts import keep, recall, verdict_key
from porter.measure.census import reference_nk, take
from porter.proof.coverage import FILE, out_of_date
from porter.proof.host import host_differs
from porter.proof.shapes import Depth, Work, whole
from porter.toolchain import CompiledKernel, CompileRequest, compile_many, confine, flydsl_version

if TYPE_CHECKING:
    from oracle.verify import KernelUnderTest


@dataclass
class Gate:
    """One run. revision: only kernels changed since it are proved; jobs: processes and threads; progress: told of every
    finished check."""

    config: GateConfig
    revision: Revision | None
    jobs: int
    progress: Callable[[Check], None]

    def __post_init__(self) -> None:
        self.expected = Expected(self.config)
        self.locator = Locator(self.expected.texts)
        self.started = time.monotonic()
        #: Kernels, by path, whose modules ask for what differs between machines: no verdict on them is kept.
        self.asking: set[str] = set()

    def run(self) -> GateResult:
        """Every check. Raises InputError for what the user gave wrongly; findings are never raised."""
        prefix = _prefix(self.config.root)
        checks: list[Check] = []
        try:
            for check in self._checks():
                checks.append(replace(check, findings=tuple(_below(prefix, item) for item in check.findings)))
                self.progress(check)
        except OSError as error:
            place = error.filename or self.config.out
            raise InputError("CKG115", f"{place}: cannot be read: {error.strerror}", self.config.where) from error
        return GateResult(tuple(checks), time.monotonic() - self.started)

    def baseline(self) -> str:
        """The text of a baseline of every kernel in scope.

        Raises ToolchainError where one does not compile, InputError CKG114 without a kernel.
        """
        kernels = [item for item in self._subjects() if isinstance(item, Subject) and item.provable]
        if not kernels:
            raise InputError("CKG114", "no kernel is in scope, so there is nothing to take a baseline of")
        results = self._compile(map(self._request, kernels))
        taken: list[KernelCensus] = []
        for kernel, result in zip(kernels, results, strict=True):
            if isinstance(result, ToolchainError):
                raise result
            taken += take(result.isa, kernel.name, kernel.spec)
        return baseline_text(taken)

    def _checks(self) -> Iterator[Check]:
        kernels, broken = [], False
        for item in self._subjects():
            if isinstance(item, GateFinding):
                broken = True
                yield Check("scope", item.kernel or item.where.path, Status.FAILED, (item,))
            else:
                kernels.append(item)
        if not kernels and not broken:
            where = self.config.place(self.config.where)
            finding = GateFinding("CKG061", "no kernel is in scope, so nothing was checked", where, key="nothing")
            yield Check("scope", self.config.out, Status.FAILED, (finding,))
        yield from self._drift(any(kernel.spec is not None for kernel in kernels))
        yield from self._lint(kernels)
        missing = self._no_toolchain()
        baseline = read_baseline(self.config)
        provable = []
        for kernel in kernels:
            if missing or not kernel.provable:
                why = missing or "declares nothing: no N and K to compile for"
                yield from (self._not_run(name, kernel, why) for name in ("compile", "budget", "proof", "strength"))
            else:
                provable.append(kernel)
        if provable and (lacking := confine.missing()):
            where = self.config.place(self.config.where)
            finding = GateFinding("CKG047", f"kernels' modules are run unconfined: {'; '.join(lacking)}", where)
            yield Check("scope", self.config.out, Status.PASSED, (finding,))
        yield from self._compile_and_prove(provable, baseline)

    def _subjects(self) -> Iterator[Subject | GateFinding]:
        yield from subjects.generated(self.config)
        yield from subjects.hand_written(self.config)
        yield from subjects.strays(self.config)

    def _not_run(self, name: str, subject: Subject, why: str) -> Check:
        return self._missing(name, subject.name, why, SourceSpan(subject.shown, 1))

    def _missing(self, name: str, subject: str, why: str, where: SourceSpan) -> Check:
        if self.config.allowed(name, subject):
            return Check(name, subject, Status.ALLOWED, note=why)
        finding = GateFinding("CKG060", f"{name} of {subject} was not run: {why}", where, subject, name)
        return Check(name, subject, Status.NOT_RUN, (finding,), note=why)

    # Checks that need no compiler

    def _drift(self, generated: bool) -> Iterator[Check]:
        config = self.config
        where = config.place(config.where)
        if not config.drift:
            yield Check("drift", config.out, Status.LEFT_OUT, note="switched off")
            return
        if not config.inputs:
            if generated:
                yield self._missing("drift", config.out, "no inputs are configured", where)
            return
        start = time.monotonic()
        try:
            findings = tuple(self.expected.check())
        except ToolchainMissing as error:
            yield self._missing("drift", config.out, error.message, where)
            return
        except PorterError as error:
            place = config.place(error.where) if error.where else where
            findings = (GateFinding("CKG002", f"{error.message} [{error.code}]", place, key=error.code),)
        yield _check("drift", config.out, findings, start)

    def _lint(self, kernels: list[Subject]) -> Iterator[Check]:
        modules = [*(kernel.lint_module() for kernel in kernels), *subjects.other_modules(self.config, kernels)]
        for module in modules:
            start = time.monotonic()
            if isinstance(module, GateFinding):
                yield _check("lint", module.kernel, (module,), start)
                continue
            key = verdict_key("lint", {"path": module.path, "text": module.text, "siblings": module.siblings})
            if recall(key) is not None:
                yield Check("lint", module.kernel, Status.PASSED)
                continue
            findings = lint(module)
            if not findings:
                keep(key, True)
            yield _check("lint", module.kernel, findings, start)

    def _no_toolchain(self) -> str:
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

    # Checks on machine code

    def _compile_and_prove(self, kernels: list[Subject], baseline: Baseline) -> Iterator[Check]:
        broken = set()
        keys = {kernel.shown: self._budget_key(kernel, baseline) for kernel in kernels}
        pending = [kernel for kernel in kernels if _recall_of(kernel, keys[kernel.shown]) is None]
        for kernel in kernels:
            if kernel not in pending:
                yield from (Check(name, kernel.name, Status.PASSED, note="as before") for name in ("compile", "budget"))
        for kernel, result in zip(pending, self._compile(map(self._request, pending)), strict=True):
            start = time.monotonic()
            if isinstance(result, ToolchainError):
                broken.add(kernel.shown)
                yield _check("compile", kernel.name, (self._compile_finding(kernel, result),), start)
                continue
            asked = tuple(self._asked(kernel, result))
            yield replace(
                _check("compile", kernel.name, asked, start, "" if result.cached else "compiled"), seconds=0.0
            )
            taken = take(result.isa, kernel.name, kernel.spec)
            known = bool(self.config.baseline)
            findings = (
                *within_budget(kernel, taken, self.config.budget, baseline, known, self.locator),
                *packed_fp32(kernel, result.isa, self.config.packed_fp32, self.locator),
            )
            if not findings and not asked:
                _keep_of(kernel, keys[kernel.shown], True)
            compared = any(census.name in baseline for census in taken)
            note = "" if compared else "no baseline: growth of the loop was not judged"
            yield _check("budget", kernel.name, findings, start, note)
        proving = time.monotonic()
        for kernel in kernels:
            if kernel.shown in broken:
                for name in ("budget", "proof", "strength"):
                    yield Check(name, kernel.name, Status.LEFT_OUT, note="it does not compile")
            elif self.revision is not None and self.revision.unchanged(kernel):
                for name in ("proof", "strength"):
                    yield Check(name, kernel.name, Status.LEFT_OUT, note=f"unchanged since {self.revision.name}")
            elif self.config.time_limit and time.monotonic() - proving > self.config.time_limit:
                why = f"the time limit of {self.config.time_limit:g} s was over"
                yield from (self._not_run(name, kernel, why) for name in ("proof", "strength"))
            else:
                yield from self._proof(kernel)

    def _proof(self, kernel: Subject) -> Iterator[Check]:
        key = self._proof_key(kernel)
        known = _recall_of(kernel, key)
        if isinstance(known, dict):
            wrong = _coverage(kernel, self.config.out)
            status, note = (Status.FAILED, "") if wrong else (Status.PASSED, known["proof"])
            yield Check("proof", kernel.name, status, wrong, note=note)
            yield Check("strength", kernel.name, Status.PASSED, note=known["strength"])
            return
        start = time.monotonic()
        work, note = self._works(kernel)
        if not work:
            yield from (self._not_run(name, kernel, note) for name in ("proof", "strength"))
            return
        try:
            findings = self._findings(kernel, work)
        except MemoryError:
            why = f"{kernel.name} on {_in_words(work)} needs more memory than there is"
            yield from (self._not_run(name, kernel, why) for name in ("proof", "strength"))
            return
        said = f"bit-equal on {_in_words(work)}" + (f"; {note}" if note else "")
        coverage = _coverage(kernel, self.config.out) if not findings else ()
        yield _check("proof", kernel.name, (*findings, *coverage), start, said)
        if findings:
            yield Check("strength", kernel.name, Status.LEFT_OUT, note="nothing was proved")
            return
        start = time.monotonic()
        alive, judged = survivors(kernel, self._recipe(kernel, work), self.config)
        weak = tuple(
            GateFinding(
                "CKG050",
                f"the mutant {name} passes on {_in_words(work)}",
                SourceSpan(kernel.shown, 1),
                kernel.name,
                name,
            )
            for name in alive
        )
        strength = f"{judged} wrong results, all caught" + ("" if kernel.spec else "; its raster is not known")
        if not weak and kernel.shown not in self.asking:
            _keep_of(kernel, key, {"proof": said, "strength": strength})
        yield _check("strength", kernel.name, weak, start, strength)

    def _works(self, kernel: Subject) -> tuple[tuple[Work, ...], str]:
        """What is proved of a kernel, and why some configured shape is not; a declared kernel's launchers say more."""
        if kernel.declared is None:
            return works(kernel, self.config)
        return declared_works(kernel, self._compile(self._requests(kernel))), ""

    def _findings(self, kernel: Subject, work: Sequence[Work]) -> list[GateFinding]:
        """What is wrong at the first shape of B; where nothing is, at any of the others."""
        first, *others = work
        findings = self._at(first, kernel, self.jobs) or self._host(kernel, first)
        if findings or not others:
            return findings
        with ThreadPoolExecutor(self.jobs) as pool:
            each = list(pool.map(lambda item: self._at(item, kernel, 1), others))
        # One report of a kind is enough; shapes of B fail alike.
        unique = {(item.rule, item.key): item for found in reversed(each) for item in reversed(found)}
        return list(unique.values())

    def _at(self, work: Work, kernel: Subject, threads: int) -> list[GateFinding]:
        from oracle.machine import MachineError

        (result,) = self._compile([CompileRequest(kernel.source(), work.n, work.k, kernel.arch)])
        if isinstance(result, ToolchainError):
            return [self._compile_finding(kernel, result)]
        if result.asked:
            self.asking.add(kernel.shown)
        try:
            return prove(kernel, result, work, self.config, self.locator, threads)
        except ToolchainError as error:
            return [self._compile_finding(kernel, error)]
        except MachineError as error:
            where = self.locator.find(kernel, PROMOTE)
            return [GateFinding("CKG041", f"the machine cannot run it: {error}", where, kernel.name, "run")]

    def _host(self, kernel: Subject, work: Work) -> list[GateFinding]:
        """What its host function does otherwise than the proof took it to, at one shape of B."""
        (compiled,) = self._compile([CompileRequest(kernel.source(), work.n, work.k, kernel.arch)])
        if not kernel.host or isinstance(compiled, ToolchainError):
            return []
        try:
            others = [nk for nk in kernel.weights if nk != (work.n, work.k)]
            said = host_differs(compiled, kernel.host, kernel.spec, others)
        except ToolchainError as error:
            said = f"{error.message} [{error.code}]"
        where = self.locator.find(kernel, (rf"^\s*def {kernel.host}\b",))
        return [GateFinding("CKG046", said, where, kernel.name, "host")] if said else []

    def _asked(self, kernel: Subject, compiled: CompiledKernel) -> Iterator[GateFinding]:
        if compiled.asked:
            self.asking.add(kernel.shown)
            text = f"its module asks for {', '.join(compiled.asked)}, which decides nothing as far as was tried"
            where = self.locator.find(kernel, (r"environ|getenv|torch\.cuda|time\(|__name__|__package__|__file__",))
            yield GateFinding("CKG045", text, where, kernel.name, ", ".join(compiled.asked))

    def _recipe(self, kernel: Subject, work: Sequence[Work]) -> list[tuple[KernelUnderTest, tuple[int, ...]]]:
        """The kernel at the shapes on which all data sets ran, and their M."""
        found = []
        for item in work:
            ms = tuple(run.m for run in item.runs if run.depth is Depth.RECIPE)
            if ms:
                (compiled,) = self._compile([CompileRequest(kernel.source(), item.n, item.k, kernel.arch)])
                assert not isinstance(compiled, ToolchainError), "it was compiled for the proof"
                found.append((kernel_under_test(kernel, compiled), ms))
        return found

    def _compile_finding(self, kernel: Subject, error: ToolchainError) -> GateFinding:
        message, _, words = error.message.partition("\n")
        where = self.locator.find(kernel, (r"\bdef build\b",))
        return GateFinding("CKG020", f"{message} [{error.code}]", where, kernel.name, error.code, words)

    def _requests(self, kernel: Subject) -> list[CompileRequest]:
        return [CompileRequest(kernel.source(), n, k, kernel.arch) for n, k in kernel.weights]

    def _request(self, kernel: Subject) -> CompileRequest:
        n, k = reference_nk(kernel.spec) if kernel.spec else kernel.weights[0]
        return CompileRequest(kernel.source(), n, k, kernel.arch)

    def _compile(self, requests: Iterable[CompileRequest]) -> list[CompiledKernel | ToolchainError]:
        return compile_many(requests, jobs=self.jobs, timeout=self.config.compile_timeout)

    def _budget_key(self, kernel: Subject, baseline: Baseline) -> str:
        limits = {"budget": asdict(self.config.budget), "baseline": baseline, "file": self.config.baseline}
        return verdict_key("budget", {**_bytes_of(kernel), **limits})

    def _proof_key(self, kernel: Subject) -> str:
        shapes = [asdict(item) for item in self._works(kernel)[0]]
        return verdict_key("proof", {**_bytes_of(kernel), "shapes": shapes, "data": data_sets(self.config)})


def _coverage(kernel: Subject, out: str) -> tuple[GateFinding, ...]:
    """Whether `proofs.json` says of a generated kernel what is proved of it, configured shapes aside."""
    nks = [(item.n, item.k) for item in whole(kernel.spec, kernel.listed)] if kernel.spec else []
    wrong = out_of_date(kernel.path.parent, kernel.name, nks) if nks else ""
    if not wrong:
        return ()
    return (GateFinding("CKG051", f"{FILE} {wrong}", SourceSpan(posixpath.join(out, FILE), 1), kernel.name, FILE),)


def _in_words(work: Sequence[Work]) -> str:
    """The shapes that show all data sets by name, the others by number."""
    named = {
        f"{'/'.join(map(str, ms))}x{item.n}x{item.k}"
        for item in work
        if (ms := [run.m for run in item.runs if run.depth is Depth.RECIPE])
    }
    rest = sum(run.depth is not Depth.RECIPE for item in work for run in item.runs)
    return ", ".join(sorted(named)) + (f" and {rest} boundary and listed shapes" if rest else "")


def _bytes_of(kernel: Subject) -> dict[str, Any]:
    """Everything about a kernel that decides a verdict on its machine code."""
    source = kernel.source()
    spec = kernel.spec.name if kernel.spec else ""
    texts = {"text": source.text, "support": source.support}
    return {**texts, "name": kernel.name, "spec": spec, "arch": kernel.arch, "declared": kernel.declared}


def _recall_of(kernel: Subject, key: str) -> Any:
    """A kept verdict on a kernel's machine code; None too where bytes outside the key may decide that code."""
    return recall(key) if kernel.source().self_contained else None


def _keep_of(kernel: Subject, key: str, value: Any) -> None:
    """Keep a verdict, unless bytes outside the key may decide the kernel's code."""
    if kernel.source().self_contained:
        keep(key, value)


def _check(name: str, subject: str, findings: tuple[GateFinding, ...], start: float, note: str = "") -> Check:
    failed = any(finding.level == "error" for finding in findings)
    status = Status.FAILED if failed else Status.PASSED
    return Check(name, subject, status, findings, time.monotonic() - start, "" if failed else note)


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
