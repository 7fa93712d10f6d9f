# SPDX-License-Identifier: Apache-2.0
"""Instructions and labels that only hand-written and foreign code uses."""

from __future__ import annotations

from pathlib import Path
from zipfile import ZipFile

import numpy as np
import pytest

from oracle.machine import ExecutionError, LaunchError, Memory, Mode, ProgramError, Severity, load
from oracle.machine.check_examples import kernel_text
from tests.oracle.machine import parse_objects
from tests.oracle.machine.bench import LANES, f32, lanes_of, launch, program
from tests.oracle.machine.objects import link

LANE = np.arange(LANES, dtype=np.uint32)
MODES = [Mode(), Mode(landing="late"), Mode(checks=True)]
modes = pytest.mark.parametrize("mode", MODES, ids=["eager", "late", "checked"])
HEAD = "\ts_load_dwordx4 s[4:7], s[0:1], 0x0\n\tv_lshlrev_b32_e32 v2, 2, v0\n\ts_waitcnt lgkmcnt(0)\n"


@modes
def test_local_labels_are_the_nearest_of_their_number(mode: Mode) -> None:
    body = """
\tv_mov_b32_e32 v40, 0
\ts_mov_b32 s8, 3
1:
\tv_add_u32_e32 v40, 1, v40
\ts_sub_u32 s8, s8, 1
\ts_cmp_lg_u32 s8, 0
\ts_cbranch_scc1 1b
\ts_branch 1f
\tv_mov_b32_e32 v40, 100
1: v_add_u32_e32 v40, 10, v40
\ts_branch 2f
\tv_mov_b32_e32 v40, 100
2:
\ts_nop 0"""
    assert lanes_of(body, [], mode=mode)[0].tolist() == [13] * LANES


@pytest.mark.parametrize("target", ["1f", "2b", "3b"])
def test_a_local_label_that_is_not_there(target: str) -> None:
    with pytest.raises(ProgramError, match=target) as caught:
        program(f"1:\n\ts_nop 0\n\ts_branch {target}\n2:\n\ts_nop 0")
    assert caught.value.code == "CKM023"


@modes
def test_vskip_passes_vector_instructions_over(mode: Mode) -> None:
    body = """
\tv_mov_b32_e32 v40, 1
\tv_mov_b32_e32 v41, 5
\ts_mov_b32 s8, 4
\ts_setvskip s8, 2
\tv_mov_b32_e32 v40, 2
\tds_write_b32 v2, v40
\tglobal_load_dword v41, v2, s[6:7]
\ts_mov_b32 s9, 7
\ts_setvskip s8, 1
\tv_add_u32_e32 v40, s9, v40"""
    assert lanes_of(body, [LANE], 2, mode=mode).tolist() == [[8] * LANES, [5] * LANES]


@modes
def test_indexed_registers(mode: Mode) -> None:
    """v[10 + i] and v[40 + i] by M0; scalars, memory and what the list leaves out stay where they are."""
    inputs = [LANE + 100 * n for n in range(4)]
    body = """
\ts_mov_b32 s8, 2
\tv_mov_b32_e32 v40, 0
\tv_mov_b32_e32 v41, 0
\tv_mov_b32_e32 v42, 0
\ts_set_gpr_idx_on s8, gpr_idx(SRC0,DST)
\tv_add_u32_e32 v40, v10, v11
\ts_set_gpr_idx_idx 1
\ts_set_gpr_idx_mode gpr_idx(SRC1)
\tv_add_u32_e32 v40, v10, v12
\ts_set_gpr_idx_mode gpr_idx(DST)
\tv_writelane_b32 v40, 77, 5
\ts_set_gpr_idx_off
\tv_add_u32_e32 v41, 1, v41"""
    got = lanes_of(body, inputs, 3, mode=mode)
    assert (got[2] == inputs[2] + inputs[1]).all(), "SRC0 and DST moved by 2"
    assert (got[0] == inputs[0] + inputs[3]).all(), "SRC1 moved by 1"
    assert (got[1] == np.where(LANE == 5, 78, 1)).all(), "the lane written into v41"


def test_an_index_out_of_the_file_is_an_error() -> None:
    with pytest.raises(ExecutionError, match="register 260") as caught:
        lanes_of("\ts_set_gpr_idx_on 60, gpr_idx(SRC0)\n\tv_mov_b32_e32 v40, v200\n\ts_set_gpr_idx_off", [])
    assert caught.value.code == "CKM026"


