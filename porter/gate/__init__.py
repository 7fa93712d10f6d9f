# SPDX-License-Identifier: Apache-2.0
"""The gate in front of a downstream's main branch: what `porter ci` checks, finds and says."""
