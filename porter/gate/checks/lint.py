# SPDX-License-Identifier: Apache-2.0
"""The lint rules (`porter.gate.lint`) over every module."""

from __future__ import annotations

import time
from collections.abc import Iterator

from porter.gate.checks.kind import FilesCheck
from porter.gate.context import Context
from porter.gate.lint import lint
from porter.gate.result import Check, GateFinding, Status, ended
from porter.gate.subject import other_modules
from porter.gate.verdicts import keep, recall, verdict_key


class Lint(FilesCheck):
    """Every kernel's module, every other of the output folder, and what hand-written kernels import."""

    NAME = "lint"

    def run(self, context: Context) -> Iterator[Check]:
        kernels = context.kernels
        modules = [*(kernel.lint_module() for kernel in kernels), *other_modules(context.config, kernels)]
        for module in modules:
            start = time.monotonic()
            if isinstance(module, GateFinding):
                yield ended(self.NAME, module.kernel, (module,), time.monotonic() - start)
                continue
            key = verdict_key(self.NAME, {"path": module.path, "text": module.text, "siblings": module.siblings})
            if recall(key) is not None:
                yield Check(self.NAME, module.kernel, Status.PASSED)
                continue
            findings = lint(module)
            if not findings:
                keep(key, True)
            yield ended(self.NAME, module.kernel, findings, time.monotonic() - start)
