# SPDX-License-Identifier: Apache-2.0
"""Rewrites FlyDSL kernels that scale with native E8M0 into ones with a software fp32 promote, or says why not."""
