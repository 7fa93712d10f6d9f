# SPDX-License-Identifier: Apache-2.0
"""The forms in which a `GateResult` leaves the gate: one module a form, each a function of the result alone."""