def test_what_indexing_does_to_an_mfma_is_not_modelled() -> None:
    mfma = "\tv_mfma_f32_16x16x32_fp8_fp8 v[40:43], v[10:11], v[12:13], 0\n"
    with pytest.raises(ExecutionError, match="not modelled") as caught:
        lanes_of(f"\ts_set_gpr_idx_on 1, gpr_idx(SRC0)\n{mfma}\ts_set_gpr_idx_off", [LANE] * 4, 4)
    assert caught.value.code == "CKM025"


@modes
def test_scalar_stores(mode: Mode) -> None:
    body = HEAD + """
\ts_mov_b32 s8, 0x11111111
\ts_mov_b32 s9, 0x22222222
\ts_mov_b32 s12, 16
\ts_store_dword s8, s[4:5], 0x4
\ts_store_dwordx2 s[8:9], s[4:5], s12 glc
\ts_waitcnt lgkmcnt(0)"""
    c = np.zeros(64, np.uint32)
    report = launch(body, [c, np.zeros(64, np.uint32)], mode=mode, arch="gfx942")
    assert c[:6].tolist() == [0, 0x11111111, 0, 0, 0x11111111, 0x22222222]
    assert not [f for f in report.findings if f.severity is Severity.HIGH]
    _, a = np.zeros(64, np.uint32), np.zeros(64, np.uint32)
    assert not a.any() and not c[6:].any()


@modes
def test_scalar_atomics_count_over_workgroups(mode: Mode) -> None:
    body = HEAD + """
\ts_mov_b32 s8, 5
\ts_mov_b32 s9, 1
\ts_atomic_inc s8, s[4:5], 0x8
\ts_atomic_add s9, s[4:5], 0x10 glc
\ts_waitcnt lgkmcnt(0)
\ts_lshl_b32 s10, s2, 2
\ts_add_u32 s10, s10, 0x20
\ts_store_dword s9, s[4:5], s10"""
    c = np.zeros(64, np.uint32)
    report = launch(body, [c, np.zeros(64, np.uint32)], grid=(8,), mode=mode, arch="gfx942")
    assert c[2] == 2 and c[4] == 8, "inc wraps from 5 to 0"
    assert sorted(c[8:16].tolist()) == list(range(8))
    assert not [f for f in report.findings if f.severity is Severity.HIGH]


def test_a_scalar_atomics_result_must_be_waited_for() -> None:
    body = (
        HEAD + "\ts_mov_b32 s9, 1\n\ts_atomic_add s9, s[4:5], 0x10 glc\n\ts_add_u32 s10, s9, 1\n\ts_waitcnt lgkmcnt(0)"
    )
    report = launch(
        body, [np.zeros(64, np.uint32)] * 1 + [np.ones(64, np.uint32)], mode=Mode(checks=True), arch="gfx942"
    )
    (finding,) = [f for f in report.findings if f.severity is Severity.HIGH]
    assert finding.code == "CKM202" and finding.explanation.startswith("s9 is read")


FP4 = np.array([0, 0.5, 1, 1.5, 2, 3, 4, 6])


def fp4(values: np.ndarray) -> np.ndarray:
    """To nearest, ties to the even code, saturating: by looking at every candidate, the even ones first."""
    order = np.array([0, 2, 4, 6, 1, 3, 5, 7])
    distance = np.abs(np.minimum(np.abs(values), 6)[:, None] - FP4[order])
    return (order[distance.argmin(axis=1)] + 8 * np.signbit(values)).astype(np.uint32)


@modes
@pytest.mark.parametrize("byte", range(4))
@pytest.mark.parametrize("exponent", [-3, 0, 2])
def test_floats_to_fp4(exponent: int, byte: int, mode: Mode) -> None:
    rng = np.random.default_rng(4)
    edges = np.concatenate([FP4, (FP4[1:] + FP4[:-1]) / 2, [7, 1e30, np.inf, 1e-40]])
    a = (np.concatenate([edges, rng.normal(0, 3, LANES - len(edges))]) * 2.0**exponent).astype(np.float32)
    b = (-a[::-1] * np.float32(1 + 2**-20)).astype(np.float32)
    scale = np.full(LANES, 1.75 * 2.0**exponent, np.float32)  # only the exponent counts
    op_sel = f" op_sel:[0,0,{byte & 1},{byte >> 1}]"
    body = f"\tv_mov_b32_e32 v40, 0x12345678\n\tv_cvt_scalef32_pk_fp4_f32 v40, -v10, v11, v12{op_sel}"
    got = lanes_of(body, [f32(-a), f32(b), f32(scale)], mode=mode)[0]
    with np.errstate(invalid="ignore"):
        wanted = fp4(np.float64(a) / 2.0**exponent) | fp4(np.float64(b) / 2.0**exponent) << 4
    assert (got == (0x12345678 & ~(0xFF << 8 * byte) | wanted << 8 * byte)).all()


