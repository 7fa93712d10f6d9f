# SPDX-License-Identifier: Apache-2.0
"""Where CK's source is found, and what can be asked of it."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from porter.ck_objects import tree
from porter.ck_objects.resolve import by_id, padding, requests
from porter.ck_parser import XdlInstance, parse_kernel_name
from porter.errors import InputError
from porter.problem import Family, GemmShape

NAME = "a8w8_blockscale_1x128x128_256x16x64x256_16x16_16x16_1x1_16x16x1_16x16x1_1x16x1x16_4_1x1_intrawave_v1"
TILE = "a8w8_blockscale_cktile_16x64x256_1x4x1_16x16x128_intrawave_0x1x0_1"


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """As much of a wheel as tells CK from anything else."""
    for name in ("composable_kernel/include/ck/ck.hpp", "ck_helper/ck/config.h"):
        file = tmp_path / "wheel" / "aiter_meta" / "3rdparty" / name
        file.parent.mkdir(parents=True)
        file.write_text("#pragma once\n")
    return tmp_path / "wheel"


@pytest.mark.parametrize("below", ["", "aiter_meta", "aiter_meta/3rdparty/composable_kernel"])
def test_a_tree_is_found_from_any_of_its_folders(below: str, checkout: Path) -> None:
    found = tree.find(str(checkout / below))
    assert found.root == checkout / "aiter_meta/3rdparty/composable_kernel"
    assert checkout / "aiter_meta/3rdparty/ck_helper" in found.includes


def test_a_wheel_is_unpacked_once(checkout: Path, tmp_path: Path) -> None:
    wheel = tmp_path / "amd_aiter-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for file in checkout.rglob("*.h*"):
            archive.write(file, file.relative_to(checkout))
        archive.writestr("aiter/ops/big.py", "not wanted")
    root = tree.find(str(wheel)).root
    assert (root / "include/ck/ck.hpp").is_file()
    assert not list(root.parents[2].rglob("big.py"))
    tree.find.cache_clear()
    assert tree.find(str(wheel)).root == root


def test_no_source_is_an_error_with_a_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(tree.VARIABLE, raising=False)
    (tmp_path / "broken.whl").write_bytes(b"no archive")
    for source in (None, str(tmp_path), str(tmp_path / "missing"), str(tmp_path / "broken.whl")):
        with pytest.raises(InputError) as caught:
            tree.find(source)
        assert caught.value.code == "CKB001"


def test_the_digest_follows_every_header(checkout: Path) -> None:
    before = tree.find(str(checkout)).digest
    header = checkout / "aiter_meta/3rdparty/composable_kernel/include/ck/new.hpp"
    header.write_text("int x;\n")
    assert tree.CkTree(header.parents[2]).digest != before


def test_ids_are_those_of_the_lists_beside_ck(wheel: Path) -> None:
    found = tree.find(str(wheel))
    assert by_id(found, Family.PLAIN, 8).name == NAME
    with pytest.raises(InputError) as caught:
        by_id(found, Family.PLAIN, 99)
    assert caught.value.code == "CKB005" and "-1, 0, 1" in caught.value.hint


def test_a_table_says_chip_and_padding(checkout: Path, tmp_path: Path) -> None:
    table = tmp_path / "tuned.csv"
    head = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"
    rows = [f"gfx950,256,{m},512,1024,ck,8,0,1.0,{NAME},0,0,0" for m in (16, 17, 32)]
    rows.append(f"gfx950,256,1,512,1024,cktile,8,0,1.0,{TILE},0,0,0")
    table.write_text("\n".join([head, *rows]) + "\n")
    found, notes = requests([str(table), NAME], tree.find(str(checkout)), "gfx942")
    assert [(request.arch, request.padded) for request in found] == [
        ("gfx950", False),
        ("gfx950", True),
        ("gfx942", True),
    ]
    assert len(notes) == 1 and TILE in notes[0] and "CKB010" in notes[0]


@pytest.mark.parametrize(("kinds", "code"), [("AQuantGrouped, BQuantGrouped", "CKB010"), ("ABQuantGrouped", "CKB006")])
def test_a_ck_tile_instance_alone_is_an_error(kinds: str, code: str, checkout: Path) -> None:
    root = checkout / "aiter_meta/3rdparty/composable_kernel"
    (root / tree.TILE_SCALES).parent.mkdir(parents=True)
    (root / tree.TILE_SCALES).write_text(f"enum struct QuantType {{ {kinds} }};\n")
    with pytest.raises(InputError) as caught:
        requests([TILE], tree.CkTree(root), "gfx950")
    assert caught.value.code == code and TILE in caught.value.message


def test_the_wheels_ck_tile_scales_one_side_only(wheel: Path) -> None:
    found = tree.find(str(wheel))
    assert (found.root / tree.TILE_SCALES).is_file() and not found.tile_scales_both
    with pytest.raises(InputError) as caught:
        requests([TILE], found, "gfx950")
    assert caught.value.code == "CKB010"


def test_another_librarys_kernel_is_no_instance(checkout: Path) -> None:
    with pytest.raises(InputError) as caught:
        requests(["triton"], tree.find(str(checkout)), "gfx950")
    assert caught.value.code == "CKB005"


@pytest.mark.parametrize(
    ("shape", "padded"),
    [((16, 64, 256), False), ((17, 64, 256), True), ((16, 80, 256), True), ((16, 64, 384), True)],
)
def test_padding_as_aiter_chooses_it(shape: tuple[int, int, int], padded: bool) -> None:
    instance = parse_kernel_name(NAME)
    assert isinstance(instance, XdlInstance)
    assert padding(instance, GemmShape(*shape)) is padded
