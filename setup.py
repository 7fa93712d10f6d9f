# SPDX-License-Identifier: Apache-2.0
"""Builds the machine's C core and the reference's inner loop; everything else is in pyproject.toml."""

from pathlib import Path

from setuptools import Extension, setup

CORE, REFERENCE = Path("oracle/machine/core"), Path("oracle/reference")
# Portable: wide vectors come from target_clones at run time, never from -march=native. Contraction is off because the
# machine must round exactly where the ISA rounds.
FLAGS = ["-O3", "-std=gnu11", "-ffp-contract=off", "-fno-math-errno", "-pthread"]
WARNINGS = ["-Wall", "-Wextra", "-Wconversion", "-Wshadow"]

setup(
    ext_modules=[
        Extension(
            "oracle.machine._core",
            sources=sorted(str(path) for path in CORE.glob("*.c")),
            depends=sorted(str(path) for path in CORE.glob("*.h")),
            extra_compile_args=[*FLAGS, *WARNINGS],
            extra_link_args=["-pthread", "-lm"],
        ),
        # Of its own, and no file shared with the machine: the one judges the other.
        Extension(
            "oracle.reference._exact",
            sources=[str(REFERENCE / "_exact.c")],
            extra_compile_args=[*FLAGS, *WARNINGS],
            extra_link_args=["-lm"],
        ),
    ]
)
