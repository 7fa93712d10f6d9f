# SPDX-License-Identifier: Apache-2.0
"""Kernels that are right at a comfortable shape and wrong at another: the proof at that other shape says so."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
import pytest

from oracle import machine
from oracle.compare import compare
from oracle.datasets import dataset
from oracle.verify import Case, CaseResult, KernelUnderTest, execute, expected_bits, proof_cases, prove
from porter.kernel_spec import KernelSpec
from porter.prove import under_test
from tests.porter.kernels import compiled, rendered
from tests.porter.specs import DECODE, EIGHT_WAVE

CHECKED = machine.Mode(landing="late", checks=True, threads=2)


def planted(spec: KernelSpec, n: int, k: int, was: str, now: str) -> KernelUnderTest:
    """The template's kernel with one line of its module changed."""
    text = rendered(spec)
    assert text.count(was) == 1, was
    return under_test(spec, compiled(spec, n, k, text.replace(was, now)))


def at(kernel: KernelUnderTest, m: int) -> CaseResult:
    (result,) = prove(kernel, [Case(m, "general", CHECKED)])
    return result


def test_a_magic_division_that_is_too_short_for_many_workgroups() -> None:
    """x * 86 >> 8 is x // 3 up to 127."""
    was = "tile_m, tile_n = fx.block_idx.x // grid_n, fx.block_idx.x % grid_n"
    magic = "tile_m = (fx.block_idx.x * (-(-256 // grid_n))) >> 8"
    kernel = planted(DECODE, 384, 128, was, f"{magic}\n        tile_n = fx.block_idx.x - tile_m * grid_n")
    assert at(kernel, 16 * 40).proved
    wrong = at(kernel, 16 * 50)
    assert not wrong.comparison.equal
    assert {finding.code for finding in wrong.severe} & {"CKM221", "CKM232"}


def test_columns_that_are_dropped_where_n_is_an_odd_multiple_of_8() -> None:
    was, now = "(column < columns)", "(column < columns // 16 * 16)"
    assert at(planted(DECODE, 144, 256, was, now), 16).proved
    wrong = at(planted(DECODE, 136, 256, was, now), 16)
    assert wrong.comparison.mismatches + wrong.comparison.overwritten == 16 * 8
