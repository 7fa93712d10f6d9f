# SPDX-License-Identifier: Apache-2.0
"""Proofs: which shapes stand for all that users run, what is executed on them, what is remembered, and what it covers.

`shapes` derives the shapes of a kernel, `recipe` the runs on each, `plan` and `run` are `porter verify`, `kept` holds
results by the hash of the compiled code, and `coverage` writes `proofs.json` beside a manifest, for dispatch.
"""
