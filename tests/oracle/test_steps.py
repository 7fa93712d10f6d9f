# SPDX-License-Identifier: Apache-2.0
"""The compiled steps of the reference and their definition in torch give the same bits, whatever the numbers."""

from __future__ import annotations

import itertools
from typing import get_args

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from oracle.compare import compare
from oracle.datasets import DATASETS, dataset
from oracle.reference import Flavour, Mfma, reference
from oracle.reference.steps import CompiledSteps, TorchSteps

SPECIAL = (0.0, 1.0, 2.0**-126, 2.0**-149, 2.0**-150, 3.4028234663852886e38, float("inf"), float("nan"))
#: fp32 patterns: any, and those whose sums and products stand on ties, cancel, underflow or overflow.
words32 = st.one_of(
    st.integers(0, 2**32 - 1),
    st.sampled_from([np.float32(sign * value).view(np.uint32).item() for value in SPECIAL for sign in (1, -1)]),
    st.builds(
        lambda sign, exponent, bit, low: sign << 31 | exponent << 23 | 1 << bit >> 1 | low,
        st.integers(0, 1),
        st.sampled_from([0, 1, 2, 3, 60, 100, 126, 127, 128, 150, 151, 253, 254]),
        st.integers(0, 23),
        st.integers(0, 1),
    ),
)
dots = st.one_of(st.integers(-(2**43), 2**43).map(lambda n: n * 2.0**-20), st.just(float("nan")))


def bits(values: torch.Tensor) -> list[int]:
    """Patterns; every NaN is one."""
    return torch.where(values.isnan(), torch.tensor(float("nan")), values).view(torch.int32).flatten().tolist()


def floats(words: list[int]) -> torch.Tensor:
    return torch.tensor(words, dtype=torch.int64).to(torch.int32).view(torch.float32)


@given(st.lists(st.tuples(words32, dots), min_size=1, max_size=40))
@settings(max_examples=300, deadline=None)
def test_add_dot(cases: list[tuple[int, float]]) -> None:
    c, dot = floats([case[0] for case in cases]), torch.tensor([case[1] for case in cases], dtype=torch.float64)
    partials = [c.clone(), c.clone()]
    for steps, partial in zip((CompiledSteps(), TorchSteps()), partials, strict=True):
        steps.add_dot(partial, dot)
    assert bits(partials[0]) == bits(partials[1])


@given(st.integers(1, 3), st.integers(1, 37), st.booleans(), st.booleans(), st.data())
@settings(max_examples=100, deadline=None)
def test_promote(rows: int, columns: int, tile: bool, flush: bool, data: st.DataObject) -> None:
    def drawn(*shape: int) -> torch.Tensor:
        count = int(np.prod(shape))
        return floats(data.draw(st.lists(words32, min_size=count, max_size=count))).reshape(shape)

    acc, partial, xs, ws = drawn(rows, columns), drawn(rows, columns), drawn(rows), drawn(columns)
    accs = [acc.clone(), acc.clone()]
    for steps, one in zip((CompiledSteps(), TorchSteps()), accs, strict=True):
        steps.promote(one, partial, xs, ws, tile, flush)
    assert bits(accs[0]) == bits(accs[1])


def test_steps_on_many_numbers_of_one_scale() -> None:
    """Sums whose lost part is far below the last bit, which random patterns seldom are."""
    rng = np.random.default_rng(7)
    ticks = torch.tensor(rng.integers(-(2**24), 2**24, (64, 512)), dtype=torch.float32)
    c, dot = ticks * 2.0**-20, torch.tensor(rng.integers(-(2**43), 2**43, (64, 512)), dtype=torch.float64) * 2.0**-20
    halves = (c.double() + 2.0 ** (torch.frexp(c.abs()).exponent.double() - 25)) - c.double()
    for addend in (dot, halves, halves * 3, halves * (1 + 2.0**-30), halves * (1 - 2.0**-30)):
        partials = [c.clone(), c.clone()]
        for steps, partial in zip((CompiledSteps(), TorchSteps()), partials, strict=True):
            steps.add_dot(partial, addend)
        assert bits(partials[0]) == bits(partials[1])


@pytest.mark.parametrize("flavour", get_args(Flavour))
@pytest.mark.parametrize("name", DATASETS)
def test_references_are_equal(name: str, flavour: Flavour) -> None:
    p = dataset(name, 67, 140, 384, flavour, seed=8)
    variants = itertools.product(get_args(Mfma), ("ck", "cktile"), ("keep", "flush"), (1, 3))
    for mfma, contract, denormals, split_k in variants:
        both = [
            reference(p, mfma, contract, split_k, fp32_denormals=denormals, steps=steps).numpy()
            for steps in ("compiled", "torch")
        ]
        assert compare(*both).equal, (mfma, contract, denormals, split_k)


def test_compiled_steps_keep_denormals_whatever_the_thread_does() -> None:
    if not torch.set_flush_denormal(True):
        pytest.skip("this CPU cannot flush denormals")
    try:
        acc, one = torch.zeros(1, 1), torch.ones(1)
        CompiledSteps().promote(acc, torch.full((1, 1), 2.0**-100), one, torch.full((1,), 2.0**-40), False, False)
        assert acc.view(torch.int32).item() == 1 << 9
        # The caller's mode is his again.
        assert (torch.full((2,), 2.0**-100) * 2.0**-40).view(torch.int32).tolist() == [0, 0]
    finally:
        torch.set_flush_denormal(False)


def test_compiled_steps_refuse_other_shapes() -> None:
    steps, four = CompiledSteps(), torch.zeros(4)
    with pytest.raises(ValueError, match="sizes"):
        steps.add_dot(four, torch.zeros(3, dtype=torch.float64))
    with pytest.raises(ValueError, match="sizes"):
        steps.promote(torch.zeros(2, 2), torch.zeros(2, 2), four, four, False, False)
