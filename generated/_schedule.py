# SPDX-License-Identifier: Apache-2.0
"""In which order the MFMAs and the promotes of a scale block stand."""

from dataclasses import dataclass
from typing import Any

from . import _shim
from ._promote import CkPromote


@dataclass(frozen=True)
class PromoteOrder:
    """waiting: how many groups of MFMA tiles wait for their promotes while the MFMAs of others run.

    fence_groups: nothing moves from one group to the next; fence_promotes: nor between the last MFMA and the promotes
    that stand behind it.
    """

    waiting: int
    fence_groups: bool = False
    fence_promotes: bool = False


#: inline: each group is promoted beside its MFMAs; skew: under the MFMAs of the next one; cluster: all behind the last.
SCHEDULES = {
    "inline": PromoteOrder(0),
    "skew": PromoteOrder(1, fence_groups=True),
    "cluster": PromoteOrder(1 << 30, fence_promotes=True),
}


def multiply_rows(
    order: PromoteOrder, promote: CkPromote, a: list[Any], b: list[Any], scales: Any, accumulators: list[list[Any]]
) -> list[list[Any]]:
    """The accumulators with one scale block multiplied and promoted; a group is a row of MFMA tiles."""
    promoted: list[list[Any]] = []
    waiting: list[list[Any]] = []

    def promote_first() -> None:
        mt = len(promoted)
        promoted.append(promote.promote(scales, mt, waiting.pop(0), accumulators[mt]))

    for x in a:
        waiting.append([promote.partial(w, x) for w in b])
        while len(waiting) > order.waiting:
            promote_first()
        if order.fence_groups:
            _shim.sched_fence()
    if order.fence_promotes:
        _shim.sched_fence()
    while waiting:
        promote_first()
    return promoted
