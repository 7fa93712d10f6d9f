# SPDX-License-Identifier: Apache-2.0
"""Waits that count loads."""

import flydsl.expr as fx


class VmemQueue:
    """The loads a wave has issued, in order; knows how many stand behind the one that must have landed.

    Right only because LLVM can neither merge nor drop one of them: a DMA writes LDS, and each scale has a use and an
    address that LLVM cannot compare with another's.
    """

    def __init__(self) -> None:
        self._issued: list[object] = []

    def issue(self, what: object, count: int) -> None:
        """Note `count` loads of `what`."""
        self._issued += [what] * count

    def behind(self, what: object) -> int:
        """Loads that were issued after the last one of `what`."""
        return self._issued[::-1].index(what)

    def wait(self, what: object) -> None:
        """Wait until the last load of `what`, and so everything before it, has landed."""
        fx.rocdl.s_waitcnt(vmcnt=self.behind(what))
