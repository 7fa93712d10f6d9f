# SPDX-License-Identifier: Apache-2.0
"""Kernarg segments with named fields."""

from __future__ import annotations

import pytest

from oracle.kernarg import Field, KernargLayout
from oracle.machine import LaunchError

LAYOUT = KernargLayout((Field("M", 16, 4), Field("p", 24, 8)), 40)


def test_fields_stand_where_they_are_and_nothing_between_them() -> None:
    packed = LAYOUT.pack({"M": -2, "p": 0x1122334455667788})
    assert packed == bytes(16) + b"\xfe\xff\xff\xff" + bytes(4) + bytes.fromhex("8877665544332211") + bytes(8)


@pytest.mark.parametrize("values", [{"M": 1}, {"M": 1, "p": 2, "N": 3}, {"M": 1 << 32, "p": 2}])
def test_what_does_not_fit_is_an_error(values: dict[str, int]) -> None:
    with pytest.raises(LaunchError) as caught:
        LAYOUT.pack(values)
    assert caught.value.code == "CKM102"


@pytest.mark.parametrize(
    "fields",
    [
        (Field("a", 0, 8), Field("b", 4, 4)),
        (Field("a", 36, 8),),
        (Field("a", 2, 4),),
        (Field("a", -8, 8),),
        (Field("a", 0, 2),),
    ],
)
def test_fields_that_no_segment_has(fields: tuple[Field, ...]) -> None:
    with pytest.raises(LaunchError) as caught:
        KernargLayout(fields, 40)
    assert caught.value.code == "CKM102"
