# SPDX-License-Identifier: Apache-2.0
"""Scratch checkouts of aiter: a dispatch of one generation, tables of its form, and stand-ins for all around it."""

from __future__ import annotations

import importlib
import inspect
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch

GENERATIONS = Path(__file__).parent / "generations"
DISPATCH = "aiter/ops/gemm_op_a8w8.py"
PLAIN = "aiter/configs/a8w8_blockscale_tuned_gemm.csv"
SHUFFLED = "aiter/configs/a8w8_blockscale_bpreshuffle_tuned_gemm.csv"

CK_PLAIN = "a8w8_blockscale_1x128x128_256x16x64x256_16x16_16x16_16x16x1_16x16x1_1x16x1x16_4_1x1_intrawave_v1"
CK_SHUFFLED = CK_PLAIN.replace("blockscale", "blockscale_bpreshuffle")

#: Rows of the committed kernels (M, N, K), one a family, and one that no kernel of ours has a row for.
PLAIN_SHAPE, SHUFFLED_SHAPE, OTHER_SHAPE = (16, 1536, 7168), (64, 7168, 2304), (32, 512, 1024)

_FILES = {
    "aiter/__init__.py": "import logging\nlogger = logging.getLogger('aiter')\n",
    "aiter/jit/__init__.py": "",
    "aiter/jit/core.py": """
import csv, os
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
AITER_ROOT_DIR, AITER_LOG_TUNED_CONFIG = ROOT, False
PLAIN_TABLE = ROOT + "/aiter/configs/a8w8_blockscale_tuned_gemm.csv"
SHUFFLED_TABLE = ROOT + "/aiter/configs/a8w8_blockscale_bpreshuffle_tuned_gemm.csv"
AITER_CONFIG_GEMM_A8W8_BLOCKSCALE_FILE = PLAIN_TABLE
AITER_CONFIG_GEMM_A8W8_BLOCKSCALE_BPRESHUFFLE_FILE = SHUFFLED_TABLE
AITER_CONFIG_GEMM_A8W8_FILE = AITER_CONFIG_GEMM_A8W8_BPRESHUFFLE_FILE = ROOT + "/none.csv"
CALLS, ARGUMENTS = [], []

def compile_ops(module, **_):
    def wrap(function):
        def call(*arguments, **keywords):
            CALLS.append((function.__name__, keywords))
            ARGUMENTS.append(arguments)
            return arguments[4]
        return call
    return wrap

def read_table(path, key):
    with open(path, newline="") as stream:
        rows = list(csv.DictReader(stream))
    table = {tuple(int(r[c]) if c != "gfx" else r[c] for c in key): r for r in rows}
    if len(table) != len(rows):
        raise ValueError("DataFrame index must be unique.")
    return {k: {c: float("nan") if v == "" else v for c, v in r.items() if c not in key} for k, r in table.items()}
""",
    "aiter/jit/utils/__init__.py": "",
    "aiter/jit/utils/torch_guard.py": "def torch_compile_guard(**_):\n    return lambda function: function\n",
    "aiter/jit/utils/chip_info.py": "def get_cu_num():\n    return 256\n\ndef get_gfx():\n    return 'gfx950'\n",
    "aiter/utility/__init__.py": "",
    "aiter/utility/dtypes.py": (
        "import torch\nbf16, fp16, fp32, i8 = torch.bfloat16, torch.float16, torch.float32, torch.int8\n"
        "fp8 = torch.float8_e4m3fn\n"
    ),
    "aiter/ops/__init__.py": "",
    "aiter/ops/gemm_op_common.py": "def get_padded_m(M, N, K, gl):\n    return -(-M // 16) * 16\n",
    "pandas.py": """
from aiter.jit.core import read_table

class _Frame:
    def __init__(self, path):
        self.path = path
    def drop_duplicates(self):
        return self
    def set_index(self, key):
        return _Table(read_table(self.path, key))

class _Table:
    def __init__(self, table):
        self.table = table
    def to_dict(self, orient):
        return self.table

def read_csv(path):
    return _Frame(path)
""",
}

#: The newer generation has FlyDSL kernels of its own, whose package cannot be imported without FlyDSL.
_FLYDSL = {
    "aiter/ops/flydsl/__init__.py": "raise ImportError('no flydsl here')\n",
    "aiter/ops/flydsl/gemm_tune/other.py": "",
}


