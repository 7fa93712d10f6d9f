# SPDX-License-Identifier: Apache-2.0
"""Pages of docs/ that are written from what they describe; `make generate` refreshes them, tests fail when stale."""
