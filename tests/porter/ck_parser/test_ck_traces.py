# SPDX-License-Identifier: Apache-2.0
"""Kernels in traces: symbols of every library, mangled or not, and the tables and JSON that hold them."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable

import ck_forms as forms
import ck_samples as samples
import pytest
from hypothesis import given
from hypothesis import strategies as st

from porter.ck_parser import XdlInstance, parse_kernel_name, read_files, read_trace, recognise
from porter.ck_parser.symbols.itanium import demangle
from porter.errors import InputError
from porter.problem import Family

Write = Callable[..., str]

PLAIN = parse_kernel_name(samples.PLAIN)
assert isinstance(PLAIN, XdlInstance)

#: Mangled by a compiler from our own declarations of CK's templates (id 8, MNKPadding).
MANGLED = (
    "_ZN2ck27kernel_gemm_xdl_cshuffle_v3INS_42GridwiseGemmMultiD_ABScale_xdl_cshuffle_v3INS_13tensor_layout4gemm8Row"
    "MajorENS3_11ColumnMajorENS_5TupleIJEEES4_NS_9f8_fnuz_tES8_ffS7_tNS_16tensor_operation12element_wise11PassThrough"
    "ESB_SB_LNS9_6device18GemmSpecializationE7ELi256ELi1ELi128ELi128ELi16ELi64ELi256ELi16ELi16ELi16ELi16ELi1ELi1ENS_8"
    "SequenceIJLi16ELi16ELi1EEEENSE_IJLi1ELi0ELi2EEEESG_Li2ELi16ELi16ELb0ELi0ESF_SG_SG_Li2ELi16ELi16ELb0ELi0ELi1ELi1E"
    "NSE_IJLi1ELi16ELi1ELi16EEEENSE_IJLi4EEEELNS_26BlockGemmPipelineSchedulerE0ELNS_24BlockGemmPipelineVersionE0ES8_S8_"
    "S8_S8_EELb1ELNS_25InMemoryDataOperationEnumE0ELi2ELNS_10TailNumberE10EEEvNT_8ArgumentE"
)
ID_8 = "a8w8_blockscale_1x128x128_256x16x64x256_16x16_16x16_1x1_16x16x1_16x16x1_1x16x1x16_4_1x1_intrawave_v1"
CKTILE = (
    "void ck_tile::kentry<1, ck_tile::QuantGemmKernel<ck_tile::GemmTile1DPartitioner<ck_tile::TileGemmShape<"
    "ck_tile::sequence<16, 128, 256>, ck_tile::sequence<1, 4, 1>, ck_tile::sequence<16, 16, 128>, false, false> >, "
    "ck_tile::ABQuantGemmPipelineAgBgCrCompV3<int>, int, (ck_tile::QuantType)3>, int>(int)"
)


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_Z3foov", "foo"),
        ("_ZN1a1bIiE1cEv", "a::b<int>::c"),
        ("_ZN2ck1fINS_1SIJLi1ELin2EEEES2_EEvT_", "ck::f<ck::S<1, -2>, ck::S<1, -2>>"),
        ("_Z5freefI1ZIS0_IPKcLin3ELb1EELi4ELb0EEEvT_", "freef<Z<Z<char const*, -3, true>, 4, false>>"),
        ("_Z1fIDU8_DB8_EvT_", "f<unsigned _BitInt(8), _BitInt(8)>"),
        ("_ZSt1fv", "std::f"),
        ("_ZN1aplERKS_", ""),
        ("_ZN1a", ""),
        ("_Z9f", ""),
        ("_Z", ""),
        ("f", ""),
        ("_ZN1aIS9_E1bE", ""),
    ],
)
def test_demangling(symbol: str, name: str) -> None:
    assert demangle(symbol) == name


@pytest.mark.skipif(not shutil.which("c++filt"), reason="no c++filt")
def test_demangling_against_the_system_tool() -> None:
    run = subprocess.run(["c++filt", MANGLED], capture_output=True, text=True, check=True)
    assert demangle(MANGLED).replace(" ", "") in run.stdout.replace(" ", "")


@given(st.data())
def test_any_damage_to_a_symbol_is_no_exception(data: st.DataObject) -> None:
    symbol = data.draw(st.sampled_from([MANGLED, CKTILE, forms.symbol(PLAIN), samples.PLAIN, samples.ASM]))
    at = data.draw(st.integers(0, len(symbol)))
    recognise(symbol[:at] + data.draw(st.text(max_size=6)) + symbol[at + data.draw(st.integers(0, 30)) :])


@pytest.mark.parametrize(
    "symbol", ["_Z1f" + "I" * 100_000, "_ZN" + "1a" * 30_000, "_Z1fI" + "1aIS_S_" * 5000, "_Z1fI" + "P" * 50_000]
)
def test_a_symbol_that_grows_is_given_up(symbol: str) -> None:
    assert demangle(symbol) == "" and recognise(symbol) is None


@pytest.mark.parametrize(
    ("symbol", "libtype", "family", "name"),
    [
        (MANGLED, "ck", Family.PLAIN, ID_8),
        (f"{MANGLED}.kd", "ck", Family.PLAIN, ID_8),
        (forms.symbol(PLAIN), "ck", Family.PLAIN, samples.PLAIN),
        (samples.BPRESHUFFLE, "ck", Family.BPRESHUFFLE, samples.BPRESHUFFLE),
        (samples.CKTILE, "cktile", None, samples.CKTILE),
        (CKTILE, "cktile", None, CKTILE),
        (samples.ASM, "asm", Family.BPRESHUFFLE, samples.ASM),
        ("aiter::fp8gemm_bf16_blockscale_BpreShuffle_32x128", "asm", Family.BPRESHUFFLE, None),
        ("f8_block_scale_mi350_x128", "asm", Family.BPRESHUFFLE, None),
        (samples.OPUS, "opus", Family.BPRESHUFFLE, samples.OPUS),
        ("void opus_gemm_a8w8_bs_bpreshuf_kernel<1>()", "opus", Family.BPRESHUFFLE, None),
        ("_gemm_a8w8_blockscale_kernel", "triton", Family.PLAIN, None),
        ("_gemm_a8w8_blockscale_preshuffle_kernel_BLOCK_128", "triton", Family.BPRESHUFFLE, None),
        ("_w8a8_block_fp8_matmul", "triton", Family.PLAIN, None),
        (samples.PORTER, "flydsl", Family.PLAIN, samples.PORTER),
        ("flydsl_blockscale_something_new", "flydsl", Family.BPRESHUFFLE, None),
    ],
)
def test_the_signature_of_each_library(symbol: str, libtype: str, family: Family | None, name: str | None) -> None:
    match = recognise(symbol)
    assert match and (match.libtype, match.family, match.name) == (libtype, family, name or symbol)
    assert (match.instance is not None) is (libtype.startswith("ck") and symbol != CKTILE)


def test_what_a_cktile_symbol_tells() -> None:
    match = recognise(CKTILE)
    assert match and dict(match.written) == {
        "tile_mnk": "16x128x256",
        "warp_mnk": "1x4x1",
        "warp_tile_mnk": "16x16x128",
    }


@pytest.mark.parametrize(
    "symbol",
    [
        "",
        "Cijk_Ailk_Bljk_HHS_BH_MT128x128",
        "void at::native::vectorized_elementwise_kernel<4>()",
        "_gemm_a16w8_blockscale_kernel",
        "void ck::kernel_gemm_xdl_cshuffle_v3<ck::GridwiseGemm_xdl_cshuffle_v3<int>>()",
        "ck_tile::kentry<ck_tile::QuantGemmKernel<RowColQuant>>",
        "triton_poi_fused_add_0",
        "_ZN5aiter37fp8gemm_bf16_perTokenE",
    ],
)
def test_kernels_of_other_operators(symbol: str) -> None:
    assert recognise(symbol) is None


def test_a_cut_symbol_and_a_grouped_gemm() -> None:
    cut = recognise(forms.symbol(PLAIN)[:200])
    assert cut and cut.instance is None and "the name is cut" in cut.note
    moe = recognise("void ck::kernel_moe_gemm_2lds<ck::GridwiseMoeGemmBlockScale<int>>()")
    assert moe and moe.refusal and moe.refusal.code == "CKP046"
    second = recognise("_gemm_a8w8_blockscale_reduce_kernel")
    assert second and "second pass" in second.note


HEADER = "Kind,Agent_Id,Kernel_Name,Start_Timestamp,End_Timestamp"


def test_a_kernel_trace_table(write: Write) -> None:
    name = forms.symbol(PLAIN)
    rows = (
        f'"KERNEL_DISPATCH","Agent 2","{name}",1000,3500',
        '"KERNEL_DISPATCH","Agent 2","other",1000,1500',
        f'"KERNEL_DISPATCH","Agent 2","{name}",4000,4500',
        '"MEMORY_COPY","Agent 2","copy",0,9999999',
    )
    trace = read_trace(write("\n".join((HEADER, *rows))))
    assert [(kernel.name, kernel.calls, kernel.total_us, kernel.where.line) for kernel in trace.kernels] == [
        (name, 2, 3.0, 2),
        ("other", 1, 0.5, 3),
    ]


@pytest.mark.parametrize(
    ("text", "calls", "total"),
    [
        ('"Name","Calls","TotalDurationNs","AverageNs","Percentage"\n"x",24,10650240,443760.0,88.70\n', 24, 10650.24),
        ('"Index","KernelName","gpu-id","BeginNs","EndNs","DurationNs"\n0,"x",1,5,9,4000\n', 1, 4.0),
        ("KernelName,BeginNs,EndNs\nx,1000,3000\nx,5000,6000\n", 2, 3.0),
    ],
)
def test_tables_of_other_profilers(write: Write, text: str, calls: int, total: float) -> None:
    (kernel,) = read_trace(write(text)).kernels
    assert (kernel.calls, kernel.total_us) == (calls, pytest.approx(total))


@pytest.mark.parametrize("form", ["object", "list", "one line", "bom"])
def test_a_chrome_trace(write: Write, form: str) -> None:
    events = [
        {"ph": "X", "cat": "kernel", "name": samples.PLAIN, "dur": 2.5, "ts": 1, "args": {"grid": [1, 1, 1]}},
        {"ph": "X", "cat": "cpu_op", "name": "aiter::gemm_a8w8_blockscale_ck", "dur": 100, "ts": 1},
        {"ph": "X", "cat": "kernel", "name": samples.PLAIN, "dur": 1, "ts": 5},
        {"ph": "i", "cat": "kernel", "name": "marker"},
        {"ph": "X", "name": "x", "dur": 7, "args": {"KernelName": "x"}},
        *({"ph": "M", "name": "padding" * 10} for _ in range(2000 if form == "one line" else 0)),
        "no event",
    ]
    text = json.dumps(events if form == "list" else {"traceEvents": events}, indent=None if form == "one line" else 1)
    trace = read_trace(write(("\ufeff" if form == "bom" else "") + text, "trace.json"))
    assert [(kernel.name, kernel.calls, kernel.total_us) for kernel in trace.kernels] == [
        ("x", 1, 7.0),
        (samples.PLAIN, 2, 3.5),
    ]


def test_a_damaged_row_or_event_leaves_the_others(write: Write) -> None:
    table = read_trace(write(f"{HEADER}\nKERNEL_DISPATCH,1,x,5,1\nKERNEL_DISPATCH,1,,1,2\nKERNEL_DISPATCH,1,x,1,9\n"))
    assert [(code, where.line) for code, _, where in table.bad] == [("CKP014", 2), ("CKP015", 3)]
    assert [kernel.calls for kernel in table.kernels] == [1]
    events = '[{"cat": "kernel", "name": "x"}, {"cat": "kernel", "name": "x", "dur": 1}]'
    trace = read_trace(write(events, "t.json"))
    assert [code for code, _, _ in trace.bad] == ["CKP014"] and len(trace.kernels) == 1


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("M,N,K\n1,2,3\n", "CKP004", 1),
        ('{\n"traceEvents": [\n}', "CKP020", 3),
        ("[" * 200_000, "CKP020", 1),
        ('{"x": 1}', "CKP026", 1),
        ("[]", "CKP026", 1),
        (f"{HEADER}\n", "CKP026", 1),
        ('[1, "' + "9" * 5000, "CKP020", 1),
        ("[" + "9" * 10_000 + "]", "CKP020", 1),
    ],
)
def test_a_trace_that_cannot_be_used(write: Write, text: str, code: str, line: int) -> None:
    with pytest.raises(InputError) as caught:
        read_trace(write(text))
    assert caught.value.code == code and caught.value.where and caught.value.where.line == line


def test_a_trace_as_an_input(write: Write) -> None:
    names = (forms.symbol(PLAIN), forms.symbol(PLAIN), CKTILE, samples.ASM, "other", "kernel_moe_gemm")
    rows = (f'KERNEL_DISPATCH,1,"{name}",1,2' for name in names)
    result = read_files([write("\n".join((HEADER, *rows)))])
    assert [entry.instance.name for entry in result.instances] == [samples.PLAIN]
    assert sorted(row.code for row in result.unsupported) == ["CKP040", "CKP041", "CKP041", "CKP046"]
