# SPDX-License-Identifier: Apache-2.0
"""The three forms of a kernel are one program: ISA text, llvm-objdump's text, code object."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from oracle.machine import DisassemblerMissing, LaunchError, Memory, Mode, Program, ProgramError, load
from oracle.machine.check_examples import kernel_text
from porter.toolchain import CompileRequest, compile_kernel
from porter.toolchain.tools import find_linker
from tests.oracle.machine.bench import LANES
from tests.oracle.machine.objects import KERNELS, disassemble, gemm, link, llvm, meanings
from tests.porter.kernels import source
from tests.porter.specs import DECODE


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    result = {}
    for path in KERNELS:
        folder = tmp_path_factory.mktemp(path.stem)
        result[path.stem] = link(path.read_text(encoding="utf-8"), folder)
    return result


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_three_forms_of_a_kernel_are_one_program(path: Path, objects: dict[str, Path]) -> None:
    text, built = load(path), load(objects[path.stem])
    listing = load(disassemble(objects[path.stem]), arch="gfx950")
    assert len(text.instructions) > 100
    # The linker pads the section behind the last kernel.
    assert meanings(built.instructions[: len(text.instructions)]) == meanings(text.instructions)
    assert meanings(listing.instructions) == meanings(built.instructions)
    # llvm-objdump's text has no descriptor and no metadata: the kernel is taken from the object.
    listed = Program("", "gfx950", listing.instructions, listing.labels, built.kernels, code=listing.code)
    expected = gemm(text)
    assert len(set(expected)) > 100
    assert gemm(built) == expected
    assert gemm(listed) == expected


@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_an_object_says_of_its_kernel_what_its_text_says(path: Path, objects: dict[str, Path]) -> None:
    text, built = load(path), load(objects[path.stem])
    assert built.arch == text.arch == "gfx950"
    assert (
        list(built.kernels) == list(text.kernels) == [path.read_text(encoding="utf-8").split(".globl\t")[1].split()[0]]
    )
    a, b = text.kernel(), built.kernel()
    assert a.arguments and a.arguments == b.arguments
    for name in ("vgprs", "agprs", "sgprs", "lds_bytes", "scratch_bytes", "kernarg_bytes", "reqd_workgroup_size"):
        assert getattr(a, name) == getattr(b, name), name
    for name in ("user_sgprs", "workgroup_ids", "workgroup_info", "mode", "accum_offset"):
        assert getattr(a.descriptor, name) == getattr(b.descriptor, name), name


def test_the_compilers_own_code_object(tmp_path: Path) -> None:
    llvm("llvm-objdump")
    if find_linker() is None:
        pytest.skip("ld.lld is not installed")
    kernel = compile_kernel(CompileRequest(source(DECODE), 512, 512, DECODE.arch, c_symbol="decode"))
    assert kernel.code_object is not None
    file = tmp_path / "kernel.co"
    file.write_bytes(kernel.code_object)
    text, built = load(kernel.isa), load(file)
    assert meanings(built.instructions[: len(text.instructions)]) == meanings(text.instructions)
    assert built.kernel().arguments == text.kernel().arguments
    assert gemm(built, m=10) == gemm(text, m=10)


CONSTANTS = (11, 22, 33, 44)
RODATA = f"""
\t.amdhsa_code_object_version 6
\t.text
\t.globl k
\t.p2align 8
\t.type k,@function
k:
\ts_load_dwordx2 s[4:5], s[0:1], 0x0
\ts_getpc_b64 s[8:9]
\ts_add_u32 s8, s8, table@rel32@lo+4
\ts_addc_u32 s9, s9, table@rel32@hi+12
\ts_load_dwordx4 s[12:15], s[8:9], 0x0
\tv_lshlrev_b32_e32 v2, 4, v0
\ts_waitcnt lgkmcnt(0)
\tv_mov_b32_e32 v4, s12
\tv_mov_b32_e32 v5, s13
\tv_mov_b32_e32 v6, s14
\tv_mov_b32_e32 v7, s15
\tglobal_store_dwordx4 v2, v[4:7], s[4:5]
\ts_endpgm
\t.size k, .-k
\t.section .rodata,"a",@progbits
\t.p2align 4
table:
\t.long {CONSTANTS[0]}
\t.long {CONSTANTS[1]}
\t.long {CONSTANTS[2]}
\t.long {CONSTANTS[3]}
\t.p2align 6
\t.amdhsa_kernel k
\t\t.amdhsa_kernarg_size 8
\t\t.amdhsa_user_sgpr_kernarg_segment_ptr 1
\t\t.amdhsa_next_free_vgpr 8
\t\t.amdhsa_next_free_sgpr 16
\t\t.amdhsa_accum_offset 8
\t.end_amdhsa_kernel
"""


@pytest.mark.parametrize("landing", ["eager", "late"])
def test_read_only_data_is_reached_from_the_pc(tmp_path: Path, landing: str) -> None:
    program = load(link(RODATA, tmp_path))
    assert any(struct.pack("<4I", *CONSTANTS) in raw for _, raw in ((s.address, s.data) for s in program.image))
    result = np.zeros((LANES, 4), np.uint32)
    memory = Memory()
    kernarg = memory.place(result, "out").to_bytes(8, "little")
    report = program.launch((1,), (LANES,), kernarg, memory, Mode(landing=landing, checks=True))
    assert not [f for f in report.findings if f.severity > 0]
    assert result.tolist() == [list(CONSTANTS)] * LANES


def test_read_only_data_cannot_be_written(tmp_path: Path) -> None:
    body = RODATA.replace("v2, v[4:7], s[4:5]", "v2, v[4:7], s[8:9]").replace("v2, 4, v0", "v2, 0, v0")
    program = load(link(body, tmp_path))
    memory = Memory()
    kernarg = memory.place(np.zeros(4, np.uint8), "out").to_bytes(8, "little")
    report = program.launch((1,), (1,), kernarg, memory, Mode(checks=True))
    assert "CKM225" in {finding.code for finding in report.findings}
    again = np.zeros((LANES, 4), np.uint32)
    memory = Memory()
    load(link(RODATA, tmp_path)).launch((1,), (LANES,), memory.place(again, "out").to_bytes(8, "little"), memory)
    assert again[0].tolist() == list(CONSTANTS)


DATA = RODATA.replace('.section .rodata,"a",@progbits\n\t.p2align 4\ntable:', ".data\n\t.p2align 4\ntable:").replace(
    "\t.p2align 6\n", '\t.bss\n\t.p2align 4\ncounter:\n\t.zero 16\n\t.section .rodata,"a",@progbits\n\t.p2align 6\n'
)


@pytest.mark.parametrize("checks", [False, True])
@pytest.mark.parametrize("name", ["table", "counter"])
def test_an_object_may_write_its_own_data(tmp_path: Path, name: str, checks: bool) -> None:
    """An atomic add and a store to .data or .bss, read back; twice, as each launch starts from what was loaded."""
    update = """
