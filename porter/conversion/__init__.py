# SPDX-License-Identifier: Apache-2.0
"""From CK text to a folder of kernels, and what porter says of instances and traces without writing."""
