# SPDX-License-Identifier: Apache-2.0
"""The proof of the proof: would wrong kernels have failed it?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from porter.errors import SourceSpan
from porter.gate.checks.kind import Judged, ProofCheck
from porter.gate.context import KernelContext
from porter.gate.result import GateFinding
from porter.gate.rule import GateRule
from porter.gate.work import data_sets, in_words, kernel_under_test
from porter.proof.raster import raster
from porter.proof.shapes import Depth
from porter.toolchain import CompiledKernel

if TYPE_CHECKING:
    from oracle.verify import KernelUnderTest

STRENGTH = GateRule(
    "CKG050",
    "strength",
    "A numeric mutant passes on the very data that passed the kernel, so the proof says nothing.",
    "Give data without powers of two as scales, two or more K blocks, and two or more tiles of M and of N.",
)
#: Data on which fewest mutants pass comes first.
_STRONGEST = ("general", "cancel", "wide", "special", "exact")


class Strength(ProofCheck):
    """Wrong results on the shapes and data that passed."""

    NAME = "strength"
    RULES = (STRENGTH,)
    NEEDS = "proof"

    def judge(self, at: KernelContext) -> Judged:
        kernel = at.kernel
        alive, judged = _survivors(at)
        where, on = SourceSpan(kernel.shown, 1), in_words(at.work[0])
        weak = [
            GateFinding(STRENGTH.id, f"the mutant {name} passes on {on}", where, kernel.name, name) for name in alive
        ]
        return Judged(
            weak, f"{judged} wrong results, all caught" + ("" if kernel.spec else "; its raster is not known")
        )


def _at_recipe(at: KernelContext) -> Iterator[tuple[KernelUnderTest, tuple[int, ...]]]:
    """The kernel at the shapes on which all data sets ran, and their M."""
    for item in at.work[0]:
        ms = tuple(run.m for run in item.runs if run.depth is Depth.RECIPE)
        if ms:
            compiled = at.compile(item.n, item.k)
            assert isinstance(compiled, CompiledKernel), "it was compiled for the proof"
            yield kernel_under_test(at.kernel, compiled), ms


def _survivors(at: KernelContext) -> tuple[list[str], int]:
    """(mutants that no proved shape and data set would have caught, how many were judged)."""
    from oracle.compare import compare
    from oracle.datasets import dataset
    from oracle.verify import expected_bits
    from oracle.wrong_kernels import wrong_results

    kernels, spec = list(_at_recipe(at)), at.kernel.spec
    names = sorted(data_sets(at.run.config), key=_STRONGEST.index)
    left: set[tuple[int, str]] | None = None
    judged = 0
    for data in names:
        for kernel, ms in kernels:
            # The largest M first: with several row tiles a remap shows.
            for m in sorted(ms, reverse=True):
                problem = dataset(data, m, kernel.n, kernel.k, kernel.flavour, kernel.scale_block_m)
                expected = expected_bits(kernel, problem)
                order = raster(spec, m, kernel.n) if spec else None
                alive = set()
                for index, (name, bits) in enumerate(wrong_results(kernel, problem, order)):
                    judged = max(judged, index + 1)
                    if (left is None or (index, name) in left) and compare(bits, expected, kernel.out).equal:
                        alive.add((index, name))
                left = alive
                if not left:
                    return [], judged
    return sorted({name for _, name in left or ()}), judged
