# SPDX-License-Identifier: Apache-2.0
"""Kernels that are right on the shapes of `--quick` and wrong on one that a user runs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from porter.write import emitter
from tests.porter.command import porter
from tests.porter.manifests import manifest_of
from tests.porter.specs import DECODE

#: Stored twice as large as it is, where a condition holds.
DOUBLED = """
right = store_tile


def store_tile(g, tile, lane, c_rsrc, acc, scales):
    factor = FACTOR
    acc = [[sums * fx.Vector.filled(4, factor, fx.Float32) for sums in row] for row in acc]
    right(g, tile, lane, c_rsrc, acc, scales)
"""
#: What makes the results wrong by a factor of two, in the words of the store.
FAULTS = {
    "one listed (N, K)": "fx.Float32(2.0 if (g.N, g.K) == (640, 512) else 1.0)",
    "a single row": "(tile.M == 1).select(fx.Float32(2.0), fx.Float32(1.0))",
    "nine workgroups": (
        "((tile.M + (g.tile_m - 1)) // g.tile_m * g.grid_n == 9).select(fx.Float32(2.0), fx.Float32(1.0))"
    ),
}
CONFIG = """[tool.porter]
out = "kernels"
drift = false
data = ["general"]
"""


@pytest.fixture
def repository_with(tmp_path: Path) -> Path:
    folder = tmp_path / "kernels"
    folder.mkdir()
    (tmp_path / "pyproject.toml").write_text(CONFIG)
    text = emitter.render(DECODE, emitter.Provenance("0", "0.5", ()))
    for name, content in {**emitter.support_files(), f"{DECODE.name}.py": text}.items():
        (folder / name).write_text(content)
    (folder / "manifest.json").write_text(manifest_of({DECODE: [(8, 640, 512)]}))
    return tmp_path


def plant(repository: Path, *faults: str) -> tuple[str, Path]:
    """Multiply what is stored by faults; the manifest as an option."""
    with (repository / "kernels" / "_store.py").open("a") as store:
        store.write(DOUBLED.replace("FACTOR", " * ".join(faults)))
    return "--manifest", repository / "kernels" / "manifest.json"


def check_gate(repository: Path) -> None:
    gate = porter("ci", "--config", repository / "pyproject.toml", "--no-drift")
    assert gate.exit_code == 1 and "CKG040" in gate.output


@pytest.mark.parametrize("fault", FAULTS)
def test_a_kernel_wrong_on_one_class_of_shapes_fails(fault: str, repository_with: Path) -> None:
    manifest = plant(repository_with, FAULTS[fault])
    quick = porter("verify", DECODE.name, *manifest, "--quick")
    assert quick.exit_code == 0, "it is right where the old proof looked"
    result = porter("verify", DECODE.name, *manifest)
    assert result.exit_code == 1 and "FAILED" in result.output
    assert DECODE.name not in (repository_with / "kernels" / "proofs.json").read_text()
    check_gate(repository_with)


#: Each in the words of the kernel, and which (M, N, K) it makes wrong.
MORE_FAULTS: dict[str, tuple[str, Callable[[int, int, int], bool]]] = {
    "N % 16 = 8": ("fx.Float32(2.0 if g.N % 16 == 8 else 1.0)", lambda m, n, k: n % 16 == 8),
    "K of one block": ("fx.Float32(2.0 if g.K == 128 else 1.0)", lambda m, n, k: k == 128),
    "more than 100 workgroups": (
        "(fx.block_idx.x > 100).select(fx.Float32(2.0), fx.Float32(1.0))",
        lambda m, n, k: -(-m // DECODE.tile_m) * -(-n // DECODE.tile_n) > 101,
    ),
}


def test_a_kernel_wrong_on_three_classes_fails_on_these_alone(repository_with: Path) -> None:
    manifest = plant(repository_with, *(text for text, _ in MORE_FAULTS.values()))
    assert porter("verify", DECODE.name, *manifest, "--quick").exit_code == 0
    result = porter("verify", DECODE.name, *manifest, "--format", "json")
    assert result.exit_code == 1
    ran = [
        ((case["m"], kernel["n"], kernel["k"]), case["proved"])
        for kernel in json.loads(result.stdout)["kernels"]
        for case in kernel["cases"]
    ]
    wrong = {name: {shape for shape, _ in ran if at(*shape)} for name, (_, at) in MORE_FAULTS.items()}
    assert {shape for shape, proved in ran if not proved} == set().union(*wrong.values())
    for name, shapes in wrong.items():
        others = set().union(*(found for other, found in wrong.items() if other != name))
        assert shapes - others, name
    check_gate(repository_with)


def test_the_same_kernel_without_a_fault_passes(repository_with: Path) -> None:
    manifest = ("--manifest", repository_with / "kernels" / "manifest.json")
    assert porter("verify", DECODE.name, *manifest).exit_code == 0
    assert DECODE.name in (repository_with / "kernels" / "proofs.json").read_text()
    gate = porter("ci", "--config", repository_with / "pyproject.toml", "--no-drift")
    assert gate.exit_code == 0, gate.output
    # What dispatch goes by must be what is proved.
    path = repository_with / "kernels" / "proofs.json"
    source = json.loads(path.read_text())["kernels"][DECODE.name]["source"]
    for old, new, said in (
        ("640x512", "640x5120", "leaves out 640x512"),
        (DECODE.name, f"{DECODE.name}0", "says nothing of"),
        (source, "0" * 64, "another text"),
        ('shapes": {', f'shapes": {{"704x512": "{"0" * 64}",', "says 704x512 of"),
        (source, f"0{source}", "says nothing of"),
    ):
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
        gate = porter("ci", "--config", repository_with / "pyproject.toml", "--no-drift")
        assert gate.exit_code == 1 and "CKG051" in gate.output and said in gate.output
        path.write_text(text)
