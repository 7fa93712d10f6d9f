# SPDX-License-Identifier: Apache-2.0
"""Instances in C++: a real tokenizer, aliases, constants, layouts with a verdict, and damage with its line."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import ck_forms as forms
import ck_samples as samples
import pytest

from porter.ck_parser import CkInstance, CkTileInstance, ReadResult, XdlInstance, parse_kernel_name, read_files
from porter.ck_parser.cpp_names import Names, NotANumber
from porter.ck_parser.cpp_tokens import split_code, tokens
from porter.ck_parser.instance import Scheduler
from porter.errors import InputError
from porter.problem import Family

Write = Callable[..., str]


def xdl(name: str) -> XdlInstance:
    found = parse_kernel_name(name)
    assert isinstance(found, XdlInstance)
    return found


PLAIN = xdl(samples.PLAIN)
TUPLE = forms.cpp_tuple(PLAIN)


def read(write: Write, text: str, name: str = "x.hpp") -> ReadResult:
    result = read_files([write(text, name)])
    assert result.data_rows == result.read + len(result.unsupported) + result.other + len(result.bad)
    return result


def instances(result: ReadResult) -> list[CkInstance]:
    assert not result.bad, str(result.bad[0])
    return [entry.instance for entry in result.instances]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (", ", ","),
        (", ", "  ,\n    "),
        (", ", " /* , > */ , // , <\n"),
        ("<Row", " < Row"),
        ("<Row", "\n    // clang-format off\n         <Row"),
        ("Row, Col", "ck::tensor_layout::gemm::RowMajor, ck::tensor_layout::gemm::ColumnMajor"),
        ("S<8, 32, 1>", "ck::Sequence<8, 32, 1>"),
        ("S<8, 32, 1>", "Cluster"),
        ("GemmSpec", "GemmDefault"),
        ("128, 128, 64, 256, 128", "kScale, kScale, kTile / 4, kTile, 1 << 7"),
        ("128, 128, 64, 256, 128", "(64 + 64), 2 * 64, 64, kTile, kTile - 128"),
        ("128, 128, 64, 256, 128", "128u, 0x80, 64, 0400, 1'28"),
        ("128, 128, 64, 256, 128", "Scale, index_t{128}, 64, static_cast<index_t>(256), ck::Number<128>{}"),
        ("BlockGemmPipelineScheduler::Intrawave", "Intrawave"),
        ("BlockGemmPipelineScheduler::Intrawave", "ck::BlockGemmPipelineScheduler::Intrawave"),
        ("BlockGemmPipelineVersion::v1", "kPipeline"),
        (", BlockGemmPipelineScheduler::Intrawave, BlockGemmPipelineVersion::v1, F8", ""),
    ],
)
def test_a_tuple_however_it_is_written(write: Write, old: str, new: str) -> None:
    assert old in TUPLE
    constants = (
        "using Cluster = S<8, 32, 1>;\nstatic constexpr auto GemmDefault = GemmSpecialization::Default;\n"
        "constexpr ck::index_t kScale = 128, kNothing = 0;\nstatic constexpr index_t kTile = 2 * kScale2;\n"
        "const int kScale2{128};\n#define Scale 128\nconstexpr auto kPipeline = BlockGemmPipelineVersion::v1;\n"
    ).replace(", kNothing = 0", "")
    text = forms.cpp_source(TUPLE.replace(old, new)).replace("template <GemmSpec", f"{constants}template <GemmSpec")
    assert instances(read(write, text)) == [PLAIN]


@pytest.mark.parametrize(
    "text",
    [
        f"using Op = {TUPLE};",
        f"template struct {TUPLE};",
        f"auto op = {TUPLE}{{}};",
        f"template <typename... Ts> using Dev = ck::device::{TUPLE.split('<')[0]}<Ts...>;\n"
        f"using Op = Dev<{TUPLE.split('<', 1)[1]};",
        "template <index_t B, index_t K1 = 16> using Dev = "
        + TUPLE.replace("256, 1,", "B, 1,").replace("128, 16, 16, 32", "128, K1, K1, 32")
        + ";\nusing Op = Dev<256>;",
        f"#define X(a) {{ \\\n a<1> }}\nusing Op = {TUPLE};",
        f'const char* s = "{TUPLE.split("<")[0]}<"; const char c = \'"\'; using Op = {TUPLE};',
        f'auto s = R"x({TUPLE})y" )x"; using Op = {TUPLE};',
        f"#if 1\nusing Op = {TUPLE};\n#else\nbroken <<<\n#endif",
        f"#ifdef X\nusing Op = {TUPLE};\n#endif",
    ],
)
def test_where_an_instance_may_stand(write: Write, text: str) -> None:
    assert instances(read(write, forms.PROLOGUE + text)) == [PLAIN]


def test_the_nearest_declaration_before_a_use_counts(write: Write) -> None:
    small = TUPLE.replace("64, 256, 128", "64, N, 128")
    first, second, third = (f"constexpr int N = {value};\n" for value in (128, 256, 5))
    text = f"{first}constexpr int M = 7;\n{second}using A = {small};\n{third}"
    assert instances(read(write, forms.PROLOGUE + text)) == [PLAIN]


@pytest.mark.parametrize(
    ("layouts", "named"), [("Row, Row", "mk_kn"), ("Col, Row", "km_kn"), ("Col, Col", "km_nk"), ("Row, Col", "mk_nk")]
)
def test_layouts_have_a_verdict(write: Write, layouts: str, named: str) -> None:
    result = read(write, forms.cpp_source(forms.cpp_tuple(PLAIN, layouts)))
    (row,) = result.unsupported
    if named == "mk_nk":
        assert row.code == "CKP041"
    else:
        assert row.code == "CKP045" and row.reason.startswith(f"layouts {named}: only row-major A")
    assert dict(result.instances[0].written)["BLayout"] == {"Row": "RowMajor", "Col": "ColumnMajor"}[layouts[-3:]]


@pytest.mark.parametrize(
    ("old", "new", "code", "says"),
    [
        ("Row, Col, Tuple<>, Row", "Row, Col, Tuple<>, Col", "CKP045", "output layout is ColumnMajor"),
        ("Row, Col, Tuple<>, Row", "Row, Col, Tuple<Row>, Row", "CKP045", "D tensors of layout Tuple<Row>"),
        ("F8, F32, F8, F32", "F8, e8m0_bexp_t, F8, F32", "CKP044", "scales of A are e8m0_bexp_t"),
        ("F8, F32, F8, F32", "F8, F32, BF16, F32", "CKP044", "B is bhalf_t, not fp8"),
    ],
)
def test_types_that_cannot_be_ported(write: Write, old: str, new: str, code: str, says: str) -> None:
    (row,) = read(write, forms.cpp_source(TUPLE.replace(old, new))).unsupported
    assert row.code == code and says in row.reason


def test_both_families_and_both_helpers(write: Write) -> None:
    bpreshuffle = xdl(samples.BPRESHUFFLE)
    text = (
        forms.cpp_source(TUPLE, forms.cpp_tuple(bpreshuffle)) + forms.cpp_helper(PLAIN) + forms.cpp_helper(bpreshuffle)
    )
    found = instances(read(write, text))
    assert found == [PLAIN, bpreshuffle] * 2
    assert [item.family for item in found] == [Family.PLAIN, Family.BPRESHUFFLE] * 2


def test_the_generated_file_of_a_cktile_kernel(write: Write) -> None:
    (entry,) = read(write, forms.cpp_helper(_tile(samples.CKTILE_EIGHT_WAVES)), "generated.cuh").instances
    assert entry.instance.name == samples.CKTILE_EIGHT_WAVES and entry.list_name == "DeviceGemmInstance"


def _tile(name: str) -> CkTileInstance:
    found = parse_kernel_name(name)
    assert isinstance(found, CkTileInstance)
    return found


def test_an_open_scheduler_is_the_default_and_said_so(write: Write) -> None:
    opened = forms.cpp_source(forms.cpp_tuple(PLAIN, scheduler="Sched")).replace(
        "template <GemmSpec", "template <BlockGemmPipelineScheduler Sched, GemmSpec"
    )
    (entry,) = read(write, opened).instances
    assert entry.instance == PLAIN and PLAIN.pipeline_sched is Scheduler.INTRAWAVE
    assert entry.notes == ("the scheduler is the template parameter Sched: CK's default Intrawave is assumed",)


def test_a_definition_is_no_instance(write: Write) -> None:
    helper = (
        "template <index_t BlockSize, typename ACluster, typename CDataType>\nusing Helper = "
        + TUPLE.replace("256, 1,", "BlockSize, 1,").replace("S<8, 32, 1>", "ACluster", 1)
        + ";"
    )
    result = read(write, forms.PROLOGUE + helper)
    assert (result.data_rows, result.instances) == (0, ())


@pytest.mark.parametrize(
    "text",
    [f"// {TUPLE},", f"/* {TUPLE} */", f"#if 0\nusing Op = {TUPLE};\n#endif", f"#if 1\n#else\nX<{TUPLE}>\n#endif"],
)
def test_an_instance_that_is_not_built_is_listed_as_such(write: Write, text: str) -> None:
    result = read(write, f"{forms.PROLOGUE}using Op = {TUPLE};\n{text}\n")
    assert [entry.refusal is None for entry in result.instances] == [True, False]
    assert [row.code for row in result.unsupported] == ["CKP041", "CKP048"]
    assert "commented out" in result.unsupported[1].reason


def test_prose_about_a_template_is_nothing(write: Write) -> None:
    name = TUPLE.split("<")[0]
    text = f"{forms.PROLOGUE}// {name}<...> needs {name}<Row, Col>; see {name} < 3\nusing Op = {TUPLE};"
    assert instances(read(write, text)) == [PLAIN]


@pytest.mark.parametrize(
    ("damaged", "code", "says"),
    [
        (TUPLE.replace(", F8>", ", F8"), "CKP022", "the list does not end before ;"),
        (TUPLE.replace("S<8, 32, 1>", "S<8, 32, 1)", 1), "CKP022", ") where > was expected"),
        (TUPLE.replace("Row, Col, ", "Row, "), "CKP024", "NXdlPerWave: 'S<8,32,1>': S is not a constant"),
        (TUPLE.split(", S<")[0] + ">", "CKP023", "29 arguments where DeviceGemmMultiD_ABScale_Xdl_CShuffle_V3 has"),
        (TUPLE.replace("F8>", ", ".join(["F8"] * 9) + ">"), "CKP023", "arguments where"),
        (TUPLE.replace("256, 1,", "kThreads, 1,"), "CKP024", "kThreads is not a constant of this file"),
        (TUPLE.replace("256, 1,", "4 / 0, 1,"), "CKP024", "division by zero"),
        (TUPLE.replace("256, 1,", "kLoop, 1,"), "CKP024", "kLoop is defined by itself"),
        (TUPLE.replace("256, 1,", f"{'-' * 120}1, 1,"), "CKP024", "nested too deeply"),
        (TUPLE.replace("256, 1,", f"{'(' * 90}1{')' * 90}, 1,"), "CKP022", "nested too deeply"),
        (TUPLE.replace("256, 1,", "99999999999999999999, 1,"), "CKP013", "BLOCK_SIZE"),
        (TUPLE.replace("256, 1,", "1 << 99, 1,"), "CKP024", "too large"),
        (TUPLE.replace("S<8, 32, 1>", "Cluster", 1), "CKP024", "not a sequence of numbers"),
        (TUPLE.replace("S<8, 32, 1>", "S<8, 32>", 1), "CKP014", "ABLOCK_TRANSFER: '8x32'"),
        (TUPLE.replace("Intrawave", "Sideways"), "CKP024", "not one of Intrawave, Interwave"),
        (TUPLE.replace("S<8, 32, 1>", "S<8, 16, 1>", 1), "CKP033", "does not use 256 threads"),
    ],
)
def test_a_damaged_tuple_leaves_the_others(write: Write, damaged: str, code: str, says: str) -> None:
    constants = f"{forms.PROLOGUE}constexpr int kLoop = kLoop + 1;\n"
    result = read(write, f"{constants}using A = {TUPLE};\nusing B = {damaged};\nusing C = {TUPLE};")
    assert [entry.list_name for entry in result.instances] == ["A", "C"]
    (bad,) = result.bad
    assert bad.code == code and says in bad.message, str(bad)
    assert Path(bad.where.path).read_text().splitlines()[bad.where.line - 1].startswith("using B")


def test_a_list_that_never_ends(write: Write) -> None:
    result = read(write, f"{forms.PROLOGUE}using A = {TUPLE};\nusing B = {TUPLE[:-1]}")
    assert len(result.instances) == 1
    assert [(bad.code, bad.message.endswith("the list does not end")) for bad in result.bad] == [("CKP022", True)]


def test_the_place_of_an_instance(write: Write) -> None:
    (entry,) = read(write, forms.cpp_source(TUPLE, alias="some_instances")).instances
    line = Path(entry.where.path).read_text().splitlines()[entry.where.line - 1]
    assert line[entry.where.column - 1 : entry.where.end_column - 1] == TUPLE
    assert entry.list_name == "some_instances"


@pytest.mark.parametrize("name", ["x.hpp", "x.cuh", "x.inc"])
def test_a_file_without_instances(write: Write, name: str) -> None:
    with pytest.raises(InputError) as caught:
        read_files([write("int main() { return 0; }\n", name)])
    assert caught.value.code == "CKP004" and "no block-scale instance" in caught.value.message


def test_text_of_another_suffix_is_recognised_by_content(write: Write) -> None:
    assert instances(read(write, forms.cpp_source(TUPLE), "tuples.txt")) == [PLAIN]


def test_code_and_comments_keep_every_offset() -> None:
    text = 'a /* b\n */ "c // d" e // f\n#if 0\ng\n#else\nh\n#endif\n\'"\' i R"(j "k" )" l 1\'000'
    code, aside = split_code(text)
    assert len(code) == len(aside) == len(text)
    assert code.split() == ["a", "e", "#if", "0", "#else", "h", "#endif", "i", "l", "1'000"]
    assert aside.split() == ["b", "f", "g"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3", 7),
        ("(1 + 2) * 3 - -4 % 3", 10),
        ("7 / 2 << 1", 6),
        ("A", 5),
        ("ns::A * 2", 10),
        ("(ck::index_t)64", 64),
        ("true + false", 1),
        ("std::integral_constant<16>::value", 16),
    ],
)
def test_constant_expressions(text: str, value: int) -> None:
    names = Names("constexpr int A = B + 1; static const auto B = 4;")
    assert names.number(tuple(tokens(text)), 10**6) == value


@pytest.mark.parametrize("text", ["", "1 +", "(1", "1 2", "f<1", "*", "sizeof(int)", "1 ? 2 : 3", "'a'"])
def test_what_is_no_constant_expression(text: str) -> None:
    with pytest.raises(NotANumber):
        Names("").number(tuple(tokens(text)), 0)


def test_constants_that_double_take_no_time() -> None:
    text = "constexpr int a0 = 1;" + "".join(f"constexpr int a{i} = a{i - 1} + a{i - 1};" for i in range(1, 30))
    assert Names(text).number(tuple(tokens("a29")), len(text)) == 2**29
