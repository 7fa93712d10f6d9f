# SPDX-License-Identifier: Apache-2.0
"""Rewrites FlyDSL kernels that scale with native E8M0 into ones with a software fp32 promote, or says why not.

    for outcome in rewrite_paths([Path("gemm.py"), Path("scales.py")]):
        match outcome:
            case Rewritten(path, text): ...      # write it, or show `diff(before, outcome)`
            case Unchanged(path, why): ...       # nothing to repair: every reason is in `why`
            case Refused(): ...                  # something to repair that is not provably repaired: code, place, hint
            case Failed(path, error): ...        # unreadable, not Python, or a bug of ours

Files given together are read together. Nothing is imported, executed or written. `native_scaling` is the check of
compiled code: after a rewrite it finds nothing.
"""

from porter.rewrite_rules.engine.refusal import HINTS
from porter.rewrite_rules.outcome import Failed, Outcome, Refused, Rewritten, Unchanged
from porter.rewrite_rules.rule import Case, RewriteRule, all_rules
from porter.rewrite_rules.runner import diff, native_scaling, rewrite_paths, rewrite_sources, select_rules

__all__ = [
    "HINTS",
    "Case",
    "Failed",
    "Outcome",
    "Refused",
    "RewriteRule",
    "Rewritten",
    "Unchanged",
    "all_rules",
    "diff",
    "native_scaling",
    "rewrite_paths",
    "rewrite_sources",
    "select_rules",
]
