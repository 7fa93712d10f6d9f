# SPDX-License-Identifier: Apache-2.0
"""What compiled kernels show before they run: the census, the guard, candidates and measurement twins."""
