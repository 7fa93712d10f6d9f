# SPDX-License-Identifier: Apache-2.0
"""Comparison of bit patterns: what counts as equal, what is reported, what a canary shows."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from oracle.compare import CANARY, ULP_OF_NAN, canaries, compare, ulp_distance

ONE, MINUS_ZERO, INFINITY, NAN, OTHER_NAN = 0x3F80, 0x8000, 0x7F80, 0x7FC0, 0xFFFF


def matrix(*rows: list[int]) -> np.ndarray:
    return np.array(rows, dtype=np.uint16)


def test_equal_patterns_are_equal() -> None:
    found = compare(matrix([ONE, MINUS_ZERO, INFINITY]), matrix([ONE, MINUS_ZERO, INFINITY]))
    assert found.equal and found.elements == 3 and found.mismatches == 0 and found.max_ulp == 0
    assert found.first is None and found.tile_map == ""


def test_any_nan_equals_any_nan_but_zeros_differ() -> None:
    assert compare(matrix([NAN, OTHER_NAN]), matrix([OTHER_NAN, 0x7F81])).equal
    found = compare(matrix([0, MINUS_ZERO]), matrix([MINUS_ZERO, 0]))
    assert found.mismatches == 2 and found.max_ulp == 1


def test_mismatch_names_place_values_and_distance() -> None:
    expected = np.full((40, 50), ONE, dtype=np.uint16)
    actual = expected.copy()
    actual[3, 17], actual[3, 18], actual[39, 0] = ONE + 2, ONE + 5, NAN
    found = compare(actual, expected)
    assert found.mismatches == 3 and found.max_ulp == ULP_OF_NAN
    assert found.first is not None and (found.first.m, found.first.n, found.first.ulp) == (3, 17, 2)
    assert (found.first.actual, found.first.expected) == (1.015625, 1.0)
    assert str(found.first) == "(3, 17): got 1.015625 (0x3F82), expected 1.0 (0x3F80), 2 ULP"
    assert found.tile_map.splitlines() == [
        "16x16 tiles: 2 of 3x4 differ; shown: rows 0..2, columns 0..1",
        ".1",
        "..",
        "1.",
    ]


def test_values_are_read_in_the_output_dtype() -> None:
    found = compare(matrix([0x3C01]), matrix([0x3C00]), "fp16")
    assert found.first is not None and found.first.expected == 1.0 and found.first.actual == 1.0009765625
    assert compare(matrix([0x7E00]), matrix([0xFDFF]), "fp16").equal  # both NaN as fp16


@pytest.mark.parametrize("out", ["bf16", "fp16"])
def test_canaries_must_go_inside_and_stay_outside(out: str) -> None:
    expected = np.full((4, 8), 0x3C00, dtype=np.uint16)
    buffer = canaries(6, 8, out)
    assert compare(buffer, expected, out).unwritten == compare(buffer, expected, out).mismatches == 32
    buffer[:4] = expected
    assert compare(buffer, expected, out).equal
    buffer[5, 7] = 0
    found = compare(buffer, expected, out)
    assert found.overwritten == 1 and found.mismatches == 0 and not found.equal


def test_a_surviving_canary_is_wrong_even_where_nan_is_expected() -> None:
    found = compare(canaries(1, 2), matrix([NAN, NAN]))
    assert found.unwritten == found.mismatches == 2 and found.max_ulp == 0 and not found.equal


def test_canaries_are_signalling_nans() -> None:
    for out, dtype, quiet in (("bf16", torch.bfloat16, 0x40), ("fp16", torch.float16, 0x200)):
        assert torch.from_numpy(canaries(1, 1, out)).view(dtype).isnan().all()
        assert not CANARY[out] & quiet


@pytest.mark.parametrize("dtype", [torch.uint16, torch.int16, torch.bfloat16, torch.float16])
def test_torch_tensors_are_compared_as_patterns(dtype: torch.dtype) -> None:
    patterns = torch.tensor([[0x3C00, 0x8000, 0x7FC0]], dtype=torch.uint16)
    assert compare(patterns.view(dtype), patterns).equal
    assert compare(patterns.view(dtype), matrix([0x3C00, 0, 0x7FC0])).mismatches == 1


def test_tile_map_shows_fractions_ragged_edges_and_the_window_of_the_damage() -> None:
    expected = np.zeros((100, 5000), dtype=np.uint16)
    actual = expected.copy()
    actual[96:100, 4992:5000] = 1  # the ragged corner, whole
    actual[32:40, 4960:4976] = 1  # half of a tile
    assert compare(actual, expected).tile_map.splitlines() == [
        "16x16 tiles: 2 of 7x313 differ; shown: rows 2..6, columns 310..312",
        "5..",
        "...",
        "...",
        "...",
        "..#",
    ]
    actual[:] = 1
    lines = compare(actual, expected).tile_map.splitlines()
    assert lines[0].startswith("16x16 tiles: 2191 of 7x313") and len(lines) == 8 and set("".join(lines[1:])) == {"#"}


@given(st.integers(0, 0xFFFF), st.integers(0, 0xFFFF))
def test_ulp_distance_counts_the_numbers_between(a: int, b: int) -> None:
    got = int(ulp_distance(*(np.array([p], dtype=np.uint16) for p in (a, b)))[0])
    assert got == int(ulp_distance(*(np.array([p], dtype=np.uint16) for p in (b, a)))[0])
    nan_a, nan_b = (p & 0x7FFF > INFINITY for p in (a, b))
    if nan_a or nan_b:
        assert got == (0 if nan_a and nan_b else ULP_OF_NAN)
    else:
        line = [*range(0xFF80, 0x7FFF, -1), *range(0x7F81)]  # -inf .. -0, +0 .. +inf
        assert got == abs(line.index(a) - line.index(b)) < ULP_OF_NAN


def test_shapes_that_do_not_fit_are_refused() -> None:
    for actual, expected in (((2, 3), (2, 4)), ((2, 3), (3, 3))):
        with pytest.raises(ValueError, match="does not hold"):
            compare(np.zeros(actual, dtype=np.uint16), np.zeros(expected, dtype=np.uint16))
    for bad in (np.zeros(4, dtype=np.uint16), np.zeros((2, 2), dtype=np.float32)):
        with pytest.raises(ValueError, match="16-bit"):
            compare(bad, np.zeros((2, 2), dtype=np.uint16))
