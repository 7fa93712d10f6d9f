# SPDX-License-Identifier: Apache-2.0
"""Hazard distances: one wait state short is found, the right distance is not, and compiled code is clean."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracle.machine import load
from tests.oracle.machine.bench import program

KERNELS = sorted((Path(__file__).parent / "kernels").glob("*.s"))
MFMA = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], 0"

# rule: (first, wait states needed, second, arch)
RULES = {
    "MFMA to VALU": (MFMA, 12, "v_mov_b32_e32 v30, v3", "gfx950"),
    "MFMA to VMEM": (MFMA, 12, "global_store_dword v40, v2, s[4:5]", "gfx950"),
    "MFMA to LDS": (MFMA, 12, "ds_write_b32 v40, v2", "gfx950"),
    "MFMA overwritten": (MFMA, 12, "v_mov_b32_e32 v0, 0", "gfx950"),
    "MFMA to factor": (MFMA, 12, "v_mfma_f32_16x16x128_f8f6f4 v[4:7], v[0:7], v[16:23], 0", "gfx950"),
    "MFMA to other addend": (MFMA, 10, "v_mfma_f32_16x16x128_f8f6f4 v[24:27], v[8:15], v[16:23], v[1:4]", "gfx950"),
    "32x32x64 to VALU": (
        "v_mfma_f32_32x32x64_f8f6f4 v[0:15], v[16:23], v[24:31], 0",
        20,
        "v_mov_b32_e32 v40, v3",
        "gfx950",
    ),
    "gfx942 MFMA to VALU": (
        "v_mfma_f32_16x16x32_fp8_fp8 v[0:3], v[8:9], v[16:17], 0",
        7,
        "v_mov_b32_e32 v30, v3",
        "gfx942",
    ),
    "addend overwritten": (
        "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[24:27]",
        7,
        "v_mov_b32_e32 v25, 0",
        "gfx950",
    ),
    "VALU to MFMA": ("v_mov_b32_e32 v8, 0", 2, MFMA, "gfx950"),
    "SGPR to VMEM": ("v_readfirstlane_b32 s4, v0", 5, "global_load_dword v1, v2, s[4:5]", "gfx950"),
    "SGPR to VALU": ("v_cmp_eq_u32_e32 vcc, v0, v1", 2, "v_cndmask_b32_e32 v2, v0, v1, vcc", "gfx950"),
    "lane select": ("v_readfirstlane_b32 s4, v0", 4, "v_readlane_b32 s5, v1, s4", "gfx950"),
    "lane read": ("v_mov_b32_e32 v1, 0", 1, "v_readfirstlane_b32 s5, v1", "gfx950"),
    "VCC to div_fmas": ("v_cmp_eq_u32_e32 vcc, v0, v1", 4, "v_div_fmas_f32 v2, v0, v1, v3", "gfx950"),
    "DPP": ("v_mov_b32_e32 v1, 0", 2, "v_mov_b32_dpp v2, v1 quad_perm:[0,0,0,0] row_mask:0xf bank_mask:0xf", "gfx950"),
    "transcendental": ("v_rcp_f32_e32 v1, v0", 1, "v_add_f32_e32 v2, v1, v0", "gfx950"),
    "M0 to DMA": ("s_mov_b32 m0, 0", 1, "buffer_load_dword v1, s[8:11], 0 offen lds", "gfx950"),
    "wide store": ("global_store_dwordx4 v[0:1], v[4:7], off", 2, "v_mov_b32_e32 v5, 0", "gfx950"),
}


def found(first: str, states: int, second: str, arch: str) -> list[str]:
    gap = (
        f"\ts_nop {states - 1}\n" if 0 < states <= 16 else "\ts_nop 15\n" + f"\ts_nop {states - 17}\n" if states else ""
    )
    return [f.code for f in program(f"\t{first}\n{gap}\t{second}", arch=arch).hazards]


@pytest.mark.parametrize("rule", RULES)
def test_distance(rule: str) -> None:
    first, need, second, arch = RULES[rule]
    assert found(first, need, second, arch) == []
    assert len(found(first, need - 1, second, arch)) == 1


def test_same_addend_needs_no_distance() -> None:
    chained = "v_mfma_f32_16x16x128_f8f6f4 v[0:3], v[8:15], v[16:23], v[0:3]"
    assert found(MFMA, 0, chained, "gfx950") == []


def test_branches_are_followed() -> None:
    body = f".Lloop:\n\tv_mov_b32_e32 v30, v3\n\ts_nop 8\n\ts_nop 0\n\t{MFMA}\n\ts_cbranch_scc1 .Lloop"
    (finding,) = program(body).hazards
    assert finding.party.text == "v_mov_b32_e32 v30, v3"
    assert finding.other is not None and finding.other.text == MFMA


@pytest.mark.parametrize("path", KERNELS, ids=lambda p: p.stem)
def test_compiled_kernels_are_clean(path: Path) -> None:
    assert load(path).hazards == ()


def test_a_result_that_was_overwritten_between_is_no_producer_any_more() -> None:
    # As LLVM 24 schedules chained fp8 MFMAs on gfx942: the second takes another extent, the third its own result.
    first, second, third = (
        "\tv_mfma_f32_16x16x32_fp8_fp8 v[30:33], v[46:47], v[70:71], 0\n",
        "\tv_mfma_f32_16x16x32_fp8_fp8 v[28:31], v[90:91], v[72:73], v[30:33]\n",
        "\tv_mfma_f32_16x16x32_fp8_fp8 v[28:31], v[92:93], v[74:75], v[28:31]\n",
    )
    assert [f.code for f in program(first + second + third, arch="gfx942").hazards] == []
    assert [f.code for f in program(first + third, arch="gfx942").hazards] == ["CKM251"]
