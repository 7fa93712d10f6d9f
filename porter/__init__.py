# SPDX-License-Identifier: Apache-2.0
"""Port AMD Composable Kernel fp8 block-scale GEMMs to FlyDSL, and prove every kernel on a CPU.

Importing this package is cheap: torch and flydsl are imported only by the functions that need them.
"""

__version__ = "0.1.0"
