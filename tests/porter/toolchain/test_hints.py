# SPDX-License-Identifier: Apache-2.0
"""Compile hints: the code that is proved is compiled as the module would."""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.errors import ToolchainError
from porter.toolchain import CompileRequest, KernelSource, compile_kernel
from porter.toolchain.hints import effective_hints
from tests.porter.toolchain.test_compile import TRIVIAL

HEAD = "import flydsl.compiler as flyc\n"


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORTER_CACHE_DIR", str(tmp_path / "cache"))


def isa(*edits: tuple[str, str], more: str = "") -> str:
    text = TRIVIAL.replace("BODY", "pass") + more
    for old, new in edits:
        assert old in text
        text = text.replace(old, new)
    return compile_kernel(CompileRequest(KernelSource("trivial", text), 2, 128, "gfx950")).isa


def test_hints_reach_the_code_wherever_the_module_gives_them() -> None:
    hints = '{"waves_per_eu": 3, "llvm_options": {"amdgpu-waitcnt-forcezero": True}}'
    plain = isa()
    carried = isa(("    return launch\n", f"    launch.compile_hints = {hints}\n    return launch\n"))
    deferred = isa(("    return launch\n", f"    return flyc.compile[{hints}](launch)\n"))
    host = isa(more=f"\n\ndef gemm(C, M):\n    return flyc.compile[{hints}](build(2, 128), C, M)\n")
    assert carried == deferred == host
    assert carried.count("s_waitcnt") > plain.count("s_waitcnt")


def test_an_llvm_option_that_does_not_exist_is_the_compilers_error() -> None:
    with pytest.raises(ToolchainError, match="Unknown LLVM option"):
        isa(("    return launch\n", '    return flyc.compile[{"llvm_options": {"no-such": True}}](launch)\n'))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {"fast_fp_math": True}),
        (HEAD + "flyc.compile(f)", {"fast_fp_math": True}),
        (HEAD + "flyc.compile[{'waves_per_eu': 2}](f)", {"fast_fp_math": True, "waves_per_eu": 2}),
        (
            "from flydsl.compiler import compile as c\nc[{'waves_per_eu': 2}](f)",
            {"fast_fp_math": True, "waves_per_eu": 2},
        ),
        ("from flydsl import compiler\ncompiler.compile[{'fast_fp_math': False}](f)", {"fast_fp_math": False}),
        ("f.compile_hints = {'waves_per_eu': 2}", {"fast_fp_math": True, "waves_per_eu": 2}),
        ("f.compile_hints['waves_per_eu'] = 2", {"fast_fp_math": True, "waves_per_eu": 2}),
        ("with X.compile_hints({'waves_per_eu': 2}): pass", {"fast_fp_math": True, "waves_per_eu": 2}),
        ("import re\nre.compile('x')", {"fast_fp_math": True}),
    ],
)
def test_hints_of_a_text_are_read(text: str, expected: dict[str, object]) -> None:
    assert effective_hints({"fast_fp_math": True}, [text]) == expected


@pytest.mark.parametrize(
    "text",
    [
        HEAD + "flyc.compile[hints()](f)",
        HEAD + "flyc.compile[{'waves_per_eu': n}](f)",
        HEAD + "flyc.compile[{'waves_per_eu': 2}](f) if big else flyc.compile[{'waves_per_eu': 4}](f)",
        HEAD + "flyc.compile[{'waves_per_eu': 2}](f) if big else flyc.compile(f)",
        "f.compile_hints.update(waves_per_eu=2)",
    ],
)
def test_hints_that_cannot_be_told_are_refused(text: str) -> None:
    with pytest.raises(ToolchainError) as caught:
        effective_hints({}, [text])
    assert caught.value.code == "CKT012"
