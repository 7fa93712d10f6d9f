# SPDX-License-Identifier: Apache-2.0
"""Building blocks of the kernels: modules that are copied beside generated kernels as they are.

A kernel's module holds its SPEC, its arguments and the order of the blocks; what a block does stands here. FlyDSL
rewrites `if` and `for` inside a `@flyc.kernel` function alone: run-time branches and loops stand there, and what stands
here runs once, while the kernel is traced. Blocks import the standard library, flydsl, and each other with `from .`.
The order of traced operations decides register numbers, so it is kept when a block moves.
"""
