# SPDX-License-Identifier: Apache-2.0
"""What is right, independent of any generator: CK's numeric contract, and a machine that runs gfx9 code."""
