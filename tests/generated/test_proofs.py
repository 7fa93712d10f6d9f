# SPDX-License-Identifier: Apache-2.0
"""generated/proofs.json speaks of the committed kernels, and of every shape that a proof of them has."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from porter import manifest, records
from porter.proof.coverage import FILE, Proofs, current
from porter.proof.shapes import whole
from porter.runtime._proofs import shape_key

STALE = "run `porter verify`, or `make generate`, which does"


@pytest.fixture(scope="module")
def folder(repository: Path) -> Path:
    return repository / "generated"


def test_every_kernel_is_proved_for_every_shape_of_its_proof(folder: Path) -> None:
    proofs = records.read(Proofs, (folder / FILE).read_bytes())
    listed = manifest.read(folder / "manifest.json")
    assert proofs.flydsl == listed.flydsl
    names = sorted(kernel.name for kernel in listed.kernels)
    assert sorted(current(folder)) == names == list(proofs.kernels), STALE
    for kernel in listed.kernels:
        entry, works = proofs.kernels[kernel.name], whole(kernel.spec, kernel.shapes)
        assert {shape_key(work.n, work.k, work.k, work.k) for work in works} == set(entry.shapes), STALE
        assert sorted({m for work in works for m in work.ms}) == list(entry.rows), STALE


def test_dispatch_finds_no_row_of_the_table_unproved(repository: Path, folder: Path) -> None:
    sys.path.insert(0, str(repository))
    dispatch = importlib.import_module("generated.dispatch")
    rows = [(kernel, shape) for kernel in manifest.read(folder / "manifest.json").kernels for shape in kernel.shapes]
    assert len(rows) >= 20
    for kernel, shape in rows:
        choice = dispatch.choose(kernel.spec.arch, 256, kernel.spec.family.value, *shape)
        assert (choice.kernel, choice.rule, choice.gap) == (kernel.name, "exact", ""), STALE
