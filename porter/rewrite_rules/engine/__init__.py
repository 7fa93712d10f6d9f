# SPDX-License-Identifier: Apache-2.0
"""What the rules share: reading source files, following values through them, judging encoders, and editing."""
