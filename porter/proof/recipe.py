# SPDX-License-Identifier: Apache-2.0
"""The machine runs of each depth of proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from porter.errors import InputError
from porter.proof.shapes import Depth, Work

if TYPE_CHECKING:
    from oracle.datasets import DatasetName
    from oracle.verify import Case

#: Data sets that a default proof uses: those of docs/contract.md#data, and `cancel`, on which the order of the two
#: roundings of a promote shows (on `general` and `wide` it changes almost no bf16 result).
DEFAULT_DATA: tuple[DatasetName, ...] = ("exact", "general", "wide", "cancel", "special")


def known_sets(names: Sequence[str]) -> tuple[DatasetName, ...]:
    """Names of data sets as they were given. Raises InputError CKV003 for one that is none."""
    from oracle.datasets import DATASETS

    for name in names:
        if name not in DATASETS:
            raise InputError("CKV003", f"data set {name!r} is not one of {', '.join(DATASETS)}")
    return cast("tuple[DatasetName, ...]", tuple(names))


def cases(work: Work, data: Sequence[DatasetName], threads: int) -> Iterator[Case]:
    """Every run at one shape of B, fast data first; hazards are checked in all of them.

    data: sets of the depth `recipe`; the other depths have their own.
    """
    for run in work.runs:
        for case in _CASES[run.depth](run.m, data, threads):
            yield replace(case, window=run.window)


def _recipe(m: int, data: Sequence[DatasetName], threads: int) -> Iterator[Case]:
    from oracle.verify import proof_cases

    yield from proof_cases((m,), data, threads)


def _boundary(m: int, data: Sequence[DatasetName], threads: int) -> Iterator[Case]:
    """Three runs that between them land late and at once, in all wave orders, and under all range rules."""
    yield _case(m, "exact", threads, "late", "signed", "descending")
    yield _case(m, "general", threads, "late", "excluded", "seeded")
    yield _case(m, "cancel", threads, "eager", "unsigned", "ascending")


def _once(m: int, data: Sequence[DatasetName], threads: int) -> Iterator[Case]:
    """On the data on which the order of roundings shows: each (N, K) is code that nothing else ran."""
    yield _case(m, "cancel", threads, "late", "signed", "ascending")


def _every_mode(m: int, data: Sequence[DatasetName], threads: int) -> Iterator[Case]:
    yield from _recipe(m, ("exact",), threads)


_CASES = {
    Depth.RECIPE: _recipe,
    Depth.BOUNDARY: _boundary,
    Depth.LISTED: _once,
    Depth.ROWS: _once,
    Depth.FAR: _once,
    Depth.EVERY_MODE: _every_mode,
}


def _case(m: int, data: DatasetName, threads: int, landing: str, rule: str, order: str) -> Case:
    from oracle.machine import Mode
    from oracle.verify import Case

    mode = Mode(landing, rule, wave_order=order, workgroup_order=order, checks=True, threads=threads)
    return Case(m, data, mode)
