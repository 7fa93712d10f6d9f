# SPDX-License-Identifier: Apache-2.0
"""Fixtures of several test modules of this room."""

from __future__ import annotations

from collections.abc import Iterator

import pytest


@pytest.fixture(scope="module")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Kernels of this module compile into a cache of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PORTER_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield
