# SPDX-License-Identifier: Apache-2.0
"""Builds the machine's C core; everything else about the package is in pyproject.toml."""

from pathlib import Path

from setuptools import Extension, setup

CORE = Path("oracle/machine/core")
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
        )
    ]
)
