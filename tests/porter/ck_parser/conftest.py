# SPDX-License-Identifier: Apache-2.0
"""Files for the reader: written by the test, or the real ones where they are."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder of real inputs: PORTER_REAL_DATA, or ../shared/data beside the repository."""
    folder = Path(os.environ.get("PORTER_REAL_DATA") or ROOT.parent / "shared" / "data")
    if not (folder / "aiter").is_dir():
        pytest.skip(f"no real data in {folder}; set PORTER_REAL_DATA")
    return folder


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Write text or bytes to a file of that name and give its path."""

    def write_file(content: str | bytes, name: str = "rows.csv") -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write_file
