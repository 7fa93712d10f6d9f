# SPDX-License-Identifier: Apache-2.0
"""Dispatch: the order of its look-ups, and its rules against those of porter."""

from __future__ import annotations

import importlib
import itertools
import subprocess
import sys
from collections.abc import Iterable, Iterator
from dataclasses import astuple, replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import black
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from porter.conversion.convert import Options, convert
from porter.kernel_spec import Contract, KernelSpec
from porter.problem import TARGETS, Family, GemmShape
from porter.select import recipes
from porter.select.legality import legality
from porter.select.regimes import classify
from porter.write import emitter
from porter.write.dispatch import RUN_TIME, Row, files
from tests.porter.specs import DECODE, EIGHT_WAVE, FOUR_WAVE, FOUR_WAVE_PLAIN, VARIED

GFX950 = TARGETS["gfx950"]
_folders = itertools.count()


def every_candidate() -> list[KernelSpec]:
    """The kernels that any shape of gfx950 may be given."""
    found: dict[KernelSpec, None] = {}
    for family, m, n, k in itertools.product(
        Family, (1, 17, 64, 4096, 65536), (64, 2048, 65536), (128, 512, 1024, 2048, 4096, 7168)
    ):
        for candidate in recipes.choose(GemmShape(m, n, k), GFX950, family).candidates:
            found[candidate.spec] = None
    return list(found)


