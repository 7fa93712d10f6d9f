# SPDX-License-Identifier: Apache-2.0
"""A folder of two kernels, one of them wrong, and what `porter verify` says of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from oracle.wrong_kernels import DROPPED_BLOCK
from porter.blocks._variant import Variant
from porter.kernel_spec import KernelSpec
from porter.report.collect import collect
from porter.report.model import Report
from tests.porter.command import porter
from tests.porter.kernels import rendered

#: Of examples/ck_instances.csv: a kernel with two device kernels, and one with a remap.
SELECTED = ("*_dec_16x128*_ks4_*", "*_4w_64x256x128_*_xcd8_*_rm_*")


@pytest.fixture(scope="session")
def shared_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Every test of the report compiles into one cache, which is not the user's."""
    with pytest.MonkeyPatch.context() as patch:
        folder = tmp_path_factory.mktemp("cache")
        patch.setenv("PORTER_CACHE_DIR", str(folder))
        yield folder


@pytest.fixture(scope="session")
def whole(tmp_path_factory: pytest.TempPathFactory, repository: Path, shared_cache: Path) -> Path:
    """The manifest of the two kernels as convert wrote them. Not for writing."""
    out = tmp_path_factory.mktemp("report") / "kernels"
    select = [part for glob in SELECTED for part in ("--select", glob)]
    result = porter("convert", repository / "examples" / "ck_instances.csv", "--out", out, "--census", *select)
    assert "2 kernels written" in result.output
    return out / "manifest.json"


@pytest.fixture(scope="session")
def wrong(whole: Path) -> Path:
    """The same with a K block dropped from the kernel with the remap, and its results in verify.json beside it."""
    folder = whole.parent.with_name("wrong")
    shutil.copytree(whole.parent, folder)
    (module,) = folder.glob("*_xcd8_*.py")
    header = module.read_text().partition('"""')[0]
    text = rendered(KernelSpec.parse(module.stem), Variant(fault=DROPPED_BLOCK))
    module.write_text(header + text[text.index('"""') :])
    manifest = folder / "manifest.json"
    options = ("--manifest", manifest, "--data", "exact", "--shape", "77x256x768", "--format", "json")
    result = porter("verify", *options)
    assert result.exit_code == 1, result.output
    (folder / "verify.json").write_text(result.stdout)
    return manifest


@pytest.fixture
def copied(whole: Path, tmp_path: Path) -> Path:
    """A manifest with its modules that a test may damage."""
    shutil.copytree(whole.parent, tmp_path / "kernels")
    return tmp_path / "kernels" / "manifest.json"


@pytest.fixture(scope="session")
def report(wrong: Path) -> Report:
    """Everything there is to say of the folder with the wrong kernel."""
    return collect(wrong, wrong.parent / "verify.json")
