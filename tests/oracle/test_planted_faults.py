# SPDX-License-Identifier: Apache-2.0
"""Kernels that are right at a comfortable shape and wrong at another: the proof at that other shape says so."""

from __future__ import annotations

from dataclasses import replace

from oracle import machine
from oracle.verify import Case, CaseResult, KernelUnderTest, Window, proof_cases, prove
from porter.kernel_spec import KernelSpec
from porter.proof.kernels import under_test
from tests.porter.kernels import compiled, rendered
from tests.porter.specs import DECODE, EIGHT_WAVE

SPLIT_K = replace(DECODE, split_k=4)

CHECKED = machine.Mode(landing="late", checks=True, threads=2)


def planted(spec: KernelSpec, n: int, k: int, *edits: tuple[str, str]) -> KernelUnderTest:
    """The template's kernel with some lines of its module changed."""
    text = rendered(spec)
    for was, now in edits:
        assert text.count(was) == 1, was
        text = text.replace(was, now)
    return under_test(spec, compiled(spec, n, k, text))


def at(kernel: KernelUnderTest, m: int) -> CaseResult:
    (result,) = prove(kernel, [Case(m, "general", CHECKED)])
    return result


def test_a_magic_division_that_is_too_short_for_many_workgroups() -> None:
    """x * 86 >> 8 is x // 3 up to 127."""
    was = "tile_m, tile_n = fx.block_idx.x // grid_n, fx.block_idx.x % grid_n"
    magic = "tile_m = (fx.block_idx.x * (-(-256 // grid_n))) >> 8"
    kernel = planted(DECODE, 384, 128, (was, f"{magic}\n        tile_n = fx.block_idx.x - tile_m * grid_n"))
    assert at(kernel, 16 * 40).proved
    wrong = at(kernel, 16 * 50)
    assert not wrong.comparison.equal
    assert {finding.code for finding in wrong.severe} & {"CKM221", "CKM232"}


def test_columns_that_are_dropped_where_n_is_an_odd_multiple_of_8() -> None:
    edit = "(column < columns)", "(column < columns // 16 * 16)"
    assert at(planted(DECODE, 144, 256, edit), 16).proved
    wrong = at(planted(DECODE, 136, 256, edit), 16)
    assert wrong.comparison.mismatches + wrong.comparison.overwritten == 16 * 8


def test_waves_past_the_last_row_that_skip_their_share_of_the_dma() -> None:
    was = "                fx.copy(load_lds, fx.make_view(source, chunk_view), view, soffset=kb * k_step[operand])\n"
    now = "                if wave_m * 64 < rows:\n    " + was
    kernel = planted(EIGHT_WAVE, 256, 256, (was, now))
    assert at(kernel, 128).proved
    assert not at(kernel, 64).proved


#: The descriptor of C over all rows, as large as its 32 bits allow, and offsets that count from row 0.
_ALL_OF_C = (
    (
        "c_rsrc = fx.rocdl.make_buffer_ptr(C + fx.Int64(m0) * N, num_records_bytes=fx.Int64(rows) * (2 * N))",
        "c_rsrc = fx.rocdl.make_buffer_ptr(C, num_records_bytes=0xFFFFFFFF)",
    ),
    ("offset = (16 * mt + row) * N + n0 + column", "offset = (m0 + 16 * mt + row) * N + n0 + column"),
)


def test_offsets_of_32_bits_over_all_of_c() -> None:
    """The last workgroup of a C of more than 4 GiB, of which only its own rows are there."""
    m, n, k, tile = 131072, 129 * 128, 128, 16
    window = Window(m - tile, ((m // tile * 129 - 1,),))
    for edits, right in ((), True), (_ALL_OF_C, False):
        (result,) = prove(planted(DECODE, n, k, *edits), [Case(m, "general", CHECKED, window=window)])
        others = tile * (n - 128)
        assert (result.comparison.mismatches == result.comparison.unwritten == others) == right
        assert (not result.severe) == right


#: At the start of the first pass, in the first wave: where the workspace holds something else than NaN, this was called
#: before, and 1.0 is left there instead of a sum.
_SECOND_CALL = """
\tv_readfirstlane_b32 s89, v0
\ts_or_b32 s89, s89, s2
\ts_cmp_lg_u32 s89, 0
\ts_cbranch_scc1 .Lplanted_end
\ts_load_dwordx2 s[90:91], s[0:1], 0x0
\ts_mov_b64 s[86:87], exec
\ts_mov_b64 exec, 1
\tv_mov_b32_e32 v250, 0
\tv_mov_b32_e32 v251, 0
\ts_waitcnt lgkmcnt(0)
\tglobal_atomic_or v252, v250, v251, s[90:91] sc0
\ts_waitcnt vmcnt(0)
\ts_nop 4
\tv_readfirstlane_b32 s88, v252
\ts_cmp_eq_u32 s88, 0x7fc00000
\ts_cbranch_scc1 .Lplanted_fresh
\tv_mov_b32_e32 v251, 1.0
\tglobal_store_dword v250, v251, s[90:91]
\ts_endpgm
.Lplanted_fresh:
\ts_mov_b64 exec, s[86:87]
.Lplanted_end:
"""


def test_state_that_one_call_leaves_for_the_next() -> None:
    kernel = planted(SPLIT_K, 128, 512)
    label = f"\n{kernel.steps(16)[0].kernel}:"
    assert kernel.isa.count(label) == 1
    head, tail = kernel.isa.split(label)
    start = tail.index("\n", tail.index("\ts_") - 1)
    stateful = replace(kernel, isa=f"{head}{label}{tail[:start]}{_SECOND_CALL}{tail[start + 1:]}")
    first, second = prove(stateful, [Case(16, "general", CHECKED, calls) for calls in (1, 2)])
    assert first.proved and not second.comparison.equal
    assert [result.proved for result in prove(kernel, [Case(16, "general", CHECKED, 2)])] == [True]
    assert not all(result.proved for result in prove(stateful, proof_cases((16,), ("exact",), 1)))


_STORES = """\
        for mt in range_constexpr(M_TILES):
            for nt in range_constexpr(N_TILES):
                column = wave"""
_CLEAR = """        if wave == 0:
            for part in range_constexpr(WAVES * N_TILES):
                for mt in range_constexpr(M_TILES):
                    zero = fx.make_rmem_tensor(4, fx.BFloat16)
                    zero.store(fx.Vector.filled(4, 0.0, fx.Float32).to(fx.BFloat16))
                    start = (16 * mt + row) * N + n0 + 16 * part + 4 * group
                    fx.copy(store_64b, zero, fx.make_view(c_rsrc + start, fx.make_layout(4, 1)))
"""


def test_one_wave_clears_what_all_waves_store() -> None:
    """In ascending order of waves the values are right; the check sees the race in every order."""
    kernel = planted(DECODE, 256, 256, (_STORES, f"{_CLEAR}{_STORES}"))
    modes = [replace(CHECKED, wave_order=order) for order in machine.ORDERS]
    results = list(prove(kernel, [Case(16, "general", mode) for mode in modes]))
    assert [result.comparison.equal for result in results[:2]] == [True, False]
    for result in results:
        assert "CKM237" in {finding.code for finding in result.severe}
    assert not all(result.comparison.equal for result in prove(kernel, proof_cases((16,), ("exact",), 1)))
