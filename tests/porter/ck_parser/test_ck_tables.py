# SPDX-License-Identifier: Apache-2.0
"""Tables that are good but odd: each oddity of real files once, and every rule about rows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import ck_samples as samples
import pytest
from ck_samples import TUNED_HEADER, tuned

from porter.ck_parser import OpaqueKernel, Origin, ReadResult, XdlInstance, read_files
from porter.ck_parser.readers import readers
from porter.errors import InputError
from porter.problem import Family, GemmShape

Write = Callable[..., str]

XDL_HEADER = (
    "kernelId,kernelName,BLOCK_SIZE,ScaleBlockM,ScaleBlockN,ScaleBlockK,MPerBLOCK,NPerBLOCK,KPerBLOCK,AK1,BK1,MPerXDL,"
    "NPerXDL,WAVE_MAP_M,WAVE_MAP_N,ABLOCK_TRANSFER,BBLOCK_TRANSFER,CSHUFFLE_MX_PER_WAVE_PERSHUFFLE,"
    "CSHUFFLE_NX_PER_WAVE_PERSHUFFLE,CBLOCK_TRANSFER,CBLOCK_SPV,PIPELINE_Sched,PIPELINE_VERSION"
)
TILE_HEADER = (
    "kernelId,kernelName,M_Tile,N_Tile,K_Tile,M_Warp,N_Warp,K_Warp,M_Warp_Tile,N_Warp_Tile,K_Warp_Tile,Scheduler,"
    "TiledMMAPermuteN,TransposeC,UsePersistentKernel,BlockPerCu,AQRowMajor"
)


def xdl_row(kernel_id: object, name: str = samples.PLAIN, n: int = 256, wave_map: str = "2,2") -> str:
    parameters = f"256,1,128,128,64,{n},128,16,16,32,32,{wave_map},8x32x1,8x32x1,1,1,1x32x1x8,8,Intrawave,1"
    return f"{kernel_id},{name},{parameters}"


def tile_row(kernel_id: int, per_cu: int) -> str:
    name = f"a8w8_blockscale_cktile_16x128x256_1x4x1_16x16x128_intrawave_0x1x0_{per_cu}"
    return f"{kernel_id},{name},16,128,256,1,4,1,16,16,128,Intrawave,False,True,False,{per_cu},False"


def read_rows(
    write: Write, *rows: str, header: str = TUNED_HEADER, name: str = "t.csv", **options: object
) -> ReadResult:
    result = read_files([write("\n".join((header, *rows)), name)], **options)  # type: ignore[arg-type]
    assert (
        result.read + len(result.unsupported) + result.other + len(result.bad)
        == result.data_rows
        == len([r for r in rows if r.strip()])
    )
    return result


def test_a_tuned_row(write: Write) -> None:
    (row,) = read_rows(write, tuned(kernel_id=14, us=4.5, err=0.05)).rows
    assert row.shape == GemmShape(64, 7168, 2304)
    assert (row.family, row.gfx, row.cu_num, row.libtype) == (Family.PLAIN, "gfx950", 256, "ck")
    assert (row.kernel_id, row.split_k, row.kbatch, row.us, row.err_ratio) == (14, 0, 1, 4.5, 0.05)
    assert isinstance(row.instance, XdlInstance) and row.kernel_name == samples.PLAIN
    assert row.notes == ()


def test_every_value_has_its_span(write: Write) -> None:
    path = write(f'{TUNED_HEADER}\n\ngfx950, 256 ,"64",7168,2304,ck,0,0,5.0,{samples.PLAIN},0,0,0\n')
    (row,) = read_files([path]).rows
    line = Path(path).read_text().splitlines()[2]
    spans = {column: row.span(column) for column in TUNED_HEADER.split(",")}
    assert {column: line[span.column - 1 : span.end_column - 1] for column, span in spans.items()} == {
        "gfx": "gfx950",
        "cu_num": "256",
        "M": "64",
        "N": "7168",
        "K": "2304",
        "libtype": "ck",
        "kernelId": "0",
        "splitK": "0",
        "us": "5.0",
        "kernelName": samples.PLAIN,
        "tflops": "0",
        "bw": "0",
        "errRatio": "0",
    }
    assert {(span.path, span.line) for span in spans.values()} == {(path, 3)}
    assert (row.span("nothing").column, str(row.where)) == (0, f"{path}:3")


@pytest.mark.parametrize(
    "content",
    [
        "M,N,K\n16,1536,7168\n",
        "M,N,K\n16,1536,7168",
        "M, N, K\n16, 1536, 7168\n",
        "\ufeffM,N,K\r\n16,1536,7168\r\n",
        "M,N,K\r16,1536,7168\r",
        "\n \nM,N,K\n\n16,1536,7168\n   \n\n",
        '"M","N","K"\n"16", "1536" ,7168\n',
        "M,N,K,note\n16,1536,7168,\n",
        "M,N,K\n16,1536,7168,,\n",
        "x,M,y,N,K\n,16,,1536,7168\n",
    ],
    ids=[
        "plain",
        "no-final-newline",
        "spaces",
        "bom-crlf",
        "cr",
        "blank-lines",
        "quoted",
        "extra",
        "trailing",
        "order",
    ],
)
def test_one_shape_however_it_is_written(write: Write, content: str) -> None:
    result = read_files([write(content, "a8w8_blockscale_untuned_gemm.csv")])
    assert [row.shape for row in result.rows] == [GemmShape(16, 1536, 7168)]
    assert result.data_rows == 1


def test_header_only_has_no_rows(write: Write) -> None:
    result = read_files([write("M,N,K\n")])
    assert (result.data_rows, result.rows, result.bad) == (0, (), ())


def test_a_row_may_end_early_in_columns_that_nobody_needs(write: Write) -> None:
    (row,) = read_rows(write, tuned().rsplit(",", 2)[0]).rows
    assert row.err_ratio is None
    assert row.notes == ("the row ends early: 11 of 13 cells",)


def test_a_quoted_cell_may_hold_commas_and_quotes(write: Write) -> None:
    (row,) = read_rows(write, '16,1536,7168,"a, ""b"""', header="M,N,K,note", layout="plain").rows
    assert row.shape.k == 7168