\tv_mov_b32_e32 v8, s8
\tv_mov_b32_e32 v9, s9
\tv_mov_b32_e32 v1, 1
\tglobal_atomic_add v4, v[8:9], v1, off sc0
\ts_waitcnt vmcnt(0)
\tglobal_store_dword v[8:9], v2, off offset:4
\ts_waitcnt vmcnt(0)
\tglobal_load_dwordx2 v[6:7], v[8:9], off
\ts_waitcnt vmcnt(0)
"""
    body = DATA.replace("table@", f"{name}@").replace("\tglobal_store_dwordx4", f"{update}\tglobal_store_dwordx4")
    program = load(link(body.replace(".amdhsa_next_free_vgpr 8", ".amdhsa_next_free_vgpr 12"), tmp_path))
    first = CONSTANTS[0] if name == "table" else 0
    second = CONSTANTS[1] if name == "table" else 0
    for _ in range(2):
        result = np.zeros((LANES, 4), np.uint32)
        memory = Memory()
        kernarg = memory.place(result, "out").to_bytes(8, "little")
        report = program.launch((1,), (1,), kernarg, memory, Mode(checks=checks))
        assert result[0].tolist() == [first, second, first + 1, 0]
        assert not [f for f in report.findings if f.severity > 0]


def test_text_counts_addresses_as_the_assembler_does(tmp_path: Path) -> None:
    body = """
