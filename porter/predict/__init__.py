# SPDX-License-Identifier: Apache-2.0
"""What kernels cost: models of CK's measured times, fitted to the rows of its tuner, and what these say of rows.

Every number is *measured* (a row's), *fitted* (a constant of a model, with its interval) or *predicted* (with its bar).
"""
