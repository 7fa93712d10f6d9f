# SPDX-License-Identifier: Apache-2.0
"""Orders of MFMAs and promotes, seen with a promote that only takes notes; and waits that count loads."""

from __future__ import annotations

from typing import Any

import pytest

from oracle.wrong_kernels import MUTANTS
from porter.blocks import _schedule
from porter.blocks._promote import CkPromote
from porter.blocks._schedule import SCHEDULES, multiply_rows
from porter.blocks._variant import FAULTS, Variant
from porter.blocks._vmem_queue import VmemQueue
from porter.kernel_spec import Schedule


class Notes(CkPromote):
    def __init__(self) -> None:
        self.written: list[str] = []

    def partial(self, w: Any, x: Any) -> Any:
        self.written.append(f"mfma {x}{w}")
        return x * 10 + w

    def promote(self, scales: Any, mt: int, partials: list[Any], accumulators: list[Any]) -> list[Any]:
        self.written.append(f"promote {mt}")
        return [scales * p + acc for p, acc in zip(partials, accumulators, strict=True)]


ROWS = [["mfma 11", "mfma 12"], ["mfma 21", "mfma 22"], ["mfma 31", "mfma 32"]]
PROMOTES = ["promote 0", "promote 1", "promote 2"]
ORDERS = {
    "inline": [*ROWS[0], PROMOTES[0], *ROWS[1], PROMOTES[1], *ROWS[2], PROMOTES[2]],
    "skew": [*ROWS[0], "fence", *ROWS[1], PROMOTES[0], "fence", *ROWS[2], PROMOTES[1], "fence", PROMOTES[2]],
    "cluster": [*ROWS[0], *ROWS[1], *ROWS[2], "fence", *PROMOTES],
}


@pytest.mark.parametrize("name", ORDERS)
def test_a_schedule_orders_and_changes_no_result(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    notes = Notes()
    monkeypatch.setattr(_schedule._shim, "sched_fence", lambda: notes.written.append("fence"))
    sums = multiply_rows(SCHEDULES[name], notes, [1, 2, 3], [1, 2], 100, [[1, 2], [3, 4], [5, 6]])
    assert sums == [[1101, 1202], [2103, 2204], [3105, 3206]]
    assert notes.written == ORDERS[name]


def test_every_schedule_of_a_name_is_written() -> None:
    assert set(SCHEDULES) == {schedule.value for schedule in Schedule}


def test_a_queue_counts_what_stands_behind() -> None:
    queue = VmemQueue()
    for what, count in (("a", 2), ("b", 3), ("scales", 4), ("a", 1), ("none", 0)):
        queue.issue(what, count)
    assert [queue.behind(what) for what in ("a", "scales", "b")] == [0, 1, 5]
    with pytest.raises(ValueError, match="is not in list"):
        queue.behind("none")


def test_a_variant_says_what_it_changes_and_takes_nothing_else() -> None:
    assert Variant().changed() == {} and Variant.of({}) == Variant()
    variant = Variant(promote="scalar", loads=False)
    assert variant.changed() == {"promote": "scalar", "loads": False}
    assert Variant.of({"variant": variant.changed()}) == variant
    with pytest.raises(TypeError, match="load_nothing"):
        Variant.of({"variant": {"load_nothing": True}})
    with pytest.raises(ValueError, match="fault 'lucky': expected one of zero-output"):
        Variant(fault="lucky")
    assert {*FAULTS} == {*MUTANTS, "one-row-scale"}
