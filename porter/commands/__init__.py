# SPDX-License-Identifier: Apache-2.0
"""One file a command: its arguments, and the words in which people see its result."""
