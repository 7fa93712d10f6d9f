# SPDX-License-Identifier: Apache-2.0
"""Converters between the layouts of CK, MSLK and Primus-Turbo, also where M equals K/128 and shapes tell nothing."""

from __future__ import annotations

from itertools import product
from typing import get_args

import pytest
import torch

from oracle.reference import Layout, Operands, Problem, reference, relayout, unshuffle_weight

LAYOUTS: tuple[Layout, ...] = get_args(Layout)
#: M = K/128, M != K/128, one row, one block, and N/128 = K/128.
SIZES = [(6, 144, 768), (5, 144, 768), (1, 256, 384), (7, 16, 128), (3, 384, 384)]


def plain(m: int, n: int, k: int) -> Operands:
    """Every element tells its place; scales are signed and distinct."""
    w = torch.arange(n * k).remainder(251).to(torch.uint8).view(n, k)
    blocks, rows = k // 128, -(-n // 128)
    x_scale = torch.arange(1.0, m * blocks + 1).view(m, blocks) / 3
    return Operands(w, x_scale, -torch.arange(1.0, rows * blocks + 1).view(rows, blocks) / 7)


def same(a: Operands, b: Operands) -> bool:
    """Equal in shape, memory order and every element; the stride of a dimension of 1 means nothing."""

    def order(tensor: torch.Tensor) -> list[int]:
        return [stride for size, stride in zip(tensor.shape, tensor.stride(), strict=True) if size > 1]

    return all(
        left.shape == right.shape and order(left) == order(right) and torch.equal(left, right)
        for left, right in ((a.w, b.w), (a.x_scale, b.x_scale), (a.w_scale, b.w_scale))
    )


@pytest.mark.parametrize(("m", "n", "k"), SIZES)
@pytest.mark.parametrize(("source", "target"), list(product(LAYOUTS, LAYOUTS)))
def test_every_way_there_and_back(source: Layout, target: Layout, m: int, n: int, k: int) -> None:
    start = relayout(plain(m, n, k), "ck_plain", source)
    there = relayout(start, source, target)
    assert same(there, relayout(plain(m, n, k), "ck_plain", target))
    assert same(relayout(there, target, source), start)


@pytest.mark.parametrize(("m", "n", "k"), SIZES)
def test_where_each_scale_stands(m: int, n: int, k: int) -> None:
    start = plain(m, n, k)
    made = {layout: relayout(start, "ck_plain", layout) for layout in LAYOUTS}
    blocks = k // 128
    for row, block in product(range(m), range(blocks)):
        value = start.x_scale[row, block]
        assert made["mslk"].x_scale[block, row] == value
        assert made["primus"].x_scale[row, block] == made["primus_k_major"].x_scale[row, block] == value
        # aiter's memory is K-major under the row-major shape.
        assert made["ck_bpreshuffle"].x_scale.flatten()[block * m + row] == value
    assert made["ck_bpreshuffle"].x_scale.shape == (m, blocks) and made["ck_bpreshuffle"].x_scale.is_contiguous()
    assert made["primus_k_major"].x_scale.t().is_contiguous()
    assert torch.equal(made["mslk"].w_scale, start.w_scale.t())
    assert torch.equal(unshuffle_weight(made["ck_bpreshuffle"].w), start.w)


def test_the_wrong_name_for_a_square_tensor_changes_the_result() -> None:
    """Where M = K/128 no shape betrays a mistaken layout (aiter 5a24ebce6c); the values do."""
    m, n, k = 6, 128, 768
    start = plain(m, n, k)
    x = torch.arange(m * k).remainder(113).to(torch.uint8).view(m, k)
    right = reference(Problem(x, start.w % 113, start.x_scale, start.w_scale, "e4m3fn"))
    confused = Operands(start.w, relayout(start, "ck_plain", "mslk").x_scale, start.w_scale)
    taken = relayout(confused, "ck_plain", "ck_plain")
    wrong = reference(Problem(x, taken.w % 113, taken.x_scale, taken.w_scale, "e4m3fn"))
    assert (right != wrong).float().mean() > 0.5


def test_bpreshuffle_takes_strided_k_major_scales_too() -> None:
    start = plain(5, 144, 768)
    strided = Operands(
        relayout(start, "ck_plain", "ck_bpreshuffle").w,
        relayout(start, "ck_plain", "primus_k_major").x_scale,
        start.w_scale,
    )
    assert same(relayout(strided, "ck_bpreshuffle", "ck_plain"), start)


@pytest.mark.parametrize(
    ("layout", "change", "text"),
    [
        ("mslk", {}, "have 6 blocks of K and 2 of N, got x_scale (5, 6) and w_scale (2, 6)"),
        ("ck_plain", {"w_scale": torch.ones(6, 2)}, "got x_scale (5, 6) and w_scale (6, 2)"),
        ("ck_plain", {"x_scale": torch.ones(6, 5).t()}, "x_scale must be contiguous, got strides (1, 5)"),
        ("primus_k_major", {}, "x_scale must have strides (1, 5), got (6, 1)"),
        ("primus", {"w_scale": torch.ones(6, 2).t()}, "w_scale must be contiguous"),
        ("primus", {"w": torch.zeros(768, 144, dtype=torch.uint8).t()}, "weights must be contiguous [N, K]"),
        ("primus", {"w": torch.zeros(144, 768)}, "1-byte elements"),
        ("primus", {"w": torch.zeros(144, 700, dtype=torch.uint8)}, "K % 128 == 0"),
        ("ck_plain", {"x_scale": torch.ones(6)}, "2 dimensions"),
        ("other", {}, "layout must be one of"),
    ],
)
def test_what_a_layout_cannot_be_is_refused(layout: Layout, change: dict[str, torch.Tensor], text: str) -> None:
    start = plain(5, 144, 768)
    fields = {"w": start.w, "x_scale": start.x_scale, "w_scale": start.w_scale, **change}
    with pytest.raises(ValueError) as caught:
        relayout(Operands(**fields), layout, "ck_plain")
    assert text in str(caught.value)
