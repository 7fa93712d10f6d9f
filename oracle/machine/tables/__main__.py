# SPDX-License-Identifier: Apache-2.0
"""`python oracle/machine/tables`: write core/abi.h from the tables. As a folder, it runs without a core that fits."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

MACHINE = Path(__file__).resolve().parents[1]
sys.path[0] = str(MACHINE)  # not the folder, whose opcode.py hides the standard one

text: str = import_module("tables.header").header()
target = MACHINE / "core" / "abi.h"
# Untouched where nothing changed, so that nothing is built anew.
if not target.exists() or target.read_text(encoding="utf-8") != text:
    target.write_text(text, encoding="utf-8")
