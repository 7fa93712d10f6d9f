# SPDX-License-Identifier: Apache-2.0
"""Whether a kernel compiles, and to the same code on every machine."""

from __future__ import annotations

from porter.errors import ToolchainError
from porter.gate.checks.kind import CodeCheck, Judged
from porter.gate.context import KernelContext
from porter.gate.result import GateFinding
from porter.gate.rule import GateRule

COMPILE = GateRule("CKG020", "compile", "A kernel does not compile.", "The message is the compiler's own.")
SURROUNDINGS = GateRule(
    "CKG045",
    "surroundings",
    "A kernel's module asks for what differs between machines; the answers that were tried gave the same code.",
    "Decide by N, K and what `build` is given. Its verdict is not remembered.",
    "warning",
)
#: Lines that ask.
_ASKS = r"environ|getenv|torch\.cuda|time\(|__name__|__package__|__file__"


class Compiles(CodeCheck):
    """All kernels are compiled together, so none takes time of its own."""

    NAME = "compile"
    RULES = (COMPILE, SURROUNDINGS)
    NEEDS = ""
    BROKEN = "it does not compile"

    def judge(self, at: KernelContext) -> Judged:
        if isinstance(at.result, ToolchainError):
            return Judged([not_compiled(at, at.result)])
        asked = []
        if at.compiled.asked:
            at.asked, what = True, ", ".join(at.compiled.asked)
            text = f"its module asks for {what}, which decides nothing as far as was tried"
            asked = [GateFinding(SURROUNDINGS.id, text, at.find(_ASKS), at.kernel.name, what)]
        return Judged(asked, "" if at.compiled.cached else "compiled", seconds=0.0)


def not_compiled(at: KernelContext, error: ToolchainError) -> GateFinding:
    message, _, words = error.message.partition("\n")
    where = at.find(r"\bdef build\b")
    return GateFinding(COMPILE.id, f"{message} [{error.code}]", where, at.kernel.name, error.code, words)
