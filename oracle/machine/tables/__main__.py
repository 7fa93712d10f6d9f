# SPDX-License-Identifier: Apache-2.0
"""`python -m oracle.machine.tables`: write core/opcodes.h from the tables."""

from __future__ import annotations

from pathlib import Path

from . import header

(Path(__file__).parents[1] / "core" / "opcodes.h").write_text(header(), encoding="utf-8")
