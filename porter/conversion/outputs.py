# SPDX-License-Identifier: Apache-2.0
"""What several outputs say of rows that became no kernel."""

from __future__ import annotations

from typing import Literal

from porter.records import Record, Shown, Size


class UnsupportedOutput(Record, frozen=True):
    """A row that is good but not for us."""

    code: str
    where: Shown
    reason: str
    hint: str


class OtherOperationOutput(Record, frozen=True):
    """Rows of one file that belong to another operation of aiter; where: the first of them."""

    code: Literal["CKP051"]
    where: Shown
    operation: str
    rows: Size


class BadRowOutput(Record, frozen=True):
    """A damaged row."""

    code: str
    where: Shown
    message: str
    hint: str


class DisagreementOutput(Record, frozen=True):
    """A row whose kernelId and kernelName name two kernels."""

    code: str
    where: Shown
    message: str
