# SPDX-License-Identifier: Apache-2.0
"""Instance lists in Python: aiter's forms are read as data, any other is refused where it stands; nothing is run."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from pathlib import Path

import ck_forms as forms
import ck_samples as samples
import pytest
from ck_samples import TUNED_HEADER, tuned

from porter.ck_parser import (
    CkInstance,
    CkTileInstance,
    InstanceEntry,
    ReadResult,
    XdlInstance,
    parse_kernel_name,
    read_files,
)
from porter.errors import InputError
from porter.problem import Family

Write = Callable[..., str]

NAME = "a8w8_blockscale_instance.py"


def instance(name: str) -> CkInstance:
    found = parse_kernel_name(name)
    assert isinstance(found, (XdlInstance, CkTileInstance))
    return found


PLAIN = instance(samples.PLAIN)
TILE = instance(samples.CKTILE)
PLAIN_CLASS = forms.XDL_CLASS.replace("PREFIX", "a8w8_blockscale")
CALL = forms.python_call(PLAIN)
TILE_CALL = forms.python_call(TILE)
TILE_CALLS = ",\n".join(f"{index}: {TILE_CALL}" for index in range(2000))


def read(write: Write, body: str, classes: str = PLAIN_CLASS, name: str = NAME) -> ReadResult:
    result = read_files([write(f"from dataclasses import dataclass\n{classes}\n{body}\n", name)])
    assert result.data_rows == result.read + len(result.unsupported) + result.other + len(result.bad)
    return result


def ids(result: ReadResult) -> list[tuple[int | None, CkInstance]]:
    return [(entry.kernel_id, entry.instance) for entry in result.instances]


@pytest.mark.parametrize(
    "body",
    [
        f"kernels = {{0: {CALL}, (-1): {CALL}}}",
        f"kernels: dict[int, kernelInstance] = {{0: {CALL}, -1: {CALL}}}",
        f"a = {{0: {CALL}, -1: {CALL}}}\nkernels = a",
        f"a = {{0: {CALL}, -1: {CALL}}}\nkernels = dict(a)",
        f"a = {{0: {CALL}, -1: {CALL}}}\nif get_gfx() == 'gfx950':\n    pass\nelse:\n    size = len(a)",
        f"a = {{0: {CALL}, -1: {CALL}}}\nby_name = {{v.name: v for v in list(a.values()) + [x for x in a]}}",
    ],
)
def test_a_list_in_a_form_of_aiter(write: Write, body: str) -> None:
    assert sorted(ids(read(write, body)), key=str) == sorted([(0, PLAIN), (-1, PLAIN)], key=str)


def test_parameters_by_name(write: Write) -> None:
    call = CALL.replace("'Intrawave', 1,", "PIPELINE_VERSION=1, PIPELINE_Sched='Intrawave'")
    assert ids(read(write, f"kernels = {{0: {call}}}")) == [(0, PLAIN)]


NOT_READ = "what this does with kernels is not read"
OUTSIDE = "kernelInstance() outside a dict of instances"


@pytest.mark.parametrize(
    ("rest", "says"),
    [
        (f"kernels[-1] = {CALL}", OUTSIDE),
        ("kernels[-1] = kernels[0]", NOT_READ),
        ("kernels[0].BLOCK_SIZE = 1", NOT_READ),
        ("del kernels[0]", NOT_READ),
        ("kernels |= more", NOT_READ),
        ("kernels = {**kernels, **more}", NOT_READ),
        ("kernels.update(more)", NOT_READ),
        ("for k in kernels.values(): k.BLOCK_SIZE = 1", NOT_READ),
        ("with open('x'): kernels.clear()", NOT_READ),
        ("if unknown(): other = kernels", NOT_READ),
        ("if get_gfx() in ('gfx950',): other = kernels", NOT_READ),
        ("try: other = kernels\nexcept E: pass", NOT_READ),
        (f"pairs = dict([(0, {CALL})])", OUTSIDE),
        (f"more = {{i: {CALL} for i in range(2)}}", OUTSIDE),
        (f"more = [{CALL}]", OUTSIDE),
        (f"single = {CALL}", OUTSIDE),
        (f"if unknown(): more = {{0: {CALL}}}", OUTSIDE),
        (f"try: more = {{0: {CALL}}}\nexcept E: pass", OUTSIDE),
        (f"if get_gfx() == 'gfx900': more = {{0: {CALL}}}", OUTSIDE),
        (f"more = {{1: {CALL}}} | kernels", OUTSIDE),
        (f"more = {{'a': {CALL}}}", "a key that is not a whole number"),
        (f"more = {{ID: {CALL}}}", "'ID' is not a literal"),
        (f"more = {{-1: {CALL}, 1: copy(kernels[0])}}", "an entry that is not an instance"),
        (f"more = {{-1: {CALL}, **kernels}}", "'kernels' is not a literal"),
        ("more = expand_blockpercu(kernels)", "of anything but one list of instances with BlockPerCu"),
        (f"tiles = {{1: {TILE_CALL}}}\nmore = expand_blockpercu(tiles)", "without BLOCK_PER_CU_MAX from 1 to 64"),
        (f"BLOCK_PER_CU_MAX = 4\ntiles = {{1: {TILE_CALL}}}\nmore = expand_blockpercu(tiles, 2)", "but one list"),
    ],
)
def test_any_other_form_is_refused_where_it_stands(write: Write, rest: str, says: str) -> None:
    classes = PLAIN_CLASS + forms.TILE_CLASS
    result = read(write, f"kernels = {{0: {CALL}}}\n{rest}", classes)
    assert ids(result)[0] == (0, PLAIN) and [key for key, _ in ids(result)[1:]] in ([], [-1], [1])
    (bad,) = result.bad
    assert bad.code == "CKP021" and says in bad.message and "dict" in bad.hint
    line = Path(bad.where.path).read_text().splitlines()[bad.where.line - 1]
    assert line in rest and bad.where.column


@pytest.mark.parametrize(
    ("call", "code", "says"),
    [
        (CALL.replace("256", "BLOCK", 1), "CKP021", "'BLOCK' is not a literal"),
        (CALL.replace("256", "open('x')", 1), "CKP021", "is not a literal"),
        (CALL.replace("256", "__import__('os').system('true')", 1), "CKP021", "is not a literal"),
        (CALL.replace("256", "(lambda: 256)()", 1), "CKP021", "is not a literal"),
        (CALL.replace("256", "9" * 90, 1), "CKP021", "too large"),
        (CALL.replace("256", "9 ** 9 ** 9", 1), "CKP021", "'9 ** 9 ** 9' is not a literal"),
        *(
            (CALL.replace(given, written, 1), "CKP021", "is not a literal")
            for given, written in (
                ("256, 1, 128, 128, 64, 256", "BLOCK, 1, 128, K, 64, BLOCK"),
                ("256, 1, 128, 128, 64, 256", "*SCALES, 64, 256"),
                ("256", "2 ** 8"),
                ("256", "max(BLOCK, 64)"),
                ("256", "(1).real"),
                ("[8, 32, 1]", "[8] + [32, 1]"),
                ("[8, 32, 1]", "[n for n in CLUSTER if n > 0]"),
                ("[8, 32, 1]", "CLUSTER[:3]"),
                ("'Intrawave'", "f'{PREFIX}wave'"),
                ("'Intrawave'", "'Intra' + 'wave'"),
                ("'Intrawave'", "Sched.INTRA"),
                ("'Intrawave'", "'INTRAWAVE'.lower()"),
                ("'Intrawave'", "'Intrawave' if BLOCK == 256 else 'Interwave'"),
            )
        ),
        (CALL.replace("'Intrawave', 1,", "**{'PIPELINE_Sched': 'Intrawave'}"), "CKP021", "has no parameter **"),
        (CALL.replace("256, ", "", 1), "CKP021", "PIPELINE_VERSION is missing"),
        (CALL.replace(",)", ", 7, 8)"), "CKP021", "23 values where kernelInstance has 21 parameters"),
        (CALL.replace(",)", ", PADDING=1)"), "CKP021", "kernelInstance has no parameter PADDING"),
        (CALL.replace(",)", ", BLOCK_SIZE=1)"), "CKP021", "BLOCK_SIZE is given twice"),
        (CALL.replace("[8]", "[[[8]]]"), "CKP021", "'[[[8]]]' is not a plain value"),
        (CALL.replace("256", "'many'", 1), "CKP013", "BLOCK_SIZE: 'many' where a whole number"),
        (CALL.replace("256", "-256", 1), "CKP013", "BLOCK_SIZE"),
        (CALL.replace("[8, 32, 1]", "[8, 32]", 1), "CKP014", "ABLOCK_TRANSFER: '8x32'"),
        (CALL.replace("'Intrawave'", "'Sideways'", 1), "CKP014", "PIPELINE_Sched"),
        (CALL.replace("[8, 32, 1]", "[8, 16, 1]", 1), "CKP033", "does not use 256 threads"),
    ],
)
def test_a_damaged_entry_leaves_the_others(write: Write, call: str, code: str, says: str) -> None:
    result = read(write, f"kernels = {{\n    0: {CALL},\n    1: {call},\n    2: {CALL},\n}}")
    assert [entry.kernel_id for entry in result.instances] == [0, 2]
    (bad,) = result.bad
    assert bad.code == code and says in bad.message
    assert Path(bad.where.path).read_text().splitlines()[bad.where.line - 1].startswith("    1: ")


def test_the_place_of_a_parameter(write: Write) -> None:
    (bad,) = read(write, f"kernels = {{0: {CALL.replace('[8, 32, 1]', '[8, 32]', 1)}}}").bad
    line = Path(bad.where.path).read_text().splitlines()[bad.where.line - 1]
    assert line[bad.where.column - 1 : bad.where.end_column - 1] == "[8, 32]"


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("kernels = {0: kernelInstance(}", "CKP020", 1),
        ("x = 1\n  y = kernelInstance()", "CKP020", 2),
        ("x = 'kernelInstance(", "CKP020", 1),
        ("(" * 5000 + "kernelInstance()", "CKP020", 1),
        ("x = 1\ny = " + "-" * 100_000 + "1  # kernelInstance(", "CKP020", 1),
        ("x = 1\n\0kernelInstance()", "CKP020", 1),
        ("x = 1", "CKP004", 1),
        ("x = 1\n" * 400_000, "CKP019", 1),
        # How deep Python reads differs between its versions; what it reads is refused then.
        ("x = {0: kernelInstance(" + "-" * 5000 + "1)}", "CKP02[01]", 1),
        (f"x = {{{TILE_CALLS}}}\n" + "x = x\n" * 100, "CKP021", 1),
    ],
)
def test_a_file_that_cannot_be_used(write: Write, text: str, code: str, line: int) -> None:
    with pytest.raises(InputError) as caught:
        read_files([write(text, NAME)])
    assert re.fullmatch(code, caught.value.code)
    assert caught.value.where and caught.value.where.line == line


def test_bytes_that_are_not_utf8_in_a_comment_are_no_damage(write: Write) -> None:
    source = forms.python_source({0: PLAIN}).encode() + b"# \xff\n"
    assert ids(read_files([write(source, NAME)])) == [(0, PLAIN)]


def test_the_family_comes_from_the_names_that_the_class_makes(write: Write) -> None:
    for prefix, family in (("a8w8_blockscale", Family.PLAIN), ("a8w8_blockscale_bpreshuffle", Family.BPRESHUFFLE)):
        (entry,) = read(write, f"k = {{0: {CALL}}}", forms.XDL_CLASS.replace("PREFIX", prefix), "x.py").instances
        assert entry.instance.family is family


@pytest.mark.parametrize(
    ("name", "list_name", "family"),
    [
        ("gemm_a8w8_blockscale_tune.py", "kernels", Family.PLAIN),
        ("gemm_a8w8_blockscale_tune.py", "kernels_bpreshuffle", Family.BPRESHUFFLE),
        ("gemm_a8w8_blockscale_bpreshuffle_x.py", "kernels", Family.BPRESHUFFLE),
    ],
)
def test_an_imported_class_has_the_parameters_of_today(write: Write, name: str, list_name: str, family: Family) -> None:
    (entry,) = read(write, f"from common import kernelInstance\n{list_name} = {{0: {CALL}}}", "", name).instances
    assert (entry.instance.name, entry.instance.family) == (
        samples.PLAIN if family is Family.PLAIN else entry.instance.name,
        family,
    )


def test_an_imported_class_in_a_file_that_tells_nothing(write: Write) -> None:
    result = read(write, f"k = {{0: {CALL}}}\nt = {{0: {TILE_CALL}}}", "", "lists.py")
    assert [row.code for row in result.unsupported] == ["CKP042", "CKP042"] and not result.instances


def test_gathering_lists_lists_nothing_twice(write: Write) -> None:
    body = f"a = {{0: {CALL}}}\nb = {{0: {CALL}}}\nall_of_them = list(a.values()) + list(b.values())\nd = {{'a': a}}"
    result = read(write, body)
    assert [(entry.kernel_id, entry.list_name) for entry in result.instances] == [(0, "a"), (0, "b")]


def test_an_id_that_is_written_twice_is_the_later_entry(write: Write) -> None:
    result = read(write, f"kernels = {{\n    4: {CALL},\n    4: {CALL},\n}}")
    assert [(entry.kernel_id, entry.where.line) for entry in result.instances] == [(4, result.instances[0].where.line)]
    assert Path(result.files[0].path).read_text().splitlines()[result.instances[0].where.line] == "}"


TILE_SOURCE = """import os, sys
sys.path.insert(0, os.path.abspath(f"{os.path.dirname(__file__)}/../"))
from copy import copy
from dataclasses import dataclass
from chip_info import get_gfx
CLASS
BLOCK_PER_CU_MAX = 4