def test_a_file_of_2025_has_no_gfx_and_no_libtype(write: Write) -> None:
    header = "cu_num,M,N,K,kernelId,splitK,us,kernelName,tflops,bw,errRatio"
    (row,) = read_rows(write, f"304,64,7168,2304,14,0,5.0,{samples.PLAIN_OLD},0,0,0", header=header).rows
    assert (row.gfx, row.libtype, row.cu_num) == ("gfx942", "ck", 304)
    assert row.notes == (
        "gfx is missing: gfx942 from cu_num 304",
        "libtype ck from kernelName",
        "the name leaves the wave map out: 1x4 waves assumed",
    )


@pytest.mark.parametrize("arch", ["gfx950", "gfx942", "gfx1250"])
@pytest.mark.parametrize(("cu_num", "gfx"), [(80, "gfx942"), (304, "gfx942"), (256, "gfx950"), (228, "")])
def test_gfx_comes_from_cu_num(write: Write, arch: str, cu_num: int, gfx: str) -> None:
    # Of one chip each, in one file; a gfx1250 row has 256 CUs too, and a cell that is written is never overruled.
    rows = (tuned(m=1, gfx="", cu_num=cu_num), tuned(m=2, gfx="gfx1250"), tuned(m=3, gfx="gfx950", cu_num=304))
    missing, *named = read_rows(write, *rows, arch=arch).rows
    assert missing.gfx == (gfx or arch)
    source = f"cu_num {cu_num}" if gfx else "the arch argument"
    assert f"gfx is missing: {gfx or arch} from {source}" in missing.notes
    assert [(row.gfx, row.cu_num, row.notes) for row in named] == [("gfx1250", 256, ()), ("gfx950", 304, ())]


