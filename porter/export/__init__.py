# SPDX-License-Identifier: Apache-2.0
"""Kernels where people use them: each downstream's own files, headers, op signatures and dispatch."""
