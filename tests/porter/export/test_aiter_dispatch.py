# SPDX-License-Identifier: Apache-2.0
"""The edit of aiter's dispatch: applied by git, imported, and called, for every generation."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path
from typing import Any

import black
import pytest
import torch

from porter.errors import InputError
from porter.export.aiter import Options, plan
from porter.export.aiter_dispatch import edit
from porter.export.common import Kernel
from porter.problem import Family
from tests.porter.export.checkouts import (
    DISPATCH,
    GENERATIONS,
    OTHER_SHAPE,
    PLAIN_SHAPE,
    SHUFFLED_SHAPE,
    Launches,
    checkout,
    importable,
    install,
    of_generation,
    operands,
)

NAMES = ("older", "newer", "later")
FAMILIES = tuple(Family)


def source(name: str) -> str:
    return (GENERATIONS / f"{name}.py").read_text()


def kernel_of(kernels: tuple[Kernel, ...], family: Family, shape: tuple[int, int, int]) -> str:
    return next(
        kernel.spec.name
        for kernel in kernels
        for row in kernel.served
        if kernel.spec.family is family and (row.shape.m, row.shape.n, row.shape.k) == shape
    )


def rows_reach_our_kernels(root: Path, kernels: tuple[Kernel, ...], out: Path, patch: pytest.MonkeyPatch) -> None:
    made = plan(kernels, Options(root, unmeasured=True))
    made.write(out)
    before = (root / DISPATCH).read_text()
    install(out, out / made.patch_name, root)
    assert (root / DISPATCH).read_text() != before
    with importable(root, "aiter"):
        dispatch: Any = importlib.import_module("aiter.ops.gemm_op_a8w8")
        calls: list[tuple[str, dict[str, Any]]] = importlib.import_module("aiter.jit.core").CALLS
        launches = Launches(patch)
        for family, shape in ((Family.PLAIN, PLAIN_SHAPE), (Family.BPRESHUFFLE, SHUFFLED_SHAPE)):
            name = kernel_of(kernels, family, shape)
            launches.watch(importlib.import_module(f"aiter.ops.flydsl_blockscale.{name}"))
            entry = getattr(dispatch, f"gemm_a8w8_blockscale{'_bpreshuffle' if family is Family.BPRESHUFFLE else ''}")
            tensors = operands(*shape)
            result = entry(*tensors, torch.bfloat16)
            pointers = [tensor.data_ptr() for tensor in (result, *tensors)]
            assert launches.seen.pop() == (name, shape[1], shape[2], pointers, shape[0])
            assert result.shape == (shape[0], shape[1]) and not calls
            # What the kernel does not write goes to CK, as without a row.
            assert entry(*tensors, torch.float16).dtype == torch.float16
            called, keywords = calls.pop()
            assert not launches.seen and called == f"{entry.__name__}_ck" and not keywords.get("kernelName")
        ck = dispatch.gemm_a8w8_blockscale(*operands(*OTHER_SHAPE), torch.bfloat16)
        assert ck.shape == OTHER_SHAPE[:2] and len(calls) == 1 and not launches.seen


@pytest.mark.parametrize("name", NAMES)
def test_a_row_reaches_our_kernel(
    name: str, kernels: tuple[Kernel, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = of_generation(tmp_path / "checkout", name)
    rows_reach_our_kernels(root, kernels, tmp_path / "out", monkeypatch)


def test_a_row_reaches_our_kernel_in_the_wheel(
    wheel: Path, kernels: tuple[Kernel, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = checkout(tmp_path / "checkout", (wheel / DISPATCH).read_text(), libtype=False)
    rows_reach_our_kernels(root, kernels, tmp_path / "out", monkeypatch)


@pytest.mark.parametrize("name", ["newer", "later"])
def test_the_callers_output_is_written(
    name: str, kernels: tuple[Kernel, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = of_generation(tmp_path, name)
    plan(kernels, Options(root, unmeasured=True)).apply(root)
    with importable(root, "aiter"):
        dispatch: Any = importlib.import_module("aiter.ops.gemm_op_a8w8")
        kernel = kernel_of(kernels, Family.BPRESHUFFLE, SHUFFLED_SHAPE)
        launches = Launches(monkeypatch)
        launches.watch(importlib.import_module(f"aiter.ops.flydsl_blockscale.{kernel}"))
        out = torch.empty(SHUFFLED_SHAPE[:2], dtype=torch.bfloat16)
        result = dispatch.gemm_a8w8_blockscale_bpreshuffle(*operands(*SHUFFLED_SHAPE), torch.bfloat16, out=out)
        assert result is out and launches.seen[0][3][0] == out.data_ptr()


def test_an_output_that_is_a_keyword_alone_is_handed_over() -> None:
    text = source("newer").replace("isBpreshuffled=False):", "isBpreshuffled=False, *, out=None):")
    edited = edit(text.replace("    Y = torch", "    Z = torch", 1), FAMILIES).text
    assert edited.count("by_row.run(config, XQ, WQ, x_scale, w_scale, dtype, out=out)") == 2


def test_a_branch_that_was_put_in_by_hand_is_left_alone() -> None:
    by_hand = edit(source("later"), FAMILIES).text.replace("out=None", "bias=None, out=None")
    assert edit(by_hand, FAMILIES).generations == {}


@pytest.mark.parametrize("name", NAMES)
def test_nothing_of_flydsl_is_imported_with_the_dispatch(
    name: str, kernels: tuple[Kernel, ...], tmp_path: Path
) -> None:
    root = of_generation(tmp_path, name)
    plan(kernels, Options(root)).apply(root)
    names = [kernel.spec.name for kernel in kernels]
    with importable(root, "aiter"):
        before = set(sys.modules)
        dispatch: Any = importlib.import_module("aiter.ops.gemm_op_a8w8")
        dispatch.gemm_a8w8_blockscale(*operands(*OTHER_SHAPE), torch.bfloat16)
        assert not [module for module in set(sys.modules) - before if module.rpartition(".")[2] in names]


@pytest.mark.parametrize("name", NAMES)
def test_the_edit_is_idempotent_and_whole(name: str) -> None:
    once = edit(source(name), FAMILIES)
    assert once.generations == dict.fromkeys(FAMILIES, "older" if name == "older" else "newer")
    again = edit(once.text, FAMILIES)
    assert (again.text, again.generations) == (once.text, {})
    # One family first and the other later is the same file.
    assert edit(edit(source(name), FAMILIES[:1]).text, FAMILIES).text == once.text


@pytest.mark.parametrize("name", NAMES)
def test_a_black_clean_file_stays_so(name: str) -> None:
    clean = black.format_str(source(name), mode=black.Mode())
    edited = edit(clean, FAMILIES).text
    assert black.format_str(edited, mode=black.Mode()) == edited


def test_other_line_endings_and_comments_are_kept() -> None:
    text = source("older")
    edited = edit(text.replace("\n", "\r\n"), FAMILIES).text
    assert edited == edit(text, FAMILIES).text.replace("\n", "\r\n")
    assert "config = get_CKGEMM_config(m, n, k, PLAIN_TABLE)  # logged" in edited
    # Without its last line feed the file gets none.
    assert not edit(text.rstrip("\n"), FAMILIES).text.endswith("\n")


#: Generation, what is changed into what, the line (where in the changed text) and the words of the refusal.
REFUSED = [
    ("older", "def gemm_a8w8_blockscale(", "def gemm(", "# SPDX", "no function gemm_a8w8_blockscale;"),
    ("newer", "_bpreshuffle(XQ, WQ, x_scale, w_scale, d", "_bpreshuffle(A, d", "def gemm_a8w8", "no parameter"),
    ("older", "        get_CKGEMM_config(m", "        look_up(m", "def gemm_a8w8", "has no call of get_CKGEMM_config"),
    ("older", "        return gemm_a8w8_blockscale_ck(", "        return other(", "def gemm_a8w8", "goes on to call"),
    ("later", "    tuned = get", "    m.tuned = get", "    m.tuned = get", "other than a name"),
    ("older", "    m, n, k = XQ", "    config, n, k = XQ", "        get_CKGEMM_config", "a name config of its own"),
    ("older", "    else:\n", "    else:\n        get_CKGEMM_config(0)\n", "        get_CKGEMM_config(m", "has 2 calls"),
    ("later", "bfloat16, out=None", "bfloat16, bias=None, *, out=None", "def gemm_a8w8_blockscale_b", "parameter bias"),
    ("newer", "bfloat16, out=None", "bfloat16, *, alpha=1, out=None", "def gemm_a8w8_blockscale_b", "parameter alpha,"),
    ("newer", "bfloat16, out=None", "bfloat16, out=None, **more", "def gemm_a8w8_blockscale_b", "r more,"),
    ("older", "isBpreshuffled=False):", "isBpreshuffled=False, *all):", "def gemm_a8w8_blockscale(", "r all,"),
    ("later", "    table = ", "\f    table = ", "    tuned = get", "with its branch the file is not Python"),
    ("newer", "def microscaled", f"X = {'1 + ' * 3000}1\n\n\ndef microscaled", "X = 1", "nested too deeply"),
    ("newer", "def microscaled", f"X = {'1 + ' * 1000}1\n\n\ndef microscaled", "X = 1 ", "is nested too deeply"),
    ("older", "import torch\n", "import torch torch\n", "import torch torch", "not Python"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "old", "new", "at", "message"), REFUSED, ids=[case[4] for case in REFUSED])
def test_what_is_not_understood_is_refused_with_its_place(name: str, old: str, new: str, at: str, message: str) -> None:
    text = source(name)
    assert old in text
    changed = text.replace(old, new)
    with pytest.raises(InputError) as caught:
        edit(changed, FAMILIES, "checkout/dispatch.py")
    assert caught.value.code == "CKG092"
    assert message in caught.value.message
    assert caught.value.where is not None
    assert caught.value.where.path == "checkout/dispatch.py"
    assert changed.split("\n")[caught.value.where.line - 1].startswith(at)
