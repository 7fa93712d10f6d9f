# SPDX-License-Identifier: Apache-2.0
"""Fixtures that several rooms need."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import hypothesis
import pytest

# No test is timed: on a loaded machine any example is slow.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")

REPOSITORY = Path(__file__).resolve().parent.parent
#: A module that tells the amd-aiter wheel from any other folder.
_OF_THE_WHEEL = Path("aiter_meta", "csrc")


@pytest.fixture(scope="session", autouse=True)
def session_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """One cache for all tests of a run, in all its workers, and not the user's: equal kernels compile once."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "porter-cache"
    (folder / "kernels").mkdir(parents=True, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PORTER_CACHE_DIR", str(folder))
        yield folder


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


@pytest.fixture(scope="session")
def wheel() -> Path:
    """The amd-aiter wheel, unpacked, which `make aiter-wheel` fetches; its tests are skipped where it is absent."""
    folder = Path(os.environ.get("PORTER_REAL_WHEEL") or REPOSITORY / "build" / "amd-aiter" / "unpacked")
    if not (folder / _OF_THE_WHEEL).is_dir():
        pytest.skip(f"no unpacked amd-aiter wheel at PORTER_REAL_WHEEL = {folder}; `make aiter-wheel` fetches it")
    return folder
