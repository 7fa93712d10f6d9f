# SPDX-License-Identifier: Apache-2.0
"""Lint rules over kernel modules, one a file: `RULE`, `VALID`, `INVALID` (text, line) and `check`.

Found by walking the package: a new rule is a new file here and nothing else.
"""

from __future__ import annotations

from functools import cache
from types import ModuleType

from porter.errors import SourceSpan
from porter.gate.lint.module import LintModule
from porter.gate.result import GateFinding
from porter.gate.rule import GateRule
from porter.walk import modules


@cache
def rules() -> tuple[ModuleType, ...]:
    """Every rule, by id."""
    return tuple(sorted((m for m in modules(__name__) if hasattr(m, "RULE")), key=lambda m: str(m.RULE.id)))


def stated() -> tuple[GateRule, ...]:
    """What each rule says of itself."""
    return tuple(module.RULE for module in rules())


def lint(module: LintModule) -> tuple[GateFinding, ...]:
    """All findings of all rules, by line; a module that is no Python, or nests too deep, is one finding, CKG016."""
    try:
        _ = module.tree
        found = [finding for rule in rules() for finding in rule.check(module)]
    except SyntaxError as error:
        where = SourceSpan(module.path, error.lineno or 1)
        return (GateFinding("CKG016", f"not Python: {error.msg}", where, module.kernel),)
    except (RecursionError, MemoryError):
        where = SourceSpan(module.path, 1)
        return (GateFinding("CKG016", "nested too deeply to be read", where, module.kernel),)
    return tuple(sorted(found, key=lambda finding: (finding.where.line, finding.rule)))