def expand_blockpercu(base_dict, max_bpc=BLOCK_PER_CU_MAX, field_name="BlockPerCu"):
    return dict(base_dict)


kernels_list_942 = {
LIST942
}
kernels_list_95x = {
LIST950
}
default_kernels_cktile_dict = {
    -1: DEFAULT,
}
arch = get_gfx()
if arch.startswith("gfx95"):
    candidate_kernels_cktile_dict = expand_blockpercu(kernels_list_95x)
else:
    candidate_kernels_cktile_dict = expand_blockpercu(kernels_list_942)
_all = list(expand_blockpercu(kernels_list_942).values()) + list(expand_blockpercu(kernels_list_95x).values())
candidate_kernels_by_name = {v.name: v for v in _all}
"""


def tile_source(chip_lists: dict[str, list[CkInstance]]) -> str:
    listed = {
        chip: "\n".join(f"    {index}: {forms.python_call(item)}," for index, item in enumerate(items))
        for chip, items in chip_lists.items()
    }
    return (
        TILE_SOURCE.replace("CLASS", forms.TILE_CLASS)
        .replace("LIST942", listed["gfx942"])
        .replace("LIST950", listed["gfx950"])
        .replace("DEFAULT", TILE_CALL)
    )


def test_cktile_lists_expand_and_depend_on_the_chip(write: Write) -> None:
    other = instance(samples.CKTILE_EIGHT_WAVES)
    source = tile_source({"gfx942": [TILE], "gfx950": [other, TILE]})
    result = read_files([write(source, "gemm_a8w8_blockscale_cktile_instance.py")])
    assert not result.bad
    by_arch: dict[str, list[tuple[int | None, int]]] = {}
    for entry in result.instances:
        assert isinstance(entry.instance, CkTileInstance)
        by_arch.setdefault(entry.arch, []).append((entry.kernel_id, entry.instance.block_per_cu))
    assert {arch: sorted(found, key=str) for arch, found in by_arch.items()} == {
        "": [(-1, 2)],
        "gfx942": [(0, 2), (1, 1), (2, 3), (3, 4)],
        "gfx950": [(0, 3), (1, 2), (2, 1), (3, 2), (4, 4), (5, 1), (6, 3), (7, 4)],
    }


def test_the_expansion_gives_aiters_own_tables(write: Write, real_data: Path) -> None:
    tables = {
        chip: read_files([real_data / "instances" / f"cktile_{chip}.csv"]).instances for chip in ("gfx942", "gfx950")
    }
    # aiter writes 2 and 13 of them down and makes the rest.
    written = {
        chip: [entry.instance for entry in tables[chip]][:count] for chip, count in (("gfx942", 2), ("gfx950", 13))
    }
    result = read_files([write(tile_source(written), "gemm_a8w8_blockscale_cktile_instance.py")])
    for chip, table in tables.items():
        found = {entry.kernel_id: entry.instance for entry in result.instances if entry.arch == chip}
        assert found == {entry.kernel_id: entry.instance for entry in table}
    assert len(result.instances) == 41 + 1


def test_ids_of_tuned_rows_are_held_against_sources(write: Write, real_data: Path) -> None:
    tables = {
        chip: read_files([real_data / "instances" / f"cktile_{chip}.csv"]).instances for chip in ("gfx942", "gfx950")
    }
    written = {
        chip: [entry.instance for entry in tables[chip]][:count] for chip, count in (("gfx942", 2), ("gfx950", 13))
    }
    source = write(tile_source(written), "gemm_a8w8_blockscale_cktile_instance.py")
    tuned_files = sorted((real_data / "aiter").glob("*.csv"))
    result = read_files(tuned_files, instance_lists=[source])
    assert len(result.disagreements) == 118
    for found in result.disagreements:
        assert found.row.where.line > 1 and found.listed_at.path == source and found.listed_at.line > 1
        assert found.listed_name and found.row.kernel_name != found.listed_name


def test_an_id_against_a_source(write: Write) -> None:
    source = write(forms.python_source({0: PLAIN}), NAME)
    rows = write("\n".join((TUNED_HEADER, tuned(kernel_id=0), tuned(m=2, kernel_id=5))))
    (found,) = read_files([rows, source]).disagreements
    assert found.message.startswith(
        f"kernelId 5 is no kernel in {source}:1, but kernelName is {samples.PLAIN} (0 there)"
    )


def test_generations_that_porter_does_not_know(write: Write) -> None:
    padded = forms.TILE_CLASS.replace("    Scheduler: str\n", "    kPadM: bool\n    Scheduler: str\n")
    older = forms.TILE_CLASS.replace("    TiledMMAPermuteN: bool\n", "")
    for classes, says in ((padded, "has kPadM"), (older, "has no TiledMMAPermuteN")):
        arguments = "(16, 128, 256, 1, 4, 1, 16, 16, 128, " + ("True, " if "kPadM" in classes else "")
        flags = "'Intrawave', False, True, False, 2)" if "kPadM" in classes else "'Intrawave', True, False, 2)"
        (refused,) = read(write, f"k = {{0: TileKernelInstance{arguments}{flags}}}", classes).unsupported
        assert refused.code == "CKP047" and says in refused.reason


@pytest.mark.parametrize("value", [False, True])
def test_shuffled_scales_of_2025(write: Write, value: bool) -> None:
    classes = forms.TILE_CLASS.replace(
        "    UsePersistentKernel: bool\n", "    UsePersistentKernel: bool\n    PreshuffleQuantB: bool\n"
    ).replace("    AQRowMajor: bool = False\n", "")
    call = f"TileKernelInstance(16, 128, 256, 1, 4, 1, 16, 16, 128, 'Intrawave', False, True, False, {value}, 2)"
    result = read(write, f"k = {{0: {call}}}", classes)
    (entry,) = result.instances
    assert entry.instance.name == samples.CKTILE.replace("0x1x0", f"0x1x{int(value)}x0")
    assert result.unsupported[0].code == ("CKP047" if value else "CKP041")


MOE_CLASS = """
@dataclass
class kernelInstanceGEMM1:
    BLOCK_SIZE: int
    MPerBlock: int
    MWaves: int
    stage: int = 1

    @property
    def name(self):
        return f"moe_ck2stages_gemm{self.stage}"