\ts_movk_i32 s4, 0x1234
\ts_cmpk_gt_u32 s4, 0xff
\ts_mov_b32 s5, 0x1234
\ts_mov_b32 s5, 0.5
\ts_mov_b32 s5, 0.3
\ts_setreg_imm32_b32 hwreg(HW_REG_MODE, 0, 2), 1
\ts_waitcnt vmcnt(0)
\tv_readfirstlane_b32 s4, v0
\tv_mul_lo_u32 v1, v0, v0
\tv_cvt_pk_bf16_f32 v1, v0, v0
\tv_readlane_b32 s4, v0, 3
\tv_add_f32_e32 v1, 0x40400000, v0
\tv_fmaak_f32 v1, v0, v0, 0x40400000
\tv_mov_b32_dpp v1, v0 row_mirror row_mask:0xf bank_mask:0xf
\tv_accvgpr_write_b32 a0, v0
\tv_lshlrev_b64 v[2:3], 3, v[0:1]
\ts_nop 7"""
    text = kernel_text(body)
    built = load(link(text, tmp_path))
    assert meanings(built.instructions[: len(body.split("\n"))]) == meanings(load(text).instructions)


METADATA = """
\t.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .name:           out
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .name:           half
        .offset:         8
        .size:           2
        .value_kind:     by_value
      - .name:           number
        .offset:         12
        .size:           4
        .value_kind:     by_value
      - .name:           single
        .offset:         16
        .size:           4
        .value_kind:     by_value
      - .name:           double
        .offset:         24
        .size:           8
        .value_kind:     by_value
      - .offset:         32
        .size:           4
        .value_kind:     hidden_block_count_x
      - .offset:         36
        .size:           4
        .value_kind:     hidden_block_count_y
      - .offset:         40
        .size:           2
        .value_kind:     hidden_group_size_x
      - .offset:         42
        .size:           2
        .value_kind:     hidden_grid_dims
    .group_segment_fixed_size: 0
    .kernarg_segment_align: 8
    .kernarg_segment_size: 64
    .max_flat_workgroup_size: 64
    .name:           packed
    .private_segment_fixed_size: 0
    .sgpr_count:     16
    .symbol:         k.kd
    .vgpr_count:     8
    .wavefront_size: 64
amdhsa.version:
  - 1
  - 2
...
\t.end_amdgpu_metadata
"""
DUMP = """
\ts_load_dwordx2 s[4:5], s[0:1], 0x0
\ts_load_dwordx16 s[16:31], s[0:1], 0x0
\ts_waitcnt lgkmcnt(0)
\tv_mov_b32_e32 v1, 0
""" + "".join(f"\tv_mov_b32_e32 v2, s{16 + n}\n\tglobal_store_dword v1, v2, s[4:5] offset:{4 * n}\n" for n in range(16))


def packed() -> Program:
    return load(kernel_text(DUMP) + METADATA)


@pytest.mark.parametrize("from_object", [False, True])
def test_kernel_arguments_are_packed_by_the_metadata(tmp_path: Path, from_object: bool) -> None:
    program = load(link(kernel_text(DUMP) + METADATA, tmp_path)) if from_object else packed()
    out = np.zeros(64, np.uint8)
    memory = Memory()
    address = memory.place(out, "out")
    program.launch((3, 2), (32,), [address, 1.5, -7, 0.1, 0.1], memory, Mode(workgroups=[0]))
    expected = struct.pack("<Qe2xifxxxxdIIHH", address, 1.5, -7, 0.1, 0.1, 3, 2, 32, 2)
    assert out.tobytes() == expected.ljust(64, b"\0")


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([0, 0, 0, 0], "4 kernel arguments"),
        ([0, 1 << 16, 0, 0, 0], "half"),
        ([0, 0, 1 << 32, 0, 0], "number"),
        ([0, 0, 0, 1e39, 0], "single"),
        ([-1 << 64, 0, 0, 0, 0], "out"),
        ([0, b"abc", 0, 0, 0], "half"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(values: list[int | float | bytes], words: str) -> None:
    with pytest.raises(LaunchError, match=words) as caught:
        packed().launch((1,), (64,), values, Memory())
    assert caught.value.code == "CKM102"


def test_kernarg_bytes_must_cover_the_segment() -> None:
    with pytest.raises(LaunchError, match="kernarg of 63 bytes"):
        packed().launch((1,), (64,), bytes(63), Memory())


def test_a_code_object_needs_a_disassembler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = link(RODATA, tmp_path)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DisassemblerMissing, match="llvm-22") as caught:
        load(file)
    assert caught.value.code == "CKM030"


def test_an_old_disassembler_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = link(RODATA, tmp_path)
    tool = tmp_path / "llvm-objdump"
    tool.write_text("#!/bin/sh\necho 'LLVM version 19.1.0'\n", encoding="utf-8")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(DisassemblerMissing, match="found llvm-objdump 19"):
        load(file)


def test_an_object_that_was_not_linked_is_refused(tmp_path: Path) -> None:
    link(RODATA, tmp_path)
    with pytest.raises(ProgramError, match="link the object first"):
        load(tmp_path / "k.o")


def test_the_architecture_is_the_objects(tmp_path: Path) -> None:
    file = link(RODATA, tmp_path, "gfx942")
    assert load(file).arch == "gfx942"
    with pytest.raises(ProgramError, match="gfx942, not gfx950"):
        load(file, "gfx950")
