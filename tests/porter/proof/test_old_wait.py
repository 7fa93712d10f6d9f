# SPDX-License-Identifier: Apache-2.0
"""The wait that counted loads in the source, planted again: the fault for which shape classes and the check exist.

With one column of tiles LLVM merges the clamped loads of B, so fewer loads stand behind the DMA than the wait says.
"""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import Result

from oracle import waits
from oracle.machine import load
from porter.blocks._variant import Variant
from porter.kernel_spec import Contract, KernelSpec
from porter.write import emitter
from tests.porter.command import porter
from tests.porter.kernels import compiled
from tests.porter.manifests import manifest_of
from tests.porter.specs import FOUR_WAVE, FOUR_WAVE_PLAIN

pytestmark = pytest.mark.usefixtures("own_cache")
SHUFFLED = replace(FOUR_WAVE, xcds=0)

OLD_WAIT = Variant(dma_wait="counted")


def with_the_old_wait(spec: KernelSpec) -> str:
    return emitter.render(spec, emitter.Provenance("0", "0.5", ()), emitter.Departure(OLD_WAIT))


def codes(spec: KernelSpec, n: int, k: int) -> set[str]:
    program = load(compiled(spec, n, k, with_the_old_wait(spec)).isa, spec.arch)
    return {finding.code for finding in waits.check(program).severe}


@pytest.mark.parametrize("contract", Contract)
@pytest.mark.parametrize(("n", "k"), [(16, 256), (32, 1024), (48, 128), (32, 4096)])
def test_the_check_finds_it_in_shuffled_kernels(n: int, k: int, contract: Contract) -> None:
    assert "CKM264" in codes(replace(SHUFFLED, contract=contract), n, k)


@pytest.mark.parametrize(("n", "k"), [(32, 128), (24, 256), (32, 512), (8, 256)])
def test_the_check_finds_it_in_plain_kernels(n: int, k: int) -> None:
    assert "CKM264" in codes(FOUR_WAVE_PLAIN, n, k)


@pytest.mark.parametrize(
    ("spec", "n", "k"),
    [
        (FOUR_WAVE_PLAIN, 48, 512),
        (FOUR_WAVE_PLAIN, 32, 1024),
        (FOUR_WAVE_PLAIN, 256, 512),
        (SHUFFLED, 64, 1024),
        (SHUFFLED, 256, 512),
        (replace(FOUR_WAVE_PLAIN, xcds=8), 32, 512),
        (FOUR_WAVE, 32, 1024),
    ],
    ids=lambda value: value.name if isinstance(value, KernelSpec) else str(value),
)
def test_the_check_raises_nothing_where_the_same_wait_suffices(spec: KernelSpec, n: int, k: int) -> None:
    assert codes(spec, n, k) == set()


@pytest.fixture(scope="module")
def repository_with(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository of the old kernel, whose manifest maps no small N to it."""
    root = tmp_path_factory.mktemp("old")
    folder = root / "kernels"
    folder.mkdir()
    (root / "pyproject.toml").write_text('[tool.porter]\nout = "kernels"\ndrift = false\ndata = ["general"]\n')
    files = {**emitter.support_files(), f"{SHUFFLED.name}.py": with_the_old_wait(SHUFFLED)}
    files["manifest.json"] = manifest_of({SHUFFLED: [(200, 2048, 512)]})
    for name, content in files.items():
        (folder / name).write_text(content)
    return root


def verify(repository_with: Path, *options: str) -> Result:
    return porter("verify", "--manifest", repository_with / "kernels" / "manifest.json", *options)


def test_the_quick_proof_passes(repository_with: Path) -> None:
    assert verify(repository_with, "--quick", "--data", "general").exit_code == 0


def test_verify_fails(repository_with: Path) -> None:
    result = verify(repository_with, "--format", "json")
    assert result.exit_code == 1
    failed = [kernel for kernel in json.loads(result.stdout)["kernels"] if not kernel["proved"]]
    assert {16, 32, 48} <= {kernel["n"] for kernel in failed} and {kernel["n"] for kernel in failed} <= {16, 32, 48}
    assert all(any("CKM264" in text for text in kernel["static"]) for kernel in failed)
    assert any("CKM204" in text for kernel in failed for text in kernel["details"])


def test_the_gate_fails(repository_with: Path) -> None:
    gate = porter("ci", "--config", repository_with / "pyproject.toml", "--no-drift")
    assert gate.exit_code == 1 and "CKG041" in gate.output and "CKM264" in gate.output
