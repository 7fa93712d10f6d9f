# SPDX-License-Identifier: Apache-2.0
"""Kernels that porter did not write, and that are wrong where a narrow proof does not look. Each passed once."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from porter.proof.shapes import boundary_ms
from porter.toolchain import confine
from tests.porter.gate.downstream import kernel_of, make
from tests.porter.gate.test_gate import findings, gate
from tests.porter.proof.test_host import HOST

HAND = """
PORTER = {
    "args": ["C", "A", "B", "x_scale", "w_scale", "M"], "n": 256, "k": 256, "m": [64],
    "mfma": "16x16x128", "scale_layout": "km", "b_layout": "shuffled_16x16",
}
"""
CONFIG = '[tool.porter]\nout = "none"\ndata = ["general", "cancel"]\n[tool.porter.kernels."hand/mine.py"]\n'
IMPORT = "import flydsl.compiler as flyc\n"
ATTRIBUTES = '{"rocdl.waves_per_eu": 2}'
LAUNCH = (
    "        gemm(C, A, B, XS, WS, M, value_attrs=attributes)"
    ".launch(grid=(workgroups, 1, 1), block=block, stream=stream)\n"
)


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("downstream"))


@pytest.fixture
def mine(original: Path, tmp_path: Path) -> Path:
    """hand/mine.py in a repository that has nothing else."""
    folder = Path(shutil.copytree(original, tmp_path / "repository"))
    hand = folder / "hand"
    shutil.copytree(folder / "kernels", hand, ignore=shutil.ignore_patterns("flydsl_*", "manifest.json", "dispatch*"))
    (folder / "pyproject.toml").write_text(CONFIG)
    (hand / "mine.py").write_text(kernel_of(folder).read_text() + HAND)
    return hand / "mine.py"


def replaced(mine: Path, *edits: tuple[str, str]) -> Path:
    """Edit the kernel, or the module beside it that has such a line."""
    for old, new in edits:
        path = next(p for p in (mine, *sorted(mine.parent.glob("_*.py"))) if old in p.read_text())
        path.write_text(path.read_text().replace(old, new, 1))
    return mine.parent.parent


def found(folder: Path, repository: Path, *options: str) -> list[dict[str, Any]]:
    return findings(gate(folder, "--format", "json", *options), repository)


def test_the_kernel_itself_passes(mine: Path, repository: Path) -> None:
    assert found(mine.parent.parent, repository) == []


def test_wrong_at_a_second_shape_of_b(mine: Path, repository: Path) -> None:
    """Declared at several (N, K), it is held to each of them."""
    wrong = ("self.blocks = K // BLOCK ", "self.blocks = K // BLOCK - (K == 384) ")
    folder = replaced(mine, wrong)
    assert found(folder, repository) == []
    replaced(mine, ('"n": 256, "k": 256', '"weights": [[256, 256], [256, 384]]'))
    assert {finding["rule"] for finding in found(folder, repository)} & {"CKG040", "CKG041"}


@pytest.mark.parametrize(
    "launch",
    [
        # Wrong for a second row of tiles: they are never launched.
        LAUNCH.replace("(workgroups, 1, 1)", "(fx.min(workgroups, g.grid_n), 1, 1)"),
        # No launch at all for one row.
        "        if M > 1:\n    " + LAUNCH.replace("\n        ", "\n            "),
        # A 16-bit product: wraps from some 100 workgroups on.
        LAUNCH.replace("(workgroups, 1, 1)", "((workgroups * 700 % 65536 + 699) // 700, 1, 1)"),
    ],
    ids=["one row of tiles", "not at M = 1", "wraps"],
)
def test_wrong_where_the_declared_m_does_not_look(launch: str, mine: Path, repository: Path) -> None:
    folder = replaced(mine, (LAUNCH, launch))
    assert {finding["rule"] for finding in found(folder, repository)} & {"CKG020", "CKG040", "CKG041"}


def test_a_launch_under_a_condition_is_proved(mine: Path, repository: Path) -> None:
    branch = "        if M <= 64:\n    {0}        else:\n    {0}".format(LAUNCH.replace("\n        ", "\n            "))
    branch = branch.replace("            else:", "        else:")
    assert found(replaced(mine, (LAUNCH, branch)), repository) == []


def test_a_launcher_that_cannot_be_followed_fails_alone_and_by_name(mine: Path, repository: Path) -> None:
    shutil.copy(mine, mine.with_name("other.py"))
    loop = "        for i in range(fx.Int32(0), M, fx.Int32(1)):\n    " + LAUNCH.replace("\n        ", "\n            ")
    own = mine.with_name("_own_launch.py")
    shutil.copy(mine.with_name("_launch.py"), own)
    replaced(own, (LAUNCH, loop))
    folder = replaced(mine, (" _launch,", " _own_launch,"), ("_launch.launcher(", "_own_launch.launcher("))
    (folder / "pyproject.toml").write_text(CONFIG + '[tool.porter.kernels."hand/other.py"]\n')
    ((rule, kernel, message),) = {(f["rule"], f["kernel"], f["message"]) for f in found(folder, repository)}
    assert (rule, kernel) == ("CKG020", "mine") and "CKT011" in message


HINTS = """

