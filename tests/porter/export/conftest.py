# SPDX-License-Identifier: Apache-2.0
"""Kernels that several tests export."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.export import common
from porter.export.common import Kernel


@pytest.fixture(scope="session")
def manifest(repository: Path) -> Path:
    return repository / "generated" / "manifest.json"


@pytest.fixture(scope="session")
def kernels(manifest: Path) -> tuple[Kernel, ...]:
    """The committed ones."""
    return common.load(manifest)
