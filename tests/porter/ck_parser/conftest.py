# SPDX-License-Identifier: Apache-2.0
"""Files for the reader, written by the test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """Write text or bytes to a file of that name and give its path."""

    def write_file(content: str | bytes, name: str = "rows.csv") -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return write_file
