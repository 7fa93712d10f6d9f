# SPDX-License-Identifier: Apache-2.0
"""Kernels that are right at a comfortable shape and wrong at another: the proof at that other shape says so."""

from __future__ import annotations

from dataclasses import replace

from oracle import machine
from oracle.verify import Case, CaseResult, KernelUnderTest, Window, proof_cases, prove
from porter.kernel_spec import KernelSpec
from porter.measure.under_test import under_test
from tests.porter.kernels import compiled
from tests.porter.specs import DECODE, EIGHT_WAVE

SPLIT_K = replace(DECODE, split_k=4)

CHECKED = machine.Mode(landing="late", checks=True, threads=2)


def planted(spec: KernelSpec, n: int, k: int, more: dict[str, str] | None = None) -> KernelUnderTest:
    """The template's kernel with some of its blocks defined anew."""
    return under_test(spec, compiled(spec, n, k, more=more))


def at(kernel: KernelUnderTest, m: int) -> CaseResult:
    (result,) = prove(kernel, [Case(m, "general", CHECKED)])
    return result


#: x * 86 >> 8 is x // 3 up to 127.
_MAGIC = """
def tile_of(g, M, workgroup):
    row = (workgroup * (-(-256 // g.grid_n))) >> 8
    return row, workgroup - row * g.grid_n
"""


def test_a_magic_division_that_is_too_short_for_many_workgroups() -> None:
    kernel = planted(DECODE, 384, 128, {"_raster.py": _MAGIC})
    assert at(kernel, 16 * 40).proved
    wrong = at(kernel, 16 * 50)
    assert not wrong.comparison.equal
    assert {finding.code for finding in wrong.severe} & {"CKM221", "CKM232"}


_EVEN_COLUMNS = """
import copy

right = _offset


def _offset(g, tile, *rest):
    tile = copy.copy(tile)
    tile.columns = tile.columns // 16 * 16
    return right(g, tile, *rest)
"""


def test_columns_that_are_dropped_where_n_is_an_odd_multiple_of_8() -> None:
    assert at(planted(DECODE, 144, 256, {"_store.py": _EVEN_COLUMNS}), 16).proved
    wrong = at(planted(DECODE, 136, 256, {"_store.py": _EVEN_COLUMNS}), 16)
    assert wrong.comparison.mismatches + wrong.comparison.overwritten == 16 * 8


_SKIPPING_WAVES = """
right = _shuffled_source


def _shuffled_source(g, tile, half, step):
    # Past the descriptor a DMA moves zeros.
    first_row = fx.thread_idx.x // LANES // g.waves_n * g.wave_m
    return (first_row < tile.rows).select(right(g, tile, half, step), 1 << 30)
"""


def test_waves_past_the_last_row_that_skip_their_share_of_the_dma() -> None:
    kernel = planted(EIGHT_WAVE, 256, 256, {"_lds_halves.py": _SKIPPING_WAVES})
    assert at(kernel, 128).proved
    assert not at(kernel, 64).proved


#: The descriptor of C over all rows, as large as its 32 bits allow, and offsets that count from row 0.
_ALL_OF_C = {
    "_tile.py": """
class Tile(Tile):
    def result(self, C):
        return fx.rocdl.make_buffer_ptr(C, num_records_bytes=0xFFFFFFFF)
""",
    "_store.py": """
right = _offset


def _offset(g, tile, *rest):
    return right(g, tile, *rest) + tile.m0 * g.N
""",
}


def test_offsets_of_32_bits_over_all_of_c() -> None:
    """The last workgroup of a C of more than 4 GiB, of which only its own rows are there."""
    m, n, k, tile = 131072, 129 * 128, 128, 16
    window = Window(m - tile, ((m // tile * 129 - 1,),))
    for more, right in ({}, True), (_ALL_OF_C, False):
        (result,) = prove(planted(DECODE, n, k, more), [Case(m, "general", CHECKED, window=window)])
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


_CLEAR = """
right = store_tile


def store_tile(g, tile, lane, c_rsrc, acc, scales):
    atom = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), out_type(g))
    zero = fx.Vector.filled(4, 0.0, fx.Float32).to(out_type(g))
    for part in range(g.waves * g.n_tiles):
        for mt in range(g.m_tiles):
            start = lane.m_row(mt) * g.N + tile.n0 + 16 * part + 4 * lane.group
            store_four(atom, c_rsrc + (lane.wave == 0).select(start, _DROPPED_16B), zero, out_type(g))
    right(g, tile, lane, c_rsrc, acc, scales)
"""


def test_one_wave_clears_what_all_waves_store() -> None:
    """In ascending order of waves the values are right; the check sees the race in every order."""
    kernel = planted(DECODE, 256, 256, {"_store.py": _CLEAR})
    modes = [replace(CHECKED, wave_order=order) for order in machine.ORDERS]
    results = list(prove(kernel, [Case(16, "general", mode) for mode in modes]))
    assert [result.comparison.equal for result in results[:2]] == [True, False]
    for result in results:
        assert "CKM237" in {finding.code for finding in result.severe}
    assert not all(result.comparison.equal for result in prove(kernel, proof_cases((16,), ("exact",), 1)))


#: The second pass keeps what C holds, unless that is NaN as it is in a proof.
_KEEPS_C = """
class SplitK(SplitK):
    def _store_row(self, C, m, column, total):
        row = fx.rocdl.make_buffer_ptr(C + fx.Int64(m) * self.g.N, num_records_bytes=2 * self.g.N)
        found = fx.make_rmem_tensor(4, fx.BFloat16)
        atom = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), fx.BFloat16)
        fx.copy(atom, fx.make_view(row + column, fx.make_layout(4, 1)), found)
        there = found.load().to(fx.Float32)
        super()._store_row(C, m, column, (there == there).select(there, total))
"""


def test_a_second_pass_that_reads_what_nothing_wrote() -> None:
    result = at(planted(SPLIT_K, 128, 512, {"_split_k.py": _KEEPS_C}), 16)
    assert result.comparison.equal and {finding.code for finding in result.severe} == {"CKM214"}
    assert at(planted(SPLIT_K, 128, 512), 16).proved
