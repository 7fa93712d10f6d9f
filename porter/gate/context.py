# SPDX-License-Identifier: Apache-2.0
"""What the checks of one run share, and what those of one kernel share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from porter.census import KernelCensus
from porter.errors import SourceSpan, ToolchainError
from porter.gate.baseline import Baseline, read_baseline
from porter.gate.checks.kind import KernelCheck
from porter.gate.config import GateConfig
from porter.gate.expected import Expected
from porter.gate.locate import Locator
from porter.gate.result import Check, GateFinding, Status
from porter.gate.subject import Subject
from porter.gate.verdicts import keep, recall, verdict_key
from porter.gate.work import declared_works, works
from porter.measure import requests
from porter.measure.census import reference_nk, take
from porter.proof.shapes import Work
from porter.toolchain import CompiledKernel, CompileRequest, compile_many


@dataclass
class Context:
    """One run. jobs: threads of the machine and compiling processes; kernels: those in scope."""

    config: GateConfig
    jobs: int
    kernels: Sequence[Subject] = ()

    @cached_property
    def expected(self) -> Expected:
        return Expected(self.config)

    @cached_property
    def locator(self) -> Locator:
        return Locator(self.expected.texts)

    @cached_property
    def baseline(self) -> Baseline:
        """Raises InputError CKG113."""
        return read_baseline(self.config)

    def missing(self, check: str, subject: str, why: str, where: SourceSpan) -> Check:
        """The result of a check that could not run."""
        if self.config.allowed(check, subject):
            return Check(check, subject, Status.ALLOWED, note=why)
        finding = GateFinding("CKG060", f"{check} of {subject} was not run: {why}", where, subject, check)
        return Check(check, subject, Status.NOT_RUN, (finding,), note=why)

    def compile(self, requests: Iterable[CompileRequest]) -> list[CompiledKernel | ToolchainError]:
        return compile_many(requests, jobs=self.jobs, timeout=self.config.compile_timeout)


@dataclass
class KernelContext:
    """One kernel in one run.

    result: its machine code at one (N, K), or why there is none; None while it is remembered; asked: whether its module
    asks for what differs between machines, so that nothing about it is remembered; unrun: checks that could not run,
    and why; broken: checks that failed, and what those that need them say.
    """

    run: Context
    kernel: Subject
    result: CompiledKernel | ToolchainError | None = None
    asked: bool = False
    unrun: dict[str, str] = field(default_factory=dict)
    broken: dict[str, str] = field(default_factory=dict)

    @property
    def compiled(self) -> CompiledKernel:
        assert isinstance(self.result, CompiledKernel), "checks of machine code follow the one that it compiles"
        return self.result

    @property
    def request(self) -> CompileRequest:
        """What is compiled for `result`."""
        return self._request(*(reference_nk(self.kernel.spec) if self.kernel.spec else self.kernel.weights[0]))

    @cached_property
    def work(self) -> tuple[tuple[Work, ...], str]:
        """What is proved of it, and why some configured shape is not; a declared kernel's launchers say more."""
        if self.kernel.declared is None:
            return works(self.kernel, self.run.config)
        requests = [self._request(n, k) for n, k in self.kernel.weights]
        return declared_works(self.kernel, self.run.compile(requests)), ""

    def compile(self, n: int, k: int) -> CompiledKernel | ToolchainError:
        (result,) = self.run.compile([self._request(n, k)])
        if isinstance(result, CompiledKernel) and result.asked:
            self.asked = True
        return result

    def census(self, compiled: CompiledKernel) -> tuple[KernelCensus, ...]:
        """Of the code at the reference shape, with its requests where porter wrote the kernel and it can be run."""
        taken, spec = take(compiled.isa, self.kernel.name, self.kernel.spec), self.kernel.spec
        if spec is None:
            return taken
        short = self.compile(compiled.request.n, requests.shorter(compiled.request).k)
        return requests.counted(taken, spec, short, compiled) if isinstance(short, CompiledKernel) else taken

    def find(self, *patterns: str) -> SourceSpan:
        """Where to show a finding: see `porter.gate.locate`."""
        return self.run.locator.find(self.kernel, patterns)

    def not_run(self, check: str, why: str) -> Check:
        return self.run.missing(check, self.kernel.name, why, SourceSpan(self.kernel.shown, 1))

    def recall(self, checks: Sequence[KernelCheck]) -> Mapping[str, str] | None:
        """Notes of checks that all passed before, by name; None too where bytes outside the key may decide the code."""
        if not self.kernel.source().self_contained:
            return None
        known = recall(self._key(checks))
        fits = isinstance(known, dict) and known.keys() == {check.NAME for check in checks}
        return known if fits and all(isinstance(note, str) for note in known.values()) else None

    def keep(self, checks: Sequence[KernelCheck], notes: Mapping[str, str]) -> None:
        """Remember that checks passed, unless bytes outside the key may decide the kernel's code."""
        if self.kernel.source().self_contained and not self.asked:
            keep(self._key(checks), dict(notes))

    def _request(self, n: int, k: int) -> CompileRequest:
        return CompileRequest(self.kernel.source(), n, k, self.kernel.arch)

    def _key(self, checks: Sequence[KernelCheck]) -> str:
        kernel, source = self.kernel, self.kernel.source()
        parts = {
            "text": source.text,
            "support": source.support,
            "name": kernel.name,
            "spec": kernel.spec.name if kernel.spec else "",
            "arch": kernel.arch,
            "declared": kernel.declared,
        }
        return verdict_key("kernel", {**parts, "checks": {check.NAME: check.decides(self) for check in checks}})
