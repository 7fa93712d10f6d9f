# SPDX-License-Identifier: Apache-2.0
"""The edit of aiter's dispatch: applied by git, imported, and called, for every generation."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path
from typing import Any

import black
import pytest
import torch

from porter.errors import InputError
from porter.export.aiter import Options, plan
from porter.export.aiter_dispatch import _call, _wrapped, edit
from porter.export.common import Kernel
from porter.problem import Family
from tests.porter.export.checkouts import (
    DISPATCH,
    GENERATIONS,
    OTHER_SHAPE,
    PLAIN,
    PLAIN_SHAPE,
    SHUFFLED,
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


def padded(tensor: torch.Tensor, pad: int) -> torch.Tensor:
    """The same numbers in rows that are further apart."""
    flat = tensor.contiguous().view(torch.uint8)
    wide = torch.zeros((flat.shape[0], flat.shape[1] + pad), dtype=torch.uint8)
    wide[:, : flat.shape[1]] = flat
    return wide[:, : flat.shape[1]].view(tensor.dtype)


def turned(tensor: torch.Tensor) -> torch.Tensor:
    """The same numbers in column-major memory."""
    return (
        tensor.view(torch.uint8).t().contiguous().t().view(tensor.dtype)
        if tensor.itemsize == 1
        else (tensor.t().contiguous().t())
    )


#: What a caller may hand over, in a shape that has a row of ours, and no kernel of ours takes.
REFUSABLE = [
    *((name, f"{what}", change) for name in ("XQ", "WQ") for what, change in {
        "uint8": lambda t: t.view(torch.uint8),
        "int8": lambda t: t.view(torch.int8),
        "fnuz": lambda t: t.view(torch.float8_e4m3fnuz),
        "e5m2": lambda t: t.view(torch.float8_e5m2),
        "column-major": turned,
        "odd row stride": lambda t: padded(t, 8),
        "one row for all": lambda t: t[:1].expand(t.shape),
        "every other column": lambda t: torch.cat((t.view(torch.uint8),) * 2, 1)[:, ::2].view(t.dtype),
    }.items()),
    *((name, what, change) for name in ("x_scale", "w_scale") for what, change in {
        "double": lambda t: t.double(),
        "bf16": lambda t: t.bfloat16(),
        "e8m0": lambda t: t.to(torch.float8_e8m0fnu),
        "flat": lambda t: t.flatten(),
        "another shape": lambda t: t.t().contiguous(),
        "strided": lambda t: t.repeat_interleave(2, 1)[:, ::2],
        "fewer blocks": lambda t: t[:, 1:].contiguous(),
    }.items()),
    ("w_scale", "column-major", turned),
    ("dtype", "fp16", lambda t: torch.float16),
    ("dtype", "fp32", lambda t: torch.float32),
]  # fmt: skip
#: The same of an output that the caller brings.
REFUSABLE_OUT = [
    ("out", "column-major", turned),
    ("out", "strided", lambda t: torch.cat((t, t), 1)[:, ::2]),
    ("out", "fp16", lambda t: t.half()),
]


@pytest.mark.parametrize("name", NAMES)
def test_what_our_kernel_refuses_reaches_ck_unchanged(
    name: str, kernels: tuple[Kernel, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = of_generation(tmp_path, name)
    plan(kernels, Options(root, unmeasured=True)).apply(root)
    with importable(root, "aiter"):
        dispatch: Any = importlib.import_module("aiter.ops.gemm_op_a8w8")
        core: Any = importlib.import_module("aiter.jit.core")
        launches = Launches(monkeypatch)
        for family, shape in ((Family.PLAIN, PLAIN_SHAPE), (Family.BPRESHUFFLE, SHUFFLED_SHAPE)):
            launches.watch(importlib.import_module(f"aiter.ops.flydsl_blockscale.{kernel_of(kernels, family, shape)}"))
            shuffled = family is Family.BPRESHUFFLE
            entry = getattr(dispatch, f"gemm_a8w8_blockscale{'_bpreshuffle' if shuffled else ''}")
            good = dict(zip(("XQ", "WQ", "x_scale", "w_scale"), operands(*shape), strict=True))
            good["dtype"] = torch.bfloat16
            cases = list(REFUSABLE) if shuffled else [*REFUSABLE, ("x_scale", "column-major", turned)]
            if shuffled and name != "older":
                cases += REFUSABLE_OUT
                good["out"] = torch.full(shape[:2], float("nan"), dtype=torch.bfloat16)
            if name == "later" and not shuffled:
                # Scales of another type have a table of their own there.
                cases = [case for case in cases if case[0] != "x_scale" or case[1] not in ("double", "bf16", "e8m0")]
            for operand, what, change in cases:
                given = {**good, operand: change(good[operand])}
                core.CALLS.clear()
                core.ARGUMENTS.clear()
                result = entry(**given)
                assert not launches.seen, (operand, what)
                ((called, keywords),) = core.CALLS
                assert called == f"{entry.__name__}_ck" and not keywords.get("kernelName"), (operand, what)
                (arguments,) = core.ARGUMENTS
                assert [id(a) for a in arguments[:4]] == [id(given[key]) for key in list(good)[:4]], (operand, what)
                assert result is arguments[4] and result.dtype == given.get("out", result).dtype
                assert result is given.get("out", result)
            # The calls before it left nothing behind.
            entry(**good)
            assert launches.seen.pop()[0] == kernel_of(kernels, family, shape) and not launches.seen


@pytest.mark.parametrize("name", ["newer", "later"])
def test_a_row_of_a_kernel_that_is_gone_is_cks(name: str, kernels: tuple[Kernel, ...], tmp_path: Path) -> None:
    root = of_generation(tmp_path, name)
    plan(kernels, Options(root, unmeasured=True)).apply(root)
    for table in (PLAIN, SHUFFLED):
        text = (root / table).read_text()
        assert "_wpe2_" in text
        (root / table).write_text(text.replace("_wpe2_", "_wpe7_"))
    with importable(root, "aiter"):
        dispatch: Any = importlib.import_module("aiter.ops.gemm_op_a8w8")
        calls = importlib.import_module("aiter.jit.core").CALLS
        dispatch.gemm_a8w8_blockscale(*operands(*PLAIN_SHAPE), torch.bfloat16)
        dispatch.gemm_a8w8_blockscale_bpreshuffle(*operands(*SHUFFLED_SHAPE), torch.bfloat16)
        assert [(called, keywords.get("kernelName", "")) for called, keywords in calls] == [
            ("gemm_a8w8_blockscale_ck", ""),
            ("gemm_a8w8_blockscale_bpreshuffle_ck", ""),
        ]


def earlier(text: str, dropped: bool) -> str:
    """A file with the branches of the exports before this one."""
    pattern = (
        r'if by_row\.names_kernel\((\w+), (".*")\):\n( +)ported = by_row\.attempt\(\w+, (.*)\)\n'
        r" +if ported is not None:\n +return ported\n"
    )
    run = r"return by_row.run(\1, \4)\n"
    if dropped:
        return re.sub(pattern, rf"if by_row.names_kernel(\1, \2) and by_row.serves(\1, dtype):\n\3{run}", text)
    return re.sub(pattern, rf"if by_row.names_kernel(\1, \2):\n\3if by_row.serves(\1, dtype):\n\3    {run}", text)


@pytest.mark.parametrize("name", NAMES)
def test_a_branch_of_an_earlier_export_is_renewed(name: str) -> None:
    today = edit(source(name), FAMILIES).text
    before = earlier(today, dropped=name == "older")
    assert before.count("by_row.serves(") == 2 and "ported =" not in before
    renewed = edit(before, FAMILIES)
    assert (renewed.text, renewed.generations) == (today, dict.fromkeys(FAMILIES, "renewed"))


def test_an_output_that_is_a_keyword_alone_is_handed_over() -> None:
    text = source("newer").replace("isBpreshuffled=False):", "isBpreshuffled=False, *, out=None):")
    edited = edit(text.replace("    Y = torch", "    Z = torch", 1), FAMILIES).text
    assert edited.count("by_row.attempt(config, XQ, WQ, x_scale, w_scale, dtype, out=out)") == 2


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


@pytest.mark.parametrize("column", range(0, 52, 4))
@pytest.mark.parametrize(("head", "tail"), [("row = ", ""), ("if ", ":")])
def test_a_statement_is_written_as_black_would_write_it(head: str, tail: str, column: int) -> None:
    mode = black.Mode(line_length=black.Mode().line_length - column)
    for arguments in (
        "XQ",
        'm, n, k, table="x"',
        "row, XQ, WQ, x_scale, w_scale, dtype, out=Y",
        "abcdefgh, " * 9 + "i",
    ):
        written = _wrapped(head, _call(f"by_row.attempt({arguments})"), tail, column)
        body = "\n    pass" if tail else ""
        assert black.format_str(written + body, mode=mode) == written + body + "\n"


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
    ("older", "    m, n, k = XQ", "    ported, n, k = XQ", "        get_CKGEMM_config", "a name ported of its own"),
    ("later", "not isBpreshuffled and split_k", "split_k", "    tuned = get", "does not ask for isBpreshuffled"),
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
    assert caught.value.code == "CKE003"
    assert message in caught.value.message
    assert caught.value.where is not None
    assert caught.value.where.path == "checkout/dispatch.py"
    assert changed.split("\n")[caught.value.where.line - 1].startswith(at)
