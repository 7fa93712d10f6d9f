# SPDX-License-Identifier: Apache-2.0
"""One HTML page about a folder of kernels: what each is, why, what it takes, and what was proved.

`collect` gathers frozen data, `page` writes it down; nothing is decided or measured here.
"""