def faster():
    return flyc.compile[OPTIONS](build(256, 256))
"""


def test_compile_hints_that_cannot_be_told_are_refused_by_name(mine: Path, repository: Path) -> None:
    mine.write_text(mine.read_text() + HINTS)
    ((rule, message),) = {(f["rule"], f["message"]) for f in found(mine.parent.parent, repository)}
    assert rule == "CKG020" and "CKT012" in message


def test_a_host_function_that_swaps_the_scales_fails(mine: Path, repository: Path) -> None:
    mine.write_text(mine.read_text().replace("def gemm_a8w8", "def unused_a8w8") + HOST)
    folder = replaced(mine, ('"n": 256', '"host": "gemm", "n": 256'))
    assert found(folder, repository) == []
    replaced(mine, ("(out, XQ, WQ, x_scale, w_scale)", "(out, XQ, WQ, w_scale, x_scale)"))
    (finding,) = found(folder, repository)
    assert (finding["rule"], finding["kernel"]) == ("CKG046", "mine") and "w_scale, x_scale" in finding["message"]


def test_a_kernel_that_asks_for_its_surroundings_is_said_each_time(mine: Path, repository: Path) -> None:
    folder = replaced(mine, (IMPORT, IMPORT + 'import os\nos.environ.get("DEBUG_KERNELS")\n'))
    for _ in range(2):
        (finding,) = found(folder, repository)
        assert finding["rule"] == "CKG045" and "DEBUG_KERNELS" in finding["message"]
    assert gate(folder).exit_code == 0


@pytest.mark.parametrize(
    ("more", "attributes", "words"),
    [
        ("X = open('/etc/hostname').read()\n", ATTRIBUTES, "reads /etc/hostname"),
        ("import torch\nLANES = 64 if torch.cuda.is_available() else 64 + 0\n", ATTRIBUTES, ""),
        ("import torch\n", f"torch.cuda.is_available() or {ATTRIBUTES}", "torch.cuda.is_available()"),
    ],
)
def test_a_kernel_that_depends_on_its_surroundings_fails(
    more: str, attributes: str, words: str, mine: Path, repository: Path
) -> None:
    folder = replaced(mine, (IMPORT, IMPORT + more), (ATTRIBUTES, attributes))
    ((rule, message),) = {(f["rule"], f["message"]) for f in found(folder, repository)}
    assert (rule, words in message) == ("CKG020" if words else "CKG045", True)


def test_without_confinement_the_gate_says_so_once(
    mine: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(confine, "missing", lambda: ("the kernel has no Landlock",))
    (finding,) = found(mine.parent.parent, repository)
    assert finding["rule"] == "CKG047" and "no Landlock" in finding["message"]
    assert gate(mine.parent.parent).exit_code == 0


def test_a_kernel_in_the_output_folder_under_another_name_is_not_only_linted(mine: Path, repository: Path) -> None:
    folder = mine.parent.parent
    (folder / "pyproject.toml").write_text('[tool.porter]\nout = "hand"\ndata = ["general", "cancel"]\n')
    replaced(mine, ('"km", "b_layout"', '"rm", "b_layout"'))
    assert {(f["rule"], f["kernel"]) for f in found(folder, repository)} == {("CKG040", "mine")}
    mine.write_text(mine.read_text().partition("PORTER = ")[0])
    assert {(f["rule"], f["kernel"]) for f in found(folder, repository)} == {("CKG060", "mine")}


def test_rows_at_which_launches_change() -> None:
    def steps(rows: int, most: int) -> Callable[[int], list[Any]]:
        class Step:
            def __init__(self, kernel: str, grid: tuple[int, int, int]) -> None:
                self.kernel, self.grid = kernel, grid

        return lambda m: [Step("small" if m <= most else "large", (-(-m // rows), 3, 1))]

    assert boundary_ms(steps(64, 500)) == (1, 63, 64, 65, 307, 500, 501, 2176)
    assert boundary_ms(steps(5000, 5000)) == (1, 127, 128, 129, 627, 4352)
