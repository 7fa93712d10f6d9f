# SPDX-License-Identifier: Apache-2.0
"""CK's kernels beside ours: which are shown, of which shape, and what becomes of those that cannot be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from porter import manifest
from porter.ck_objects import build, tree
from porter.ck_objects.source import Request
from porter.errors import ToolchainError
from tests.oracle.machine.objects import link
from tests.porter.command import porter, valid
from tests.porter.measure.assembly import instance

MANIFEST = Path(__file__).parents[3] / "generated" / "manifest.json"
KERNELS = [kernel.name for kernel in manifest.read(MANIFEST).kernels]
DECODE = next(name for name in KERNELS if "plain_gfx950" in name and "_dec_16x128x128_" in name and "_ks1_" in name)
CHOICES = {1: (False, 1), 2: (False, 0), **{n: (True, n % 2) for n in range(3, 40)}}

pytestmark = pytest.mark.usefixtures("own_cache")


def run(*arguments: object) -> Result:
    return porter("census", *arguments, "--manifest", MANIFEST, "--against", "ck")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """CK's source alone, without aiter's lists: there is no twin."""
    header = tmp_path / "ck" / "include" / "ck" / "ck.hpp"
    header.parent.mkdir(parents=True)
    header.write_text("#pragma once\n")
    return tmp_path / "ck"


Ended = Callable[[Request], build.Built | build.Failed]


@pytest.fixture
def builds(monkeypatch: pytest.MonkeyPatch) -> Callable[[Ended], list[Request]]:
    """Has every request end so, in place of clang; what was requested."""

    def become(ended: Ended) -> list[Request]:
        asked: list[Request] = []

        def in_place(requests: Sequence[Request], *_: Any, step: Callable[[Any], None]) -> list[Any]:
            asked.extend(requests)
            results = [ended(request) for request in requests]
            for result in results:
                step(result)
            return results

        monkeypatch.setattr(build, "build", in_place)
        return asked

    return become


def test_the_rows_instance_stands_beside_the_kernel(
    builds: Callable[[Ended], list[Request]], checkout: Path, tmp_path: Path, repository: Path
) -> None:
    path = link(instance(CHOICES, loops=40), tmp_path)
    asked = builds(lambda request: build.Built(request, path))
    result = run(DECODE, "--ck", checkout, "--format", "json")
    assert result.exit_code == 0, result.output
    data = valid(result, "census-against", repository)
    (pair,) = data["pairs"]
    assert (pair["kernel"], pair["n"], pair["k"]) == (DECODE, 256, 4096)
    ours, row = pair["sides"]
    assert (ours["side"], ours["instance"], row["side"]) == ("ours", DECODE, "row")
    assert row["instance"] == asked[0].instance.name and not asked[0].padded and not asked[0].keep_denormals
    assert row["kernel"]["k_tiles"] == "even from 4" and row["kernel"]["tile"] == [16, 64, 256]
    assert ours["kernel"]["loop"]["mfma"] and ours["kernel"]["path"].endswith(f"{DECODE}.py")
    assert any("no instance of aiter's lists rounds" in note for note in data["notes"])
    table = [line for line in run(DECODE, "--ck", checkout).stdout.splitlines() if line[:1] in tuple("┃│┏┡├└")]
    assert max(map(len, table)) <= 80 and "ours" in table[1] and "row" in table[1]


def test_the_shape_decides_padding_and_which_kernel_runs(
    builds: Callable[[Ended], list[Request]], checkout: Path, tmp_path: Path, repository: Path
) -> None:
    path = link(instance(CHOICES, loops=40), tmp_path)
    asked = builds(lambda request: build.Built(request, path))
    data = valid(
        run(DECODE, "--shape", "-x192x1280", "--ck", checkout, "--format", "json"), "census-against", repository
    )
    (pair,) = data["pairs"]
    assert pair["sides"][1]["kernel"]["k_tiles"] == "odd from 3"
    tile_n, tile_k = asked[0].instance.tile_mnk[1:]
    assert asked[0].padded == bool(192 % tile_n or 1280 % tile_k)


def test_what_ck_does_not_run_is_a_note_and_what_fails_an_error(
    builds: Callable[[Ended], list[Request]], checkout: Path, tmp_path: Path, repository: Path
) -> None:
    path = link(instance({1: (False, 1)}), tmp_path)
    builds(lambda request: build.Built(request, path))
    result = run(DECODE, "--ck", checkout, "--format", "json")
    data = valid(result, "census-against", repository)
    assert result.exit_code == 0 and any("CKM106" in note for note in data["notes"])
    assert [side["side"] for side in data["pairs"][0]["sides"]] == ["ours"]
    builds(lambda request: build.Failed(request, ToolchainError("CKB003", "error: refused")))
    result = run(DECODE, "--ck", checkout)
    assert result.exit_code == 1 and "failed: error: refused [CKB003]" in result.stdout
    path.write_bytes(b"\x7fELF nothing")
    builds(lambda request: build.Built(request, path))
    result = run(DECODE, "--ck", checkout)
    assert result.exit_code == 1 and "CKM014" in result.stdout


def test_nothing_to_show(checkout: Path, tmp_path: Path) -> None:
    name = DECODE.replace("dec_16x128x128", "dec_64x128x128")
    (tmp_path / f"{name}.py").write_text("")
    result = run(tmp_path / f"{name}.py", "--ck", checkout)
    assert result.exit_code == 2 and "[CKV008]" in result.stderr
    assert "[CKV001]" in run("nothing", "--ck", checkout).stderr
    assert "[CKB001]" in run(DECODE, "--ck", tmp_path).stderr


@pytest.mark.proof
def test_instances_that_clang_builds(wheel: Path, repository: Path) -> None:
    """Both of CK's, built: registers for 256 work-items, one MFMA loop each, comparable by K block."""
    tree.find.cache_clear()
    result = run(DECODE, "--ck", wheel, "--format", "json")
    assert result.exit_code == 0, result.output
    (pair,) = valid(result, "census-against", repository)["pairs"]
    assert [side["side"] for side in pair["sides"]] == ["ours", "row", "twin"]
    for side in pair["sides"]:
        loop, resources = side["kernel"]["loop"], side["kernel"]["resources"]
        tile_m, tile_n, _ = side["kernel"]["tile"]
        assert loop["branches_back"] and resources["threads"] == 256 and not side["kernel"]["other_loops"]
        assert loop["mfma"] == loop["blocks"] * tile_m * tile_n // 4 // 256