def git(root: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """git without anybody's configuration."""
    nowhere = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull, "GIT_CEILING_DIRECTORIES": "/"}
    return subprocess.run(
        ["git", "-C", str(root), *arguments], env={**os.environ, **nowhere}, capture_output=True, text=True, check=False
    )


def tables(libtype: bool) -> dict[str, str]:
    """Both tables of one generation's form, with a CK row for each of three shapes."""
    texts = {}
    for path, name, shapes in (
        (PLAIN, CK_PLAIN, (PLAIN_SHAPE, OTHER_SHAPE)),
        (SHUFFLED, CK_SHUFFLED, (SHUFFLED_SHAPE,)),
    ):
        head, chip, lib = ("gfx,", "gfx950,", "ck,") if libtype else ("", "", "")
        lines = [f"{head}cu_num,M,N,K,{'libtype,' if libtype else ''}kernelId,splitK,us,kernelName,tflops,bw,errRatio"]
        lines += [f"{chip}256,{m},{n},{k},{lib}7,1,20.5,{name},1.0,2.0,0.0" for m, n, k in shapes]
        texts[path] = "\n".join(lines) + "\n"
    return texts


def checkout(root: Path, dispatch: str, libtype: bool) -> Path:
    """A checkout under git with this dispatch, its tables, and stand-ins."""
    flydsl = _FLYDSL if libtype else {}
    for path, text in {**_FILES, **flydsl, **tables(libtype), DISPATCH: dispatch}.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text)
    assert git(root, "init", "-q").returncode == 0
    return root


def of_generation(root: Path, name: str) -> Path:
    """A checkout with one of the dispatches of `generations/`."""
    return checkout(root, (GENERATIONS / f"{name}.py").read_text(), libtype=name != "older")


def install(files: Path, patch: Path, root: Path) -> None:
    """What the user does with an export: check and apply the patch, copy the files."""
    checked = git(root, "apply", "--check", str(patch))
    assert checked.returncode == 0, checked.stderr
    applied = git(root, "apply", str(patch))
    assert applied.returncode == 0, applied.stderr
    shutil.copytree(files / "aiter", root / "aiter", dirs_exist_ok=True)


@contextmanager
def importable(root: Path, *names: str) -> Iterator[None]:
    """Packages of a folder can be imported, and are forgotten afterwards."""
    owned = ("pandas", *names)

    def forget() -> None:
        for module in [m for m in sys.modules if m.partition(".")[0] in owned]:
            del sys.modules[module]
        # `inspect`, which torch's ops ask: a package without a file, after one of that name with one, confuses it.
        vars(inspect)["_filesbymodname"].clear()

    forget()
    sys.path.insert(0, str(root))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(root))
        forget()


class Launches:
    """Launches of exported kernels, caught with CPU tensors: (kernel, N, K, {argument type and pointer}, M)."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch
        self.seen: list[tuple[str, int, int, list[int], int]] = []

    def watch(self, kernel: ModuleType) -> None:
        """Let CPU tensors past the device check, and nothing else; take the launcher's place."""
        host: Any = kernel.HOST
        self._patch.setattr(host, "_index", lambda device: 0)
        self._patch.setattr(torch.cuda, "device", lambda device: nullcontext())
        self._patch.setattr(torch.cuda, "current_stream", lambda device: SimpleNamespace(cuda_stream=0))
        self._patch.setattr(torch.cuda, "is_current_stream_capturing", lambda: False)
        self._patch.setattr(host, "_launchers", {})
        self._patch.setattr(host, "_build", lambda n, k, a_stride, b_stride: (n, k))
        self._patch.setattr(host, "_compile_launcher", lambda spec, build: self.launcher(spec["name"], *build()))

    def launcher(self, kernel: str, n: int, k: int) -> Callable[..., None]:
        """What stands for the compiled kernel."""
        return lambda *arguments: self.seen.append((kernel, n, k, list(arguments[:-2]), arguments[-2]))


def operands(m: int, n: int, k: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    """XQ, WQ, x_scale and w_scale in shape and dtype; their contents are never read."""
    fp8 = torch.float8_e4m3fn
    return (
        torch.zeros((m, k), dtype=torch.uint8).view(fp8),
        torch.zeros((n, k), dtype=torch.uint8).view(fp8),
        torch.ones((m, k // 128)),
        torch.ones((-(-n // 128), k // 128)),
    )
