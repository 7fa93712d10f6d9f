# SPDX-License-Identifier: Apache-2.0
"""What porter knows and its kernels' dispatch must know as well: modules of the standard library alone, which `porter
convert` copies beside the kernels as they are."""