def test_shapes_get_their_chip_from_cu_num(write: Write) -> None:
    name = "a8w8_blockscale_untuned.csv"
    rows = read_rows(write, "80,1,128,128", "256,2,128,128", header="cu_num,M,N,K", name=name, arch="gfx942").rows
    assert [row.gfx for row in rows] == ["gfx942", "gfx950"]


def test_a_family_that_the_file_name_does_not_tell_is_noted(write: Write) -> None:
    note = "family plain from kernelName, although the file's name tells the other"
    for name, noted in (("a8w8_blockscale_bpreshuffle.csv", True), ("a8w8_blockscale.csv", False), ("x.csv", False)):
        (row,) = read_rows(write, tuned(), name=name).rows
        assert row.family is Family.PLAIN and (note in row.notes) == noted


@pytest.mark.parametrize(("arch", "cus"), [("gfx950", 256), ("gfx942", 304)])
def test_cu_num_comes_from_the_chip(write: Write, arch: str, cus: int) -> None:
    (row,) = read_rows(write, "1,2,128", header="M,N,K", layout=Family.PLAIN, arch=arch).rows
    assert (row.gfx, row.cu_num) == (arch, cus)
    assert f"cu_num is missing: {cus} from the chip" in row.notes


def test_cu_num_of_an_unknown_chip_is_not_guessed(write: Write) -> None:
    (row,) = read_rows(write, tuned(gfx="gfx1250", cu_num="")).unsupported
    assert (row.code, row.kernel_name) == ("CKP043", samples.PLAIN)


@pytest.mark.parametrize(
    ("rows", "name", "layout", "family", "origin"),
    [
        ([tuned(samples.BPRESHUFFLE)], "blockscale.csv", "plain", Family.BPRESHUFFLE, Origin.NAME),
        (
            [tuned(samples.CKTILE, libtype="cktile"), tuned(samples.ASM, 1, libtype="asm")],
            "blockscale.csv",
            "plain",
            Family.BPRESHUFFLE,
            Origin.OTHER_ROWS,
        ),
        (
            [tuned(samples.CKTILE, libtype="cktile"), tuned(samples.ASM, 1, libtype="asm"), tuned(m=2)],
            "a8w8_blockscale_bpreshuffle_tuned.csv",
            "plain",
            Family.BPRESHUFFLE,
            Origin.FILE_NAME,
        ),
        ([tuned(samples.CKTILE, libtype="cktile")], "a8w8_blockscale_x.csv", None, Family.PLAIN, Origin.FILE_NAME),
        ([tuned(samples.CKTILE, libtype="cktile")], "x.csv", "bpreshuffle", Family.BPRESHUFFLE, Origin.LAYOUT_ARGUMENT),
    ],
)
def test_family_of_a_row(
    write: Write, rows: list[str], name: str, layout: str | None, family: Family, origin: Origin
) -> None:
    row = read_rows(write, *rows, name=name, layout=layout).rows[0]
    assert (row.family, row.provenance.family) == (family, origin)


def test_a_row_whose_family_nothing_tells_is_unsupported(write: Write) -> None:
    rows = (tuned(samples.CKTILE, libtype="cktile"), tuned(m=2), tuned(samples.BPRESHUFFLE, 3))
    result = read_rows(write, *rows)
    assert [row.shape.m for row in result.rows] == [2, 3]
    assert [(row.code, row.where.line) for row in result.unsupported] == [("CKP042", 2)]
    assert "--layout" in result.unsupported[0].hint


@pytest.mark.parametrize("name", ["shapes.csv", "a8w8_shapes.csv", "model_untuned_gemm.csv"])
def test_a_file_name_may_tell_nothing(write: Write, name: str) -> None:
    (refused,) = read_rows(write, "16,1536,7168", header="M,N,K", name=name).unsupported
    assert refused.code == "CKP042"


