# SPDX-License-Identifier: Apache-2.0
"""Rows of tuned tables: replaced where they stand, with somebody's measurement or with none, never added beside."""

from __future__ import annotations

import csv
import io
import shutil
from collections import Counter
from pathlib import Path

import pytest

from porter.errors import InputError
from porter.export import bench
from porter.export.aiter import Options, plan
from porter.export.common import ExportPlan, Kernel
from porter.problem import GemmShape
from tests.porter.export.checkouts import CK_PLAIN, OTHER_SHAPE, PLAIN, PLAIN_SHAPE, SHUFFLED, git, of_generation

M, N, K = PLAIN_SHAPE


@pytest.fixture
def ours(kernels: tuple[Kernel, ...]) -> str:
    """The kernel that serves PLAIN_SHAPE."""
    rows = {(kernel.spec.family.value, row.shape): kernel.spec.name for kernel in kernels for row in kernel.served}
    return rows["plain", GemmShape(M, N, K)]


def bench_file(folder: Path, *rows: str, header: str = "kernelName,M,N,K,us,errRatio") -> Path:
    path = folder / "bench.csv"
    path.write_text("\n".join([header, *rows]) + "\n")
    return path


def table(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def row_of(text: str, m: int, n: int, k: int) -> dict[str, str]:
    found = [row for row in table(text) if (row["M"], row["N"], row["K"]) == (str(m), str(n), str(k))]
    assert len(found) == 1
    return found[0]


def exported(kernels: tuple[Kernel, ...], root: Path | None, times: Path | None = None, **options: bool) -> ExportPlan:
    return plan(kernels, Options(root, times, **options))


def test_without_a_measurement_nothing_is_replaced(kernels: tuple[Kernel, ...], tmp_path: Path) -> None:
    made = exported(kernels, of_generation(tmp_path, "newer"))
    assert PLAIN not in made.edited and SHUFFLED not in made.edited
    assert {row.verdict for row in made.rows} == {
        "kept: no time in the bench file",
        "kept out: no time in the bench file",
    }
    assert any("porter measures nothing" in note for note in made.notes)


def test_a_time_of_another_kernel_is_said(kernels: tuple[Kernel, ...], tmp_path: Path) -> None:
    times = bench_file(tmp_path, f"{kernels[0].spec.name},3,5,7,1,", "somebody_else,1,2,3,1,")
    notes = exported(kernels, None, times).notes
    assert any(f"2 of 2 times are of no exported kernel and shape: {kernels[0].spec.name} 3x5x7" in n for n in notes)
    assert not any("no exported kernel" in note for note in exported(kernels, None).notes)


def test_no_time_is_invented(kernels: tuple[Kernel, ...], tmp_path: Path) -> None:
    made = exported(kernels, of_generation(tmp_path, "newer"), unmeasured=True)
    rows = [row for text in made.tables.values() for row in table(text)]
    rows += [row for _, new in (made.edited[PLAIN], made.edited[SHUFFLED]) for row in table(new)]
    ours = [row for row in rows if row["kernelName"].startswith("flydsl_")]
    assert len(ours) > 2 * len(kernels)
    assert {(row["us"], row["tflops"], row["bw"], row["errRatio"]) for row in ours} == {("", "", "", "")}
    assert {row["libtype"] for row in ours} == {"flydsl"}


def test_a_faster_row_takes_the_place_of_ck(kernels: tuple[Kernel, ...], ours: str, tmp_path: Path) -> None:
    times = bench_file(tmp_path, f"{ours},{M},{N},{K},12.5,0.001", f"{ours},{M},{N},{K},12.25,")
    root = of_generation(tmp_path / "checkout", "newer")
    old, new = exported(kernels, root, times).edited[PLAIN]
    assert row_of(old, *PLAIN_SHAPE)["kernelName"] == CK_PLAIN
    row = row_of(new, *PLAIN_SHAPE)
    flop, moved = 2 * M * N * K, M * K + N * K + 2 * M * N
    assert row == {
        "gfx": "gfx950",
        "cu_num": "256",
        "M": str(M),
        "N": str(N),
        "K": str(K),
        "libtype": "flydsl",
        "kernelId": str([kernel.spec.name for kernel in kernels].index(ours)),
        "splitK": "0",
        "us": "12.2500",
        "kernelName": ours,
        "tflops": f"{flop / 12.25e-6 / 1e12:.2f}",
        "bw": f"{moved / 12.25e-6 / 1e9:.2f}",
        "errRatio": "",
    }
    # Every other line is as it was, and no key is there twice.
    changed = [(a, b) for a, b in zip(old.splitlines(), new.splitlines(), strict=True) if a != b]
    assert len(changed) == 1
    assert row_of(new, *OTHER_SHAPE) == row_of(old, *OTHER_SHAPE)


@pytest.mark.parametrize(("us", "replaced"), [(20.49, True), (20.5, False), (31.0, False)])
def test_a_row_that_is_not_faster_stays_out(
    us: float, replaced: bool, kernels: tuple[Kernel, ...], ours: str, tmp_path: Path
) -> None:
    root = of_generation(tmp_path / "checkout", "newer")
    made = exported(kernels, root, bench_file(tmp_path, f"{ours},{M},{N},{K},{us},"))
    assert (PLAIN in made.edited) is replaced
    account = next(row for row in made.rows if row.where.startswith(f"{PLAIN}:"))
    assert account.where == f"{PLAIN}:2"
    assert account.verdict == ("replaced" if replaced else "kept: 20.5 us is not slower")
    assert (account.us, account.old_us, account.old_kernel) == (us, 20.5, CK_PLAIN)


def test_the_older_form_keeps_what_its_build_reads(kernels: tuple[Kernel, ...], ours: str, tmp_path: Path) -> None:
    root = of_generation(tmp_path / "checkout", "older")
    times = bench_file(tmp_path, f"{ours},{M},{N},{K},2,0.25")
    old, new = exported(kernels, root, times).edited[PLAIN]
    before, after = row_of(old, *PLAIN_SHAPE), row_of(new, *PLAIN_SHAPE)
    assert (after["kernelName"], after["us"], after["errRatio"]) == (ours, "2.0000", "0.25")
    # kernelId picks CK's own kernel when its library is built; it serves what ours does not.
    kept = ("cu_num", "kernelId", "splitK")
    assert [after[column] for column in kept] == [before[column] for column in kept]
    assert len(table(new)) == len(table(old))


def test_a_shape_that_ck_has_no_row_for_is_added_once(kernels: tuple[Kernel, ...], tmp_path: Path) -> None:
    kernel, served = next(
        (kernel, row) for kernel in kernels for row in kernel.served if row.shape == GemmShape(2500, 1536, 7168)
    )
    times = bench_file(tmp_path, f"{kernel.spec.name},2500,1536,7168,80,")
    root = of_generation(tmp_path / "checkout", "newer")
    (root / PLAIN).write_text((root / PLAIN).read_text().rstrip("\n"))
    made = exported(kernels, root, times)
    old, new = made.edited[PLAIN]
    assert new.startswith(old + "\n") and new.count("\n") == old.count("\n") + 2
    assert row_of(new, 2500, 1536, 7168)["cu_num"] == str(served.cu_num)
    (tmp_path / "p.patch").write_text(made.patch)
    assert git(root, "apply", str(tmp_path / "p.patch")).returncode == 0
    assert (root / PLAIN).read_text() == new
    assert PLAIN not in exported(kernels, root, times).edited


def test_carriage_returns_and_a_models_own_table(kernels: tuple[Kernel, ...], ours: str, tmp_path: Path) -> None:
    root = of_generation(tmp_path / "checkout", "newer")
    own = root / "aiter" / "configs" / "model_configs" / "a8w8_blockscale_tuned_gemm_model.csv"
    own.parent.mkdir()
    lines = (root / PLAIN).read_text().splitlines()
    own.write_bytes("\r\n".join(lines[:2]).encode() + b"\r\n")
    (root / PLAIN).write_text("\n".join([lines[0], lines[2]]) + "\n")
    made = exported(kernels, root, bench_file(tmp_path, f"{ours},{M},{N},{K},1,"))
    assert list(made.edited) == [own.relative_to(root).as_posix(), "aiter/ops/gemm_op_a8w8.py"]
    old, new = made.edited[own.relative_to(root).as_posix()]
    assert old.count("\r\n") == new.count("\r\n") == new.count("\n") == 2
    (tmp_path / "p.patch").write_bytes(made.patch.encode())
    checked = git(root, "apply", "--check", str(tmp_path / "p.patch"))
    assert checked.returncode == 0, checked.stderr


def test_peer_names_stand_where_one_fits_and_are_dispatched(kernels: tuple[Kernel, ...]) -> None:
    made = exported(kernels, None, peer=True)
    rows = [row for text in made.tables.values() for row in table(text)]
    names = {(row["libtype"], row["kernelName"]) for row in rows if not row["kernelName"].startswith("flydsl_a8w8")}
    # The default recipe may change; these three geometries are tuned and stay.
    assert names >= {
        ("flydsl", "flydsl_blockscale_bpreshuffle_64x256x128_sbk128_0x1x2x0x1"),
        ("flydsl", "flydsl_blockscale_bpreshuffle_64x256x128_sbk128_0x1x2x8x1"),
        ("flydsl8w", "flydsl8w_blockscale_bpreshuffle_128x256_wpe2_xcd0"),
    }


def test_the_wheels_own_tables(wheel: Path, kernels: tuple[Kernel, ...], tmp_path: Path) -> None:
    root = tmp_path / "checkout"
    shutil.copytree(wheel / "aiter" / "configs", root / "aiter" / "configs")
    shutil.copytree(wheel / "aiter" / "ops", root / "aiter" / "ops")
    git(root, "init", "-q")
    made = exported(kernels, root, unmeasured=True)
    assert Counter(row.verdict for row in made.rows) == {
        "replaced": 10,
        "kept out: a table without libtype takes no row that CK does not have": 15,
    }
    (tmp_path / "p.patch").write_bytes(made.patch.encode())
    applied = git(root, "apply", str(tmp_path / "p.patch"))
    assert applied.returncode == 0, applied.stderr
    for path, (old, new) in made.edited.items():
        assert (root / path).read_bytes().decode() == new
        if path.endswith(".csv"):
            before, after = table(old), table(new)
            key = ("cu_num", "M", "N", "K", "kernelId")
            assert [[row[c] for c in key] for row in before] == [[row[c] for c in key] for row in after]
            changed = [row for row, was in zip(after, before, strict=True) if row != was]
            assert changed and all(row["kernelName"].startswith("flydsl_") and row["us"] == "" for row in changed)
    assert len(made.edited) == 5


def test_a_time_of_a_chip_of_another_size_is_not_used(kernels: tuple[Kernel, ...], ours: str, tmp_path: Path) -> None:
    root = of_generation(tmp_path / "checkout", "newer")
    header = "cu_num,kernelName,M,N,K,us"
    other = bench_file(tmp_path, f"128,{ours},{M},{N},{K},1", header=header)
    assert PLAIN not in exported(kernels, root, other).edited
    both = bench_file(tmp_path, f"128,{ours},{M},{N},{K},1", f"256,{ours},{M},{N},{K},2", header=header)
    assert row_of(exported(kernels, root, both).edited[PLAIN][1], *PLAIN_SHAPE)["us"] == "2.0000"


@pytest.mark.parametrize(("gfx", "used"), [("gfx950", True), ("gfx950:sramecc+:xnack-", True), ("gfx942", False)])
def test_a_time_of_another_chip_is_not_used(
    gfx: str, used: bool, kernels: tuple[Kernel, ...], ours: str, tmp_path: Path
) -> None:
    root = of_generation(tmp_path / "checkout", "newer")
    for header, chip in (("gfx", gfx), ("gfx,cu_num", f"{gfx},256")):
        times = bench_file(tmp_path, f"{chip},{ours},{M},{N},{K},1", header=f"{header},kernelName,M,N,K,us")
        assert (PLAIN in exported(kernels, root, times).edited) is used


def test_the_least_time_is_written_as_it_is(kernels: tuple[Kernel, ...], ours: str, tmp_path: Path) -> None:
    root = of_generation(tmp_path / "checkout", "newer")
    times = bench_file(tmp_path, f"{ours},{M},{N},{K},0.001,1")
    assert row_of(exported(kernels, root, times).edited[PLAIN][1], *PLAIN_SHAPE)["us"] == "0.0010"


BAD = [
    ("kernelName,M,N,K,us", "a,1,2,3,1e-9", 2, "took 1e-9 us"),
    ("kernelName,M,N,K,us,errRatio", "a,1,2,3,4,none", 2, "'none'"),
    ("kernelName,M,N,K,us,errRatio", "a,1,2,3,4,nan", 2, "errRatio is 'nan'"),
    ("kernelName,M,N,K,us,errRatio", "a,1,2,3,4,1.5", 2, "errRatio is '1.5'"),
    ("kernelName,M,N,K,us,errRatio", "a,1,2,3,4,-0.1", 2, "errRatio is '-0.1'"),
    ("kernelName,M,N,K,us,gfx", "a,1,2,3,4,MI350", 2, "gfx is 'MI350'"),
    ("kernelName,M,N,K,us,cu_num", "a,1,2,3,4,all", 2, "'all'"),
    ("kernelName,M,N,us", "a,1,2,3", 1, "no column K"),
    ("kernelName,M,N,K,us", "a,1,2,3,0", 2, "took 0 us"),
    ("kernelName,M,N,K,us", "a,1,2,3,nan", 2, "took nan us"),
    ("kernelName,M,N,K,us", "a,1,two,3,4", 2, "'two'"),
    ("kernelName,M,N,K,us", "a,1,2,0,4", 2, "not a measurement"),
    ("kernelName,M,N,K,us", "a,1,2", 2, "invalid literal"),
]


@pytest.mark.parametrize(("header", "row", "line", "message"), BAD, ids=[case[3] for case in BAD])
def test_a_bad_bench_file_is_refused_with_its_place(
    header: str, row: str, line: int, message: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError) as caught:
        bench.read(bench_file(tmp_path, row, header=header))
    assert caught.value.code == "CKE005" and message in caught.value.message
    assert caught.value.where is not None and caught.value.where.line == line


def test_a_bench_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot read"):
        bench.read(tmp_path / "none.csv")
