# SPDX-License-Identifier: Apache-2.0
"""Checks of the gate, one a file: a subclass of `FilesCheck`, `CodeCheck` or `ProofCheck` with its rules.

Found by walking the package: a new check is a new file here and nothing else. They run in the order of these three
kinds; within one, a check follows what it needs; checks that need the same go by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from porter.gate.checks.kind import CheckKind, CodeCheck, FilesCheck, KernelCheck, ProofCheck
from porter.gate.rule import GateRule
from porter.walk import classes


class Checks(NamedTuple):
    """One of each check, every kind in the order in which they run."""

    files: tuple[FilesCheck, ...]
    code: tuple[CodeCheck, ...]
    proofs: tuple[ProofCheck, ...]

    @property
    def of_kernels(self) -> tuple[KernelCheck, ...]:
        return (*self.code, *self.proofs)

    @property
    def all(self) -> tuple[CheckKind, ...]:
        return (*self.files, *self.of_kernels)


@cache
def checks() -> Checks:
    """Every check of the package."""
    found = {kind.NAME: kind() for kind in classes(__name__, CheckKind) if hasattr(kind, "NAME")}
    ordered = sorted(found.values(), key=lambda check: (len(list(_needs(check, found))), check.NAME))
    return Checks(
        tuple(check for check in ordered if isinstance(check, FilesCheck)),
        tuple(check for check in ordered if isinstance(check, CodeCheck)),
        tuple(check for check in ordered if isinstance(check, ProofCheck)),
    )


def names() -> tuple[str, ...]:
    return tuple(check.NAME for check in checks().all)


def stated() -> tuple[GateRule, ...]:
    """The rules that belong to a check."""
    return tuple(rule for check in checks().all for rule in check.RULES)


def needs(check: CheckKind) -> Iterator[str]:
    """Names of the checks that must have passed before, the nearest first."""
    return _needs(check, {item.NAME: item for item in checks().all})


def _needs(check: CheckKind, known: Mapping[str, CheckKind]) -> Iterator[str]:
    while isinstance(check, KernelCheck) and check.NEEDS:
        yield check.NEEDS
        check = known[check.NEEDS]
