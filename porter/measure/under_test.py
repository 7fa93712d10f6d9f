# SPDX-License-Identifier: Apache-2.0
"""Compiled kernels as the machine and a proof take them: what is launched, and what it must compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, cast

from porter.kernel_spec import KernelSpec, ScaleLayout
from porter.problem import TARGETS, Family
from porter.toolchain import CompiledKernel

if TYPE_CHECKING:
    from oracle.reference import Flavour, Mfma, OutDtype
    from oracle.verify import KernelUnderTest, Step


def steps_of(compiled: CompiledKernel) -> Callable[[int], list[Step]]:
    """What the kernel's launcher launches for M rows of A. Raises ToolchainError CKT013, CKT014."""
    from oracle.verify import Step

    names = [arg["name"] for arg in compiled.spec["args"]]
    sizes = {"N": compiled.request.n, "K": compiled.request.k}

    def steps(m: int) -> list[Step]:
        # Pointers take no part in a grid.
        arguments = [{**sizes, "M": m}.get(name, 0) for name in names]
        return [
            Step(launch.kernel, *launch.geometry(arguments), tuple(names[index] for index in launch.args))
            for launch in compiled.launches
            if launch.taken(arguments)
        ]

    return steps


def under_test(spec: KernelSpec, compiled: CompiledKernel) -> KernelUnderTest:
    """What the proof has to know of a compiled kernel."""
    from oracle.verify import KernelUnderTest

    return KernelUnderTest(
        name=spec.name,
        isa=compiled.isa,
        arch=spec.arch,
        steps=steps_of(compiled),
        n=compiled.request.n,
        k=compiled.request.k,
        a_stride=compiled.request.a_stride,
        b_stride=compiled.request.b_stride,
        b_layout="shuffled_16x16" if spec.family is Family.BPRESHUFFLE else "row_major",
        scale_layout="k_major" if spec.scale_layout is ScaleLayout.K_MAJOR else "row_major",
        scale_block_m=spec.scale_block_m,
        flavour=cast("Flavour", TARGETS[spec.arch].fp8),
        contract=spec.contract.value,
        mfma=cast("Mfma", spec.mfma),
        split_k=spec.split_k,
        out=cast("OutDtype", spec.out_dtype),
    )


def declared_under_test(compiled: CompiledKernel) -> KernelUnderTest:
    """What the proof has to know of a kernel that porter did not write, from its SPEC alone.

    SPEC needs `name`, `args` and `mfma`; it may name `k_slices`, `b_layout` (shuffled_16x16), `scale_layout` (km),
    `scale_block_m`, `contract`, `split_k` and `out_dtype`; an argument with "encoding": "e8m0" gets E8M0 codes.
    """
    from oracle.verify import KernelUnderTest

    spec, arch = compiled.spec, compiled.request.arch
    return KernelUnderTest(
        name=spec["name"],
        isa=compiled.isa,
        arch=arch,
        steps=steps_of(compiled),
        n=compiled.request.n,
        k=compiled.request.k,
        b_layout=spec.get("b_layout", "row_major"),
        scale_layout="k_major" if spec.get("scale_layout") == ScaleLayout.K_MAJOR.value else "row_major",
        scale_block_m=spec.get("scale_block_m", 1),
        flavour=cast("Flavour", TARGETS[arch].fp8),
        contract=spec.get("contract", "ck"),
        mfma=spec["mfma"],
        split_k=spec.get("split_k", 1),
        out=spec.get("out_dtype", "bf16"),
        e8m0=frozenset(arg["name"] for arg in spec["args"] if arg.get("encoding") == "e8m0"),
        k_slices=spec.get("k_slices", "contiguous"),
    )
