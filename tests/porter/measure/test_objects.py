# SPDX-License-Identifier: Apache-2.0
"""The census of code objects: of CK's instances, of assembly, and of files that are none."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from oracle.machine import elf
from porter.errors import InputError
from porter.measure.census import limits, take
from porter.measure.objects import count_launched, count_object
from porter.problem import TARGETS
from tests.oracle.machine.objects import KERNELS, assemble, link
from tests.porter.command import porter, valid
from tests.porter.measure.assembly import FACTS, MFMA, instance, kernel, loop, module

LDS = TARGETS["gfx950"].lds_bytes
EVEN_AND_ODD = {1: (False, 1), 2: (False, 0), **{n: (True, n % 2) for n in range(3, 12)}}
FIRST_TWO = {1: (False, 1), 2: (False, 10), **dict.fromkeys(range(3, 12), (True, 10))}


@pytest.mark.parametrize("text", KERNELS, ids=lambda path: path.stem)
def test_an_object_counts_as_its_text_does(text: Path, tmp_path: Path) -> None:
    (listed,) = take(text.read_text())
    (counted,) = count_object(str(link(text.read_text(), tmp_path)))
    assert counted.name == listed.name and counted.resources == listed.resources
    found, wanted = ({**_members(loop), "taken": "", "lines": ()} for loop in (counted.loop, listed.loop))
    assert found == wanted and counted.loop.branches_back == bool(counted.loop.blocks)
    assert counted.tile is not None and counted.mfma == ("16x16x128",)


def _members(value: object) -> dict[str, object]:
    return {name: getattr(value, name) for name in value.__slots__}  # type: ignore[attr-defined] # a slotted dataclass


@pytest.mark.parametrize(
    ("choices", "words"),
    [
        (EVEN_AND_ODD, ["1", "2", "odd from 3", "even from 4"]),
        (FIRST_TWO, ["1", "2", "from 3"]),
        ({1: (False, 0), 2: (False, 0), 3: (True, 0)}, ["1, 2", "3"]),
        (dict.fromkeys((1, 2, 5, 6), (True, 0)), ["4 of 1 to 6"]),
    ],
)
def test_kernels_of_ck_are_named_by_the_k_that_they_serve(
    choices: dict[int, tuple[bool, int]], words: list[str], tmp_path: Path
) -> None:
    found = count_object(str(link(instance(choices), tmp_path)))
    assert [each.k_tiles for each in found] == words
    for each in found:
        main = each.loop.branches_back
        assert "flush_icache" not in each.name and each.tile == (16, 64, 256)
        assert (each.loop.mfma, each.loop.blocks) == ((4, 4) if main else (2, 0))
        assert each.loop.instructions == (7 if main else 3)  # without what fills up to the next kernel


@pytest.mark.parametrize(("k", "words"), [(256, "1"), (512, "2"), (1280, "odd from 3"), (2048, "even from 4")])
def test_the_kernel_that_ck_launches_for_a_k(k: int, words: str, tmp_path: Path) -> None:
    assert count_launched(str(link(instance(EVEN_AND_ODD), tmp_path)), 64, k).k_tiles == words


def test_a_shape_that_ck_does_not_run(tmp_path: Path) -> None:
    path = str(link(instance(EVEN_AND_ODD), tmp_path))
    for n, k in ((64, 128), (63, 256)):
        with pytest.raises(InputError) as caught:
            count_launched(path, n, k)
        assert caught.value.code == "CKM106"


def test_the_most_nested_loop_counts_and_the_others_are_named(tmp_path: Path) -> None:
    body = "\n".join(
        [
            loop(*[MFMA] * 8),
            "2:",
            "s_mov_b32 s9, 2",
            loop(*[MFMA] * 3, "v_add_u32_e32 v1, 1, v1"),
            "s_mov_b32 s9, 3",
            loop(*[MFMA] * 2),
            "s_cmp_lg_u32 s9, 0\ns_cbranch_scc1 2b",
            loop("v_add_u32_e32 v1, 1, v1"),
        ]
    )
    text = module(kernel("k", body))
    (of_text,) = take(text)
    assert of_text.loop.mfma == 3 and "of 4 innermost loop(s) the most nested" in of_text.loop.taken
    (counted,) = count_object(str(link(text, tmp_path)))
    assert counted.loop.mfma == 3 and counted.loop.instructions == 7
    assert [place.partition(": ")[2] for place in counted.other_loops] == ["2 MFMAs", "8 MFMAs"]
    result = porter("census", tmp_path / "k.co")
    assert counted.other_loops[0] in result.stdout and "not said" in result.stdout


def test_of_equal_loops_the_first_counts(tmp_path: Path) -> None:
    text = module(kernel("k", "\n".join([loop(MFMA), loop(MFMA)])))
    (found,) = take(text)
    first = text.splitlines().index("1:") + 2
    assert found.loop.lines == (first, first + 3)


def test_accumulators_are_those_behind_the_descriptors_offset(tmp_path: Path) -> None:
    """Hand-written metadata has no .agpr_count; where there is one it counts."""
    for described, agprs in (("", 128), ("    .agpr_count: 100\n", 100)):
        text = module(kernel("k", loop(MFMA), vgprs=128, acc=128, described=described))
        (found,) = count_object(str(link(text, tmp_path)))
        assert (found.resources.vgprs, found.resources.agprs) == (256, agprs)


@pytest.mark.parametrize(
    ("vgprs", "lds", "waves", "why"),
    [
        (60, 0, 8, ("waves", "vgprs")),
        (20, 1024, 8, ("waves",)),
        (124, 1024, 4, ("vgprs",)),
        (20, LDS // 3, 3, ("lds",)),
        (252, LDS // 2, 2, ("vgprs", "lds")),
    ],
)
def test_what_limits_occupancy(vgprs: int, lds: int, waves: int, why: tuple[str, ...], tmp_path: Path) -> None:
    (found,) = count_object(str(link(module(kernel("k", loop(MFMA), vgprs=vgprs, lds=lds)), tmp_path)))
    assert (found.resources.waves_per_simd, found.limits) == (waves, why)
    assert limits(found.resources, LDS) == why


@pytest.mark.parametrize("rows", [32, 48, 64, 80, 96, 128])
def test_aiters_assembly(rows: int, real_data: Path) -> None:
    """Three K blocks a trip, of rows x 128 over four waves, by MFMAs of 16x16x32."""
    (found,) = count_object(str(real_data / "objects" / f"fp8gemm_bf16_blockscale_BpreShuffle_{rows}x128.co"))
    assert (found.mfma, found.loop.mfma, found.loop.lds_writes) == (("16x16x32",), 3 * rows, 0)
    assert (found.resources.vgprs, found.resources.agprs, found.limits) == (512, 256, ("vgprs",))
    assert not found.other_loops and found.tile is None and found.loop.blocks == 0


def other(raw: bytes, folder: Path, name: str = "other.co") -> Path:
    (folder / name).write_bytes(raw)
    return folder / name


def of_chip(raw: bytes, machine: int) -> bytes:
    """e_flags, at byte 48 of an ELF64 header, with another EF_AMDGPU_MACH."""
    return raw[:48] + bytes([machine]) + raw[49:]


def test_what_cannot_be_counted_is_said_and_the_rest_counted(tmp_path: Path, repository: Path) -> None:
    good = link(module(kernel("k", loop(MFMA))), tmp_path).rename(tmp_path / "good.co")
    raw = good.read_bytes()
    folder = tmp_path / "made"
    folder.mkdir()
    none = link(module(tables="s_endpgm"), folder).rename(tmp_path / "none.co")
    no_mfma = link(module(kernel("k", loop("s_nop 0"))), folder).rename(tmp_path / "no_mfma.co")
    damaged = link(instance(EVEN_AND_ODD, {**FACTS, "MPerXDL": 5}), folder).rename(tmp_path / "damaged.co")
    bad = {
        "CKM010": tmp_path / "missing.co",
        "CKM013": other(of_chip(raw, 0x3F), tmp_path, "gfx90a.co"),
        "CKM014": other(b"no object", tmp_path),
        "CKM018": damaged,
        "CKB007": none,
        "CKB008": no_mfma,
    }
    for code, path in bad.items():
        result = porter("census", path, "--format", "json")
        assert (result.exit_code, result.stdout) == (2, "") and f"[{code}]" in result.stderr, (code, result.output)
        assert path.name in result.stderr
    for raw_of in (raw[:200], raw[:64] + bytes(len(raw) - 64)):
        assert "[CKM014]" in porter("census", other(raw_of, tmp_path)).stderr
    assert "[CKM014]" in porter("census", assemble(module(kernel("k", loop(MFMA))), folder)).stderr
    result = porter("census", good, *bad.values(), "--format", "json")
    assert result.exit_code == 2
    data = valid(result, "census", repository)
    assert [each["name"] for each in data["kernels"]] == ["k"] and len(data["errors"]) == len(bad)


def test_any_file_may_be_an_object(tmp_path: Path) -> None:
    path = link(module(kernel("k", loop(MFMA))), tmp_path).rename(tmp_path / "a_name_without_suffix")
    assert porter("census", path).exit_code == 0
    text = other(b"print()", tmp_path, "notes.txt")
    bundle = other(b"__CLANG_OFFLOAD_BUNDLE__\2", tmp_path, "fat.hsaco")
    unnamed = other(b"", tmp_path, "no_kernel_of_ours.py")
    result = porter("census", text, bundle, path, unnamed)
    assert result.exit_code == 2 and "K blocks a trip" in result.stdout
    assert result.stderr.count("[CKM014]") == 2 and "--unbundle" in result.stderr and "[CKP030]" in result.stderr
    assert "Missing argument" in porter("census").stderr


def test_without_a_disassembler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = link(module(kernel("k", loop(MFMA))), tmp_path)
    monkeypatch.setattr(elf.shutil, "which", lambda name: None)
    result = porter("census", path)
    assert result.exit_code == 3 and "[CKM030]" in result.stderr


def test_tables_fit_a_terminal(tmp_path: Path) -> None:
    result = porter("census", link(instance(EVEN_AND_ODD), tmp_path))
    table = [line for line in result.stdout.splitlines() if line[0] in "┃│┏┡├└"]
    assert table and max(map(len, table)) <= 100
    assert "even from 4" in result.stdout and "flush_icache" not in result.stdout


@pytest.mark.parametrize("seed", range(10))
def test_a_damaged_object_is_an_error_or_counted(seed: int, tmp_path: Path) -> None:
    draw = random.Random(seed)
    path = link(instance(EVEN_AND_ODD), tmp_path)
    raw = bytearray(path.read_bytes())
    for _ in range(draw.choice([1, 8])):
        raw[draw.randrange(len(raw))] = draw.randrange(256)
    path.write_bytes(raw)
    result = porter("census", path)
    assert (result.exit_code, bool(result.stdout)) in {(0, True), (2, False)}, result.output


def test_text_that_says_nothing_readable(tmp_path: Path) -> None:
    (tmp_path / "k.s").write_text(module(kernel("k", f"{loop(MFMA)}\ns_branch")))
    assert porter("census", tmp_path / "k.s").exit_code == 0
    (tmp_path / "k.s").write_text(module(kernel("k", loop(MFMA, "s_nop long"))))
    result = porter("census", tmp_path / "k.s")
    assert result.exit_code == 2 and "[CKT020]" in result.stderr and "s_nop long" in result.stderr