@pytest.mark.parametrize("name", ["bpreshuffle_shapes.csv", "x_A8W8_blockscale_bpreshuffle.csv"])
def test_a_file_name_tells_the_family(write: Write, name: str) -> None:
    (row,) = read_rows(write, "16,1536,7168", header="M,N,K", name=name).rows
    assert row.family is Family.BPRESHUFFLE


def test_a_layout_cell_tells_the_family(write: Write) -> None:
    header = f"{TUNED_HEADER},layout"
    rows = (f"{tuned(samples.CKTILE, libtype='cktile')},bpreshuffle", f"{tuned()},", f"{tuned(m=3)},bpreshuffle")
    result = read_rows(write, *rows, header=header)
    assert [(row.family, row.provenance.family) for row in result.rows] == [
        (Family.BPRESHUFFLE, Origin.CELL),
        (Family.PLAIN, Origin.NAME),
    ]
    assert [(bad.code, bad.where.line) for bad in result.bad] == [("CKP018", 4)]


def test_the_fastest_of_a_key_wins_and_the_losers_are_counted(write: Write) -> None:
    result = read_rows(write, tuned(us=5), tuned(us=4), tuned(us=0), tuned(us=4), tuned(us=1, cu_num=80))
    assert [(row.us, row.cu_num) for row in result.rows] == [(4.0, 256), (1.0, 80)]
    path = result.files[0].path
    assert [lost.note for lost in result.superseded] == [
        f"duplicate key: {path}:3 has the lower us (4.0 against 5.0)",
        f"duplicate key: {path}:3 has a measured time",
        f"duplicate key: {path}:3 comes first",
    ]
    assert (result.read, result.files[0].read) == (5, 5)


@pytest.mark.parametrize("swap", [False, True])
def test_of_equal_keys_a_row_that_errs_loses(write: Write, swap: bool) -> None:
    rows = (tuned(us=1.0, err=0.31), tuned(us=9.0, err=0.05))
    result = read_rows(write, *(reversed(rows) if swap else rows))
    (row,), (lost,) = result.rows, result.superseded
    assert (row.us, lost.row.us) == (9.0, 1.0)
    assert lost.note == f"duplicate key: {row.where} wins, as errRatio 0.31 is over 0.05"
    assert "errRatio 0.31 is over 0.05: the tuner found the named kernel wrong" in lost.row.notes
    # With a larger limit the time decides, as it does among rows that all err.
    assert read_rows(write, *rows, err_ratio=0.31).rows[0].us == 1.0
    assert read_rows(write, *rows, err_ratio=0.01).rows[0].us == 1.0


@pytest.mark.parametrize("cell", ["31%", "inf", "1"])
def test_an_err_ratio_in_any_spelling_is_weighed(write: Write, cell: str) -> None:
    assert [row.us for row in read_rows(write, tuned(us=1.0, err=cell), tuned(us=9.0, err="5%")).rows] == [9.0]


def test_a_row_that_errs_stands_where_no_other_has_its_key(write: Write) -> None:
    (row,) = read_rows(write, tuned(err=1.0)).rows
    assert row.notes == ("errRatio 1.0 is over 0.05: the tuner found the named kernel wrong",)


def test_an_unknown_err_ratio_is_not_held_against_a_row(write: Write) -> None:
    assert [row.us for row in read_rows(write, tuned(us=1.0, err="nan"), tuned(us=2.0)).rows] == [1.0]
    assert [row.us for row in read_rows(write, tuned(us=1.0, err=""), tuned(us=2.0)).rows] == [1.0]


@pytest.mark.parametrize("limit", [-0.1, float("nan")])
def test_an_err_ratio_that_is_no_fraction_is_refused(write: Write, limit: float) -> None:
    with pytest.raises(InputError) as caught:
        read_rows(write, tuned(), err_ratio=limit)
    assert caught.value.code == "CKP009"


