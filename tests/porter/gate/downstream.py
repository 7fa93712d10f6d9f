# SPDX-License-Identifier: Apache-2.0
"""A scratch downstream repository with one generated kernel."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.porter.command import porter

HEADER = "gfx,cu_num,M,N,K,libtype,kernelId,splitK,us,kernelName,tflops,bw,errRatio\n"
ROW = (
    "gfx950,256,{m},65536,1536,ck,13,0,0,a8w8_blockscale_bpreshuffle_1x128x128_256x64x256x128_16x16_16x16_"
    "8x32x1_8x32x1_1x32x1x8_8_2x1_intrawave_v1,0,0,0\n"
)
CONFIG = """[tool.porter]
inputs = ["tuned.csv"]
out = "kernels"
shapes = ["77x512x384"]
data = ["general", "cancel"]
"""
#: For what lint, drift and budgets find; a proof takes ten times as long as all of them.
WITHOUT_PROOF = 'time-limit = 1e-12\nallow-missing = ["proof", "strength"]\n'


def git(folder: Path, *arguments: str) -> None:
    identity = ("-c", "user.name=t", "-c", "user.email=t@example.org")
    subprocess.run(["git", "-C", str(folder), *identity, *arguments], check=True, capture_output=True)


def make(folder: Path) -> Path:
    """Convert, configure and commit."""
    (folder / "tuned.csv").write_text(HEADER + ROW.format(m=4096))
    (folder / "pyproject.toml").write_text(CONFIG)
    assert porter("convert", folder / "tuned.csv", "--out", folder / "kernels").exit_code == 0
    git(folder, "init", "-q")
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "kernels")
    return folder


def kernel_of(folder: Path) -> Path:
    (path,) = (folder / "kernels").glob("flydsl_*.py")
    return path


#: A private FlyDSL name in the kernel's module, (old, new) of an edit.
PRIVATE_IMPORT = ("import flydsl.expr as fx\n\nfrom . import (", "from flydsl._mlir import ir\n\nfrom . import (")


def edit(folder: Path, old: str, new: str) -> tuple[str, int]:
    """Make one edit by hand, in the kernel or in a block beside it; return the file and the line."""
    (path,) = [p for p in (kernel_of(folder), *sorted((folder / "kernels").glob("_*.py"))) if old in p.read_text()]
    text = path.read_text()
    assert text.count(old) == 1
    path.write_text(text.replace(old, new))
    return path.relative_to(folder).as_posix(), text.count("\n", 0, text.index(old)) + 1