def test_a_nan_has_no_documented_fp4() -> None:
    nan = np.where(LANE == 9, 0x7FC00000, f32(np.ones(LANES)))
    with pytest.raises(ExecutionError) as caught:
        lanes_of("\tv_cvt_scalef32_pk_fp4_f32 v40, v10, v11, 1.0", [nan, nan])
    assert caught.value.code == "CKM025"


def test_permlane_swaps_with_controls() -> None:
    body = "\tv_mov_b32_e32 v40, v10\n\tv_mov_b32_e32 v41, v11\n\tv_permlane32_swap_b32{} v40, v41{}"
    inputs = [LANE, LANE + 100]
    plain = lanes_of(body.format("", ""), inputs, 2)
    assert (lanes_of(body.format("_e64", " bound_ctrl:1 fi:1"), inputs, 2) == plain).all()
    with pytest.raises(ExecutionError) as caught:
        lanes_of("\ts_mov_b32 exec_lo, 5\n" + body.format("_e64", " bound_ctrl:1"), inputs, 2)
    assert caught.value.code == "CKM116"


@modes
@pytest.mark.parametrize("name", ["v_mad_u64_u32", "v_mad_i64_i32"])
def test_an_undefined_high_addend_taints_the_high_half_alone(name: str, mode: Mode) -> None:
    """LLVM leaves the high half of an addend undefined where it uses the low half of the result only."""
    body = f"\tv_mov_b32_e32 v20, v10\n\t{name} v[40:41], s[8:9], v10, v11, v[20:21]\n"
    inputs = [LANE + 3, LANE * 7]
    got = lanes_of(body + "\tv_mov_b32_e32 v41, 0", inputs, 1, mode=mode)
    assert (got[0] == (LANE + 3) * (LANE * 7) + LANE + 3).all()
    report = _findings(body + "\tv_mov_b32_e32 v42, v40", mode)
    assert not report
    if mode.checks:
        for reader in ("v_mov_b32_e32 v42, v41", "s_bcnt1_i32_b64 s10, s[8:9]"):
            assert set(_findings(f"{body}\t{reader}", mode)) == {"CKM211" if "v41" in reader else "CKM212"}


def _findings(body: str, mode: Mode) -> list[str]:
    head = "\tv_mov_b32_e32 v10, v0\n\tv_mov_b32_e32 v11, v0\n"
    report = launch(HEAD + head + body, [np.zeros(64, np.uint32)] * 2, mode=mode)
    return [f.code for f in report.findings if f.severity is Severity.HIGH and f.code not in ("CKM252", "CKM251")]


def test_a_helper_kernel_beside_the_main_one() -> None:
    """An object with several kernels runs the one that is named; without a name it says which there are."""
    main = kernel_text(HEAD + "\tglobal_store_dword v2, v0, s[4:5]")
    helper = kernel_text(HEAD + "\tv_mov_b32_e32 v1, 7\n\tglobal_store_dword v2, v1, s[4:5]")
    both = load(main + helper.replace("\nk:", "\nhelper:").replace("amdhsa_kernel k", "amdhsa_kernel helper"))
    results = {}
    for name in ("k", "helper"):
        c, memory = np.zeros(LANES, np.uint32), Memory()
        raw = memory.place(c, "C").to_bytes(8, "little").ljust(64, b"\0")
        both.launch((1,), (LANES,), raw, memory, kernel=name)
        results[name] = c.tolist()
    assert results == {"k": list(range(LANES)), "helper": [7] * LANES}
    with pytest.raises(LaunchError, match=r"\['helper', 'k'\]"):
        both.launch((1,), (LANES,), bytes(64), Memory())


def test_every_object_of_a_wheel_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = link(kernel_text("\ts_nop 0"), tmp_path).read_bytes()
    wheel = tmp_path / "x.whl"
    with ZipFile(wheel, "w") as archive:
        archive.writestr("x/hsa/gfx950/a.co", good)
        archive.writestr("x/other/b.co", b"not in the folder")
    assert parse_objects.main([str(wheel), "1"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("1 parsed (") and out.endswith(" instructions), 0 failed\n")
    with ZipFile(wheel, "a") as archive:
        archive.writestr("x/hsa/gfx950/c.co", good[:200])
    assert parse_objects.main([str(wheel), "1"]) == 1
    out = capsys.readouterr().out
    assert "x/hsa/gfx950/c.co: " in out and "1 parsed" in out and out.endswith("1 failed\n")
