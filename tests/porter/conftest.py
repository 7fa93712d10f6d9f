# SPDX-License-Identifier: Apache-2.0
"""Fixtures of several test modules of this room."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory, session_cache: Path) -> Iterator[None]:
    """Verdicts and proofs of this module are kept apart; compiled kernels are shared with all tests."""
    folder = tmp_path_factory.mktemp("cache")
    (folder / "kernels").symlink_to(session_cache / "kernels")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PORTER_CACHE_DIR", str(folder))
        yield