def test_keys_compete_across_files_but_not_across_families(write: Write) -> None:
    first = write(f"{TUNED_HEADER}\n{tuned(us=5)}\n{tuned(samples.BPRESHUFFLE, us=9)}", "a.csv")
    second = write(f"{TUNED_HEADER}\n{tuned(us=3)}", "b.csv")
    result = read_files([first, second])
    assert [(row.family.value, row.us, row.where.path) for row in result.rows] == [
        ("bpreshuffle", 9.0, first),
        ("plain", 3.0, second),
    ]


@pytest.mark.parametrize(
    ("name", "libtype", "split_k", "kbatch", "dead"),
    [
        (samples.PLAIN, "ck", 2, 4, False),
        (samples.CKTILE, "cktile", 3, 8, False),
        (samples.BPRESHUFFLE, "ck", 3, 1, True),
        (samples.ASM, "asm", 7, 7, False),
        (samples.ASM, "asm", 0, 1, False),
        (samples.OPUS, "opus", 2, 1, False),
    ],
)
def test_split_k_is_read_by_libtype(
    write: Write, name: str, libtype: str, split_k: int, kbatch: int, dead: bool
) -> None:
    (row,) = read_rows(write, tuned(name, libtype=libtype, split_k=split_k), layout="plain", by_shape=True).rows
    assert (row.split_k, row.kbatch, row.split_k_is_dead) == (split_k, kbatch, dead)
    assert any("is dead" in note for note in row.notes) is dead


@pytest.mark.parametrize("us", ["0", "-1", "inf", "nan", ""])
def test_a_time_that_is_none(write: Write, us: str) -> None:
    (row,) = read_rows(write, tuned(us=us)).rows
    assert row.us is None and row.notes == ("no measured time",)


def test_err_ratio_in_percent_and_under_its_other_name(write: Write) -> None:
    header = TUNED_HEADER.replace("errRatio", "err_ratio")
    rows = read_rows(write, tuned(err="1.5%"), tuned(m=2, err="nan"), header=header).rows
    assert [row.err_ratio for row in rows] == [0.015, None]


@pytest.mark.parametrize(
    ("name", "libtype"),
    [
        (samples.ASM, "asm"),
        (samples.OPUS, "opus"),
        (samples.TRITON, "triton"),
        (samples.WMMA, "flydsl"),
        (samples.PORTER, "flydsl"),
        (samples.PEER_EIGHT_WAVE, "flydsl8w"),
        ("opus_gemm_of_next_year", "opus"),
        ("", "torch"),
    ],
)
def test_a_row_that_is_not_ck_converts_by_shape_only(write: Write, name: str, libtype: str) -> None:
    row = tuned(name, libtype=libtype, m=7)
    (refused,) = read_rows(write, row, layout="plain").unsupported
    assert (refused.code, refused.kernel_name) == ("CKP040", name)
    assert "--by-shape" in refused.hint
    (read,) = read_rows(write, row, layout="plain", by_shape=True).rows
    assert (read.shape.m, read.instance) == (7, None)
    assert f"libtype {libtype} is not CK: the shape alone decides" in read.notes


def test_an_unknown_name_of_another_library_stays_as_written(write: Write) -> None:
    (row,) = read_rows(write, tuned("opus_gemm_new", libtype="opus"), layout="plain", by_shape=True).rows
    assert row.kernel == OpaqueKernel("opus", "opus_gemm_new")


def test_the_name_wins_over_libtype(write: Write) -> None:
    result = read_rows(write, tuned(libtype="asm"), tuned(samples.ASM, 2, libtype="ck"))
    assert [(row.libtype, row.notes) for row in result.rows] == [("ck", ("libtype ck from kernelName",))]
    assert [row.code for row in result.unsupported] == ["CKP040"]


