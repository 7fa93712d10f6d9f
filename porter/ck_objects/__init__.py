# SPDX-License-Identifier: Apache-2.0
"""Composable Kernel's own kernels, compiled without ROCm: where CK's source is, what to instantiate, and the compiler.

CK's text is read where it lies and its objects stay in the user's cache and in folders that he names; none of either is
ever written into a repository.
"""
