# SPDX-License-Identifier: Apache-2.0
"""Tables as checkouts have them: rows that porter's parser refuses, byte order marks, other line ends and encodings."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from porter.errors import InputError
from porter.export.aiter import Options, plan
from porter.export.common import Account, Kernel
from porter.problem import GemmShape
from tests.porter.export.checkouts import CK_PLAIN, PLAIN, PLAIN_SHAPE, git, of_generation

M, N, K = PLAIN_SHAPE
HEADER = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio"

#: Rows of one key that pandas reads and porter's parser does not, and whether 12.5 us takes their place.
UNREAD = {
    "id": (f"gfx950,256,{M},{N},{K},ck,8.0,0,20.5,{CK_PLAIN},1,2,0", True),
    "faster": (f"gfx950,256,{M},{N},{K},ck,8.0,0,10.5,{CK_PLAIN},1,2,0", False),
    "us": (f"gfx950,256,{M},{N},{K},ck,8,0,abc,{CK_PLAIN},1,2,0", True),
    "name": (f"gfx950,256,{M},{N},{K},ck,8,0,20.5,,1,2,0", True),
    "split": (f"gfx950,256,{M},{N},{K},ck,8,x,20.5,{CK_PLAIN},1,2,0", True),
    "surplus": (f"gfx950,256,{M},{N},{K},ck,8,0,20.5,{CK_PLAIN},1,2,0,3,4", True),
    "short": (f"gfx950,256,{M},{N},{K}", True),
    "decimal": (f"gfx950,256.0,{M}.0,{N}.0,{K}.0,ck,8,0,20.5,{CK_PLAIN},1,2,0", True),
    "nul": (f"gfx950,256,{M},{N},{K},ck,8,0,20.5,a\0b,1,2,0", True),
}


@pytest.fixture
def ours(kernels: tuple[Kernel, ...]) -> str:
    """The kernel that serves PLAIN_SHAPE."""
    rows = {(kernel.spec.family.value, row.shape): kernel.spec.name for kernel in kernels for row in kernel.served}
    return rows["plain", GemmShape(M, N, K)]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return of_generation(tmp_path / "checkout", "newer")


def measured(folder: Path, name: str, us: str = "12.5") -> Path:
    path = folder / "bench.csv"
    path.write_text(f"kernelName,M,N,K,us\n{name},{M},{N},{K},{us}\n")
    return path


def of_key(text: str) -> list[dict[str, str]]:
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline="")))
    wanted = ("gfx950", 256, M, N, K)
    return [r for r in rows if (r["gfx"], *(float(r[c]) for c in ("cu_num", "M", "N", "K"))) == wanted]


def applies(root: Path, patch: str, folder: Path) -> None:
    (folder / "p.patch").write_bytes(patch.encode())
    applied = git(root, "apply", str(folder / "p.patch"))
    assert applied.returncode == 0, applied.stderr


@pytest.mark.parametrize(("row", "replaced"), UNREAD.values(), ids=UNREAD)
def test_a_row_that_cannot_be_read_has_its_key(
    row: str, replaced: bool, kernels: tuple[Kernel, ...], ours: str, root: Path, tmp_path: Path
) -> None:
    (root / PLAIN).write_text(f"{HEADER}\n{row}\n")

    def verdict(rows: tuple[Account, ...]) -> str:
        return next(account.verdict for account in rows if account.where == f"{PLAIN}:2")

    kept = plan(kernels, Options(root))
    assert PLAIN not in kept.edited
    assert verdict(kept.rows) == "kept: the row cannot be read, and there is no time in the bench file"
    faster = plan(kernels, Options(root, measured(tmp_path, ours)))
    assert (PLAIN in faster.edited) is replaced
    if not replaced:
        assert verdict(faster.rows) == "kept: the row cannot be read, and 10.5 us is not slower"
    every = plan(kernels, Options(root, unmeasured=True))
    for made in (faster, every) if replaced else (every,):
        found = of_key(made.edited[PLAIN][1])
        assert [r["kernelName"] for r in found] == [ours] and None not in found[0]
        assert verdict(made.rows) == "replaced"
    assert of_key(every.edited[PLAIN][1])[0]["M"] == str(M)
    # What stands there now can be read, and a second run finds nothing to do.
    applies(root, every.patch, tmp_path)
    assert PLAIN not in plan(kernels, Options(root, unmeasured=True)).edited


def test_a_byte_order_mark_is_no_part_of_gfx(
    kernels: tuple[Kernel, ...], ours: str, root: Path, tmp_path: Path
) -> None:
    other = f"gfx950,256,{M + 1},{N},{K},ck,8,0,20.5,{CK_PLAIN},1,2,0"
    (root / PLAIN).write_bytes(f"\ufeff{HEADER}\n{other}\n".encode())
    made = plan(kernels, Options(root, measured(tmp_path, ours)))
    old, new = made.edited[PLAIN]
    assert new.startswith(f"{old}gfx950,256,{M},{N},{K},flydsl,") and old.startswith("\ufeffgfx,")
    applies(root, made.patch, tmp_path)
    assert (root / PLAIN).read_bytes() == new.encode()


def test_a_table_whose_lines_end_in_cr_keeps_them(
    kernels: tuple[Kernel, ...], ours: str, root: Path, tmp_path: Path
) -> None:
    row = UNREAD["id"][0].replace("8.0", "8")
    (root / PLAIN).write_bytes(f"{HEADER}\r{row}\r".encode())
    made = plan(kernels, Options(root, measured(tmp_path, ours)))
    _, new = made.edited[PLAIN]
    assert (new.count("\r"), new.count("\n")) == (2, 0)
    assert [r["kernelName"] for r in of_key(new)] == [ours]
    applies(root, made.patch, tmp_path)
    assert (root / PLAIN).read_bytes() == new.encode()


def test_lines_before_the_header_may_be_blank(kernels: tuple[Kernel, ...], ours: str, root: Path) -> None:
    (root / PLAIN).write_text(f"\n{HEADER}\n{UNREAD['id'][0]}\n")
    new = plan(kernels, Options(root, unmeasured=True)).edited[PLAIN][1]
    assert [r["kernelName"] for r in of_key(new.lstrip("\n"))] == [ours]


def test_a_table_that_is_not_utf8_is_read_and_not_edited(kernels: tuple[Kernel, ...], root: Path) -> None:
    row = UNREAD["id"][0].replace("ck,8.0", "caf\xe9,8")
    (root / PLAIN).write_bytes(f"{HEADER}\n{row}\n".encode("latin-1"))
    assert PLAIN not in plan(kernels, Options(root)).edited
    with pytest.raises(InputError, match="not UTF-8") as caught:
        plan(kernels, Options(root, unmeasured=True))
    assert caught.value.code == "CKP016"
    assert str(caught.value.where) == f"{root / PLAIN}:2"