def test_weights_that_are_not_fp8(write: Write) -> None:
    header = f"{TUNED_HEADER},q_dtype_w"
    result = read_rows(write, f"{tuned()},torch.float8_e4m3fn", f"{tuned(m=2)},torch.int8", header=header)
    assert ([row.shape.m for row in result.rows], [row.code for row in result.unsupported]) == ([64], ["CKP044"])


def test_an_untuned_row_is_a_shape(write: Write) -> None:
    (row,) = read_rows(write, "16,1536,7168", header="M,N,K", layout="bpreshuffle").rows
    assert (row.kernel, row.family, row.kbatch) == (None, Family.BPRESHUFFLE, 1)
    assert "untuned: no kernel is named, the shape alone decides" in row.notes
    (refused,) = read_rows(write, "16,1536,7168", header="M,N,K").unsupported
    assert refused.code == "CKP042"


def test_instance_tables_of_both_generations(write: Write) -> None:
    xdl = read_rows(write, xdl_row(14), xdl_row(-1), header=XDL_HEADER)
    assert [(entry.kernel_id, entry.instance.name) for entry in xdl.instances] == [
        (14, samples.PLAIN),
        (-1, samples.PLAIN),
    ]
    assert {row.code for row in xdl.unsupported} == {"CKP041"}
    tile = read_rows(write, tile_row(3, 2), header=TILE_HEADER, name="tile_gfx950.csv")
    assert [(entry.arch, entry.instance.name) for entry in tile.instances] == [("gfx950", samples.CKTILE)]


def test_a_name_without_wave_map_takes_the_map_of_its_columns(write: Write) -> None:
    (entry,) = read_rows(write, xdl_row(0, samples.PLAIN_OLD), header=XDL_HEADER).instances
    assert entry.instance.name == samples.PLAIN


def test_table_and_name_give_equal_instances(write: Write) -> None:
    (entry,) = read_rows(write, xdl_row(14), header=XDL_HEADER).instances
    (row,) = read_rows(write, tuned()).rows
    assert entry.instance == row.instance and hash(entry.instance) == hash(row.instance)


def test_an_id_that_is_another_kernels_is_reported_and_the_name_wins(write: Write) -> None:
    listing = write("\n".join((TILE_HEADER, tile_row(3, 2), tile_row(4, 3))), "tile_gfx950.csv")
    other = write("\n".join((TILE_HEADER, tile_row(9, 1))), "tile_gfx942.csv")
    rows = [tuned(samples.CKTILE, m, libtype="cktile", kernel_id=i) for m, i in ((1, 3), (2, 4), (3, 77))]
    path = write("\n".join((TUNED_HEADER, *rows)))
    given = read_files([path, listing, other], layout="plain")
    beside = read_files([path], layout="plain", instance_lists=[listing, other])
    assert [str(found) for found in given.disagreements] == [str(found) for found in beside.disagreements]
    assert [found.message for found in given.disagreements] == [
        f"kernelId 4 is {samples.CKTILE[:-1]}3 in {listing}:3:3, but kernelName is {samples.CKTILE} (3 there); "
        "the name wins",
        f"kernelId 77 is no kernel in {listing}:1, but kernelName is {samples.CKTILE} (3 there); the name wins",
    ]
    assert str(given.disagreements[0]).startswith(f"{path}:3:31: ")
    assert [row.kernel_name for row in given.rows] == [samples.CKTILE] * 3
    assert len(beside.files) == 1


def test_exactly_one_reader_recognises_a_header() -> None:
    for header in (TUNED_HEADER, "M,N,K", XDL_HEADER, TILE_HEADER, "cu_num,M,N,K,kernelId,us,kernelName"):
        assert sum(reader.recognises("x.csv", f"{header}\n") for reader in readers()) == 1


def test_a_second_reading_is_equal(write: Write) -> None:
    path = write(f"{TUNED_HEADER}\n{tuned()}\n{tuned(us=1)}\nx")
    assert read_files([path]) == read_files([path])