def load(folder: Path, kernels: Iterable[KernelSpec], rows: Iterable[Row] = ()) -> Any:
    package = f"dispatch_under_test_{next(_folders)}"
    (folder / package).mkdir()
    for name, text in {**files(kernels, rows, "1.2.3"), **emitter.support_files()}.items():
        (folder / package / name).write_text(text)
    sys.path.insert(0, str(folder))
    try:
        return importlib.import_module(f"{package}.dispatch")
    finally:
        sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A folder with every candidate of gfx950 and no row."""
    yield load(tmp_path_factory.mktemp("full"), every_candidate())


@pytest.fixture(scope="module")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    yield load(tmp_path_factory.mktemp("varied"), VARIED)


shapes = st.builds(
    GemmShape,
    st.one_of(st.integers(1, 130), st.integers(1, 1 << 18)),
    st.one_of(
        st.integers(1, 40).map(lambda n: n * 64),
        st.integers(1, 1 << 14).map(lambda n: n * 16),
        st.integers(1, 40).map(lambda n: n * 4),
    ),
    st.one_of(st.integers(1, 70), st.integers(1, 1 << 10)).map(lambda blocks: blocks * 128),
)


@given(shape=shapes, cus=st.sampled_from([64, 80, 128, 256, 304]))
@settings(max_examples=500, deadline=None)
def test_regimes_are_those_of_porter(shape: GemmShape, cus: int, full: Any) -> None:
    target = replace(GFX950, cus=cus)
    wanted = classify(shape, target).regime.value
    assert full.holding(full.Situation(shape.m, shape.n, shape.k, cus, target.xcds)).regime.value == wanted


@given(shape=shapes, family=st.sampled_from(Family), cus=st.sampled_from([128, 256]))
@settings(max_examples=300, deadline=None)
def test_a_shape_without_a_row_gets_the_recipes_choice(shape: GemmShape, family: Family, cus: int, full: Any) -> None:
    target = replace(GFX950, cus=cus)
    recipe = recipes.choose(shape, target, family)
    legal = [c.spec.name for c in recipe.candidates if not legality(c.spec, shape, target)]
    choice = full.choose("gfx950", cus, family.value, shape.m, shape.n, shape.k)
    if legal:
        assert (choice.kernel, choice.rule, choice.text) == (
            legal[0],
            "regime",
            f"no row; regime {recipe.regime.value}",
        )
    else:
        assert (choice.kernel, choice.rule) == ("", "none") and choice.text


@given(
    spec=st.sampled_from(VARIED),
    m=st.integers(1, 1 << 32),
    n=st.one_of(st.integers(1, 4096), st.integers(1, 1 << 26)),
    k=st.one_of(st.integers(1, 4096), st.integers(1, 1 << 17).map(lambda blocks: blocks * 128)),
)
@settings(max_examples=500, deadline=None)
def test_what_dispatch_refuses_is_what_legality_refuses(spec: KernelSpec, m: int, n: int, k: int, varied: Any) -> None:
    kernel = next(item for item in varied._kernels(spec.arch, spec.family.value) if item == spec.fields)
    refused = bool(varied._refusal(kernel, m, n, k))
    assert refused == bool(legality(spec, GemmShape(m, n, k), TARGETS[spec.arch]))


@given(
    arch=st.sampled_from(["gfx950", "gfx942", "gfx1201", ""]),
    cus=st.integers(-5, 1000),
    family=st.sampled_from(["plain", "bpreshuffle", "other"]),
    sizes=st.tuples(*[st.integers(-200, 1 << 40)] * 3),
)
@settings(deadline=None)
def test_every_question_gets_an_answer(
    arch: str, cus: int, family: str, sizes: tuple[int, int, int], varied: Any
) -> None:
    choice = varied.choose(arch, cus, family, *sizes)
    assert choice.text and bool(choice.kernel) == (choice.rule != "none")


ROWS = [
    Row("gfx950", 256, Family.BPRESHUFFLE, GemmShape(64, 2048, 7168), EIGHT_WAVE),
    Row("gfx950", 256, Family.BPRESHUFFLE, GemmShape(4096, 2048, 7168), FOUR_WAVE),
    Row("gfx950", 304, Family.BPRESHUFFLE, GemmShape(512, 2048, 7168), EIGHT_WAVE),
    Row("gfx950", 80, Family.BPRESHUFFLE, GemmShape(512, 2048, 7168), FOUR_WAVE),
    Row("gfx950", 256, Family.PLAIN, GemmShape(8192, 4608, 128), FOUR_WAVE_PLAIN),
]


@pytest.mark.parametrize(
    ("m", "cus", "kernel", "rule", "text"),
    [
        (64, 256, EIGHT_WAVE, "exact", "row 64x2048x7168 of cu_num 256"),
        (50, 256, EIGHT_WAVE, "padded", "row 64x2048x7168 of cu_num 256, M 50 padded as aiter does"),
        (33, 256, EIGHT_WAVE, "padded", "row 64x2048x7168 of cu_num 256, M 33 padded as aiter does"),
        (4033, 256, FOUR_WAVE, "padded", "row 4096x2048x7168 of cu_num 256, M 4033 padded as aiter does"),
        # cu_num 304 is nearer to 256 than 80 is.
        (512, 256, EIGHT_WAVE, "other_cu_num", "row 512x2048x7168 of cu_num 304; there is none of cu_num 256"),
        (512, 80, FOUR_WAVE, "exact", "row 512x2048x7168 of cu_num 80"),
        (64, 128, EIGHT_WAVE, "other_cu_num", "row 64x2048x7168 of cu_num 256; there is none of cu_num 128"),
        (0, 256, FOUR_WAVE, "stand_in", "no row, and regime decode has no kernel of its own here that fits"),
        (5000, 256, FOUR_WAVE, "padded", "row 8192x2048x7168 of cu_num 256, M 5000 padded as aiter does"),
    ],
)
def test_the_order_of_look_ups(m: int, cus: int, kernel: KernelSpec, rule: str, text: str, tmp_path: Path) -> None:
    rows = [*ROWS, Row("gfx950", 256, Family.BPRESHUFFLE, GemmShape(8192, 2048, 7168), FOUR_WAVE)]
    module = load(tmp_path, [FOUR_WAVE, EIGHT_WAVE, FOUR_WAVE_PLAIN], rows)
    assert module.choose("gfx950", cus, "bpreshuffle", m, 2048, 7168)[:3] == (kernel.name, rule, text)


@pytest.mark.parametrize(
    ("m", "n", "first", "second"),
    [
        (1, 64, 16, 1),
        (16, 64, 16, 16),
        (257, 64, 288, 512),
        (1025, 64, 1088, 2048),
        (4097, 64, 4224, 8192),
        (8193, 64, 8320, 16384),
        (8193, 4097, 8320, 8192),
        (8192, 4097, 8192, 8192),
    ],
)
def test_padded_m_is_aiters(m: int, n: int, first: int, second: int, full: Any) -> None:
    assert (full.padded_m(m, n, 128, 0), full.padded_m(m, n, 128, 1)) == (first, second)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        (("gfx942", 304, "plain", 1, 128, 128), "no kernel for gfx942 plain; it has gfx950 bpreshuffle, gfx950 plain"),
        (("gfx950", 256, "plain", 1, 102, 128), "which the plain family needs; pad B with zero rows to N 104"),
        (("gfx950", 256, "plain", 1, 128, 100), "the scale block; pad A and B with zeros to K 128"),
        (("gfx950", 256, "plain", -1, 128, 128), "M = -1, N = 128, K = 128: sizes must be positive"),
        (("gfx950", 256, "plain", 1 << 31, 128, 128), "32-bit offsets cannot reach all of it"),
        (("gfx950", 256, "plain", 1 << 27, 4096, 128), "the most that HIP launches; fewer rows a call"),
    ],
)
def test_what_no_kernel_serves_has_a_reason(question: tuple[Any, ...], text: str, full: Any) -> None:
    kernel, rule, said, _ = full.choose(*question)
    assert (kernel, rule) == ("", "none") and text in said


def test_a_fallback_changes_neither_contract_nor_scale_blocks(tmp_path: Path) -> None:
    special = [replace(FOUR_WAVE_PLAIN, contract=Contract.CKTILE), replace(FOUR_WAVE_PLAIN, scale_block_m=128)]
    special.append(replace(FOUR_WAVE_PLAIN, out_dtype="fp16"))
    module = load(tmp_path, special, [Row("gfx950", 256, Family.PLAIN, GemmShape(512, 512, 512), special[0])])
    assert module.choose("gfx950", 256, "plain", 512, 512, 512).kernel == special[0].name
    assert module.choose("gfx950", 256, "plain", 512, 512, 1024).text.endswith("CK's own order of roundings")


def test_a_wide_k_tile_never_stands_in_for_a_plan(tmp_path: Path) -> None:
    """No recipe plans a K tile of 256: such a kernel is called where a row names it, and is a stand-in at most."""
    shape = GemmShape(4096, 4096, 4096)
    plan = recipes.choose(shape, GFX950, Family.PLAIN).spec
    wide = replace(plan, tile_k=256)
    module = load(tmp_path, [wide, plan])
    assert module.choose("gfx950", 256, "plain", *astuple(shape)).kernel == plan.name
    assert load(tmp_path, [wide]).choose("gfx950", 256, "plain", *astuple(shape)).rule == "stand_in"


def test_every_row_of_the_example_finds_its_kernel(repository: Path, tmp_path: Path) -> None:
    conversion = convert([repository / "examples" / "ck_instances.csv"], Options())
    folder = tmp_path / "example"
    folder.mkdir()
    for name in (*RUN_TIME, "_serving.py", "dispatch_rows.py"):
        (folder / name).write_text(conversion.files[name])
    sys.path.insert(0, str(tmp_path))
    try:
        module = importlib.import_module("example.dispatch")
    finally:
        sys.path.remove(str(tmp_path))
    for item in conversion.converted:
        row = item.row
        choice = module.choose(row.gfx, row.cu_num, row.family.value, row.shape.m, row.shape.n, row.shape.k)
        if item.kept:
            assert choice[:3] == (item.spec.name, "exact", f"row {row.shape} of cu_num {row.cu_num}")


def test_the_table_is_black_clean_and_deterministic() -> None:
    rows = [
        Row("gfx950", cus, Family.BPRESHUFFLE, GemmShape(m, n, 512), spec)
        for cus in (80, 256)
        for n in (256, 512)
        for m in range(1, 9 * n // 64)
        for spec in [(FOUR_WAVE, EIGHT_WAVE)[m % 2]]
    ]
    texts = [files([FOUR_WAVE, EIGHT_WAVE], order, "1") for order in (rows, rows[::-1])]
    assert texts[0] == texts[1]
    for text in texts[0].values():
        assert black.format_str(text, mode=black.Mode(line_length=120)) == text
        assert all(len(line) <= 120 for line in text.splitlines())


def test_choosing_imports_nothing_heavy(tmp_path: Path) -> None:
    module = load(tmp_path, [FOUR_WAVE_PLAIN])
    package = module.__name__.split(".")[0]
    code = (
        f"import sys; sys.path.insert(0, {str(tmp_path)!r}); from {package} import dispatch; "
        "assert dispatch.choose('gfx950', 256, 'plain', 5000, 512, 512).kernel; "
        "sys.exit(bool({'torch', 'flydsl', 'numpy', 'porter'} & {*sys.modules}))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False, cwd=tmp_path).returncode == 0


def test_calls_go_to_the_chosen_module_and_twins_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import torch

    module = load(tmp_path, [DECODE, FOUR_WAVE])
    for spec, twin in ((DECODE, {}), (FOUR_WAVE, {"twin": "no_load"})):
        kernel = SimpleNamespace(SPEC=twin, HOST=SimpleNamespace(run=lambda *tensors: tensors[-1].fill_(7)))
        monkeypatch.setitem(sys.modules, f"{module.__package__}.{spec.name}", kernel)
    tensors = [torch.zeros(shape) for shape in ((5, 512), (128, 512), (5, 4), (1, 4))]
    monkeypatch.setattr(module, "_device", lambda device: ("gfx950", 256))
    monkeypatch.setattr(module._proofs, "admit", lambda text: None)
    assert torch.equal(module.gemm_a8w8_blockscale(*tensors), torch.full((5, 128), 7, dtype=torch.bfloat16))
    out = torch.zeros((5, 128), dtype=torch.float16)
    assert module.gemm_a8w8_blockscale(*tensors, torch.float16, out=out) is out and out.max() == 7
    with pytest.raises(ValueError, match=r"out: dtype torch\.float16, expected torch\.bfloat16"):
        module.gemm_a8w8_blockscale(*tensors, torch.bfloat16, out=out)
    with pytest.raises(ValueError, match=r"a twin \(no_load\) for measurements only"):
        module.gemm_a8w8_blockscale_bpreshuffle(*tensors)
    monkeypatch.setattr(module, "_device", lambda device: ("gfx942", 304))
    with pytest.raises(ValueError, match="no kernel for gfx942 plain"):
        module.gemm_a8w8_blockscale(*tensors)


def test_a_tensor_on_the_cpu_is_refused_in_words(full: Any) -> None:
    import torch

    with pytest.raises(ValueError, match="on cpu, these kernels run on a ROCm device"):
        full.gemm_a8w8_blockscale(torch.zeros(2, 128), torch.zeros(8, 128), torch.ones(2, 1), torch.ones(1, 1))
    with pytest.raises(ValueError, match="XQ: 1 dimensions"):
        full.gemm_a8w8_blockscale(torch.zeros(2), torch.zeros(8, 128), None, None)