"""


def test_lists_of_other_operators_are_refused_by_name(write: Write) -> None:
    row_wise = forms.XDL_CLASS.replace("PREFIX", "a8w8_rowwise")
    flat = forms.XDL_CLASS.replace("PREFIX", "a8w8_blockscale").replace("    ScaleBlockM: int\n", "")
    for classes, body, says in (
        (MOE_CLASS, "moe = {0: kernelInstanceGEMM1(256, 16, 1), 1: kernelInstanceGEMM1(256, 32, 1)}", "list moe: "),
        (MOE_CLASS, "a = {0: kernelInstanceGEMM1(1, 1, 1)}\nd = {'a8w8blkscale': a}", "list a: kernelInstanceGEMM1"),
        (row_wise, f"rows = {{0: {CALL}}}", "list rows: its kernels are named a8w8_rowwise..., not a8w8_blockscale"),
        (flat, f"flat = {{0: {CALL.replace(', 1,', ',', 1)}}}", "list flat: kernelInstance has no ScaleBlockM"),
    ):
        result = read(write, body, classes)
        assert [(row.code, row.reason.startswith(says)) for row in result.unsupported] == [("CKP046", True)], body
        assert (result.instances, result.bad) == ((), ())


def test_nothing_of_a_file_is_imported_or_run(write: Write, tmp_path: Path) -> None:
    trap = tmp_path / "trapped"
    poison = f"open({str(trap)!r}, 'w').close()"
    source = (
        f"import os\n{poison}\nos.system('touch {trap}')\nraise SystemExit(3)\n"
        f"class Evil:\n    {poison}\n    def __init_subclass__(cls): {poison}\n"
        f"def _run(f): {poison}; return f\n@_run\ndef later(): {poison}\n"
        f'x = [{poison} for _ in range(3)]\ny = f"{{{poison}}}"\nz = eval({poison!r})\n'
        f"{PLAIN_CLASS.replace('@dataclass', f'@(lambda c: ({poison}, c)[1])')}\n"
        f"kernels = {{0: {CALL}, 1: {CALL.replace('256', f'({poison}, 256)[1]', 1)}, **later()}}\n"
        f"while True: {poison}\n"
    )
    path = write(source, "a8w8_blockscale_poisoned.py")
    modules = set(sys.modules)
    result = read_files([path])
    folder = read_files([tmp_path])
    assert not trap.exists() and not any("poisoned" in name for name in set(sys.modules) - modules)
    assert folder.instances == result.instances
    assert [entry.instance for entry in result.instances] == [PLAIN]


def test_the_entry_says_where_it_stands(write: Write) -> None:
    entry: InstanceEntry = read(write, f"kernels = {{0: {CALL}}}").instances[0]
    line = Path(entry.where.path).read_text().splitlines()[entry.where.line - 1]
    assert line[entry.where.column - 1 : entry.where.end_column - 1] == CALL
    assert entry.list_name == "kernels"
