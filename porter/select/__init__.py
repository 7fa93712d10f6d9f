# SPDX-License-Identifier: Apache-2.0
"""From a row of CK text to the kernel that serves it: regimes, recipes, legality, the choice, and what was rejected."""
