# SPDX-License-Identifier: Apache-2.0
"""Kernels and the files around them as text, and the folder that is written whole or not at all."""
