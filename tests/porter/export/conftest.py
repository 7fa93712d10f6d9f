# SPDX-License-Identifier: Apache-2.0
"""Kernels that several tests export."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from porter.export import common
from porter.export.common import Kernel
from tests.porter.export.checkouts import DISPATCH


@pytest.fixture(scope="session")
def manifest(repository: Path) -> Path:
    return repository / "generated" / "manifest.json"


@pytest.fixture(scope="session")
def kernels(manifest: Path) -> tuple[Kernel, ...]:
    """The committed ones."""
    return common.load(manifest)


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The amd-aiter wheel, unpacked: PORTER_REAL_WHEEL."""
    found = Path(os.environ.get("PORTER_REAL_WHEEL", ""))
    if not (found / DISPATCH).is_file():
        pytest.skip("no unpacked amd-aiter wheel; set PORTER_REAL_WHEEL to its folder")
    return found
