# SPDX-License-Identifier: Apache-2.0
"""Fixtures that several rooms need."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def repository() -> Path:
    return REPOSITORY


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real CK inputs; its tests are skipped, with this reason printed, where it is absent."""
    folder = Path(os.environ.get("PORTER_REAL_DATA") or REPOSITORY.parent / "shared" / "data")
    if not (folder / "aiter").is_dir():
        pytest.skip(f"real inputs not found at PORTER_REAL_DATA = {folder}")
    return folder
