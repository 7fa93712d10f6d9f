# SPDX-License-Identifier: Apache-2.0
"""What `make sanitize` runs besides the machine's tests: the sanitizers are there, and they fire."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from oracle.machine.binding import core
from oracle.reference import _exact
from tests.oracle.machine.test_damage import attempt, damaged_texts

pytestmark = pytest.mark.sanitize

#: Faults of the core itself: file, right text, wrong text.
PLANTS = (
    (
        "memory.c",
        "return offset <= a->size && size <= a->size - offset ? a : NULL;",
        "(void)offset, (void)size; return a;",
    ),
    ("valu.c", "U2(v_lshlrev_b32, y << (x & 31))", "U2(v_lshlrev_b32, y << x)"),
)
#: What a program that reaches the fault does, and what the sanitizer must say.
SYMPTOMS = {
    "a read past the end of an array": ("global_load_dword v5, v2, s[4:5] offset:4092", "heap-buffer-overflow"),
    "a shift by more than the width": ("v_lshlrev_b32_e32 v5, 40, v2", "shift exponent 40 is too large"),
}
SCRIPT = """
import sys
import numpy as np
from oracle.machine.binding import core
from tests.oracle.machine.bench import launch
head = "s_load_dwordx2 s[4:5], s[0:1], 0x0\\n v_lshlrev_b32_e32 v2, 2, v0\\n s_waitcnt lgkmcnt(0)\\n"
print(core.__file__)
sys.stdout.flush()
launch(head + sys.argv[1] + "\\n s_waitcnt vmcnt(0)", [np.zeros(1024, np.uint32)])
print("ended")
"""


@pytest.fixture(scope="module")
def planted(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tree whose core has the faults, built with the flags of this one."""
    root = tmp_path_factory.mktemp("planted")
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(repository / name, root)
    shutil.copytree(repository / "oracle", root / "oracle", ignore=shutil.ignore_patterns("__pycache__", "*.so"))
    for name, right, wrong in PLANTS:
        source = root / "oracle" / "machine" / "core" / name
        text = source.read_text(encoding="utf-8")
        assert text.count(right) == 1
        source.write_text(text.replace(right, wrong), encoding="utf-8")
    # The compiler itself is not to be looked at.
    env = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    build = [sys.executable, "setup.py", "-q", "build_ext", "--inplace"]
    subprocess.run(build, cwd=root, env=env, check=True)
    return root


def run(tree: Path, repository: Path, body: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PYTHONPATH": f"{tree}{os.pathsep}{repository}"}
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, body], cwd=tree, env=env, capture_output=True, text=True, check=False
    )


@pytest.mark.parametrize("module", [core, _exact], ids=["machine", "reference"])
def test_the_compiled_code_is_watched(module: ModuleType) -> None:
    code = Path(module.__file__ or "").read_bytes()
    assert b"__asan_init" in code and b"__ubsan_handle_" in code
    assert "libasan" in os.environ["LD_PRELOAD"]


@pytest.mark.parametrize(("body", "words"), SYMPTOMS.values(), ids=SYMPTOMS)
def test_a_planted_fault_is_seen(planted: Path, repository: Path, body: str, words: str) -> None:
    done = run(planted, repository, body)
    assert done.stdout.startswith(f"{planted}/oracle/machine/_core"), done.stderr
    assert done.returncode != 0 and "ended" not in done.stdout and words in done.stderr
    right = run(Path(core.__file__ or "").parents[2], repository, body)
    assert (right.returncode, right.stdout.split()[-1]) == (0, "ended"), right.stderr


def test_damaged_programs_stay_within_bounds() -> None:
    assert len({attempt(text + "\n") for text in damaged_texts(60)}) > 5
