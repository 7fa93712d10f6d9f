# SPDX-License-Identifier: Apache-2.0
"""Blocks beside a kernel: what they import, that they are part of what is compiled, and what the raster deals out."""

from __future__ import annotations

import ast
import sys
from dataclasses import replace

import numpy as np
import pytest

from oracle import machine
from porter.kernel_spec import KernelSpec
from porter.proof.raster import raster
from porter.toolchain import CompileRequest, KernelSource, compile_kernel
from porter.write import emitter
from tests.porter.kernels import source
from tests.porter.specs import DECODE, FOUR_WAVE


@pytest.mark.parametrize("name", emitter.support_files())
def test_what_is_copied_imports_flydsl_torch_and_what_is_copied(name: str) -> None:
    files = emitter.support_files()
    for node in ast.walk(ast.parse(files[name])):
        if isinstance(node, ast.ImportFrom) and node.level:
            assert node.level == 1
            modules = [node.module] if node.module else [alias.name for alias in node.names]
            assert {f"{module}.py" for module in modules} <= set(files)
        elif isinstance(node, ast.Import | ast.ImportFrom):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names | {"flydsl", "torch"}
    assert name.startswith("_") and source(DECODE).self_contained


def test_a_changed_block_is_another_kernel() -> None:
    """Its text is part of the key: nothing stale is taken from the cache, and nothing fresh compiled again."""
    plain, other = source(DECODE), source(DECODE, more={"_geometry.py": "LANES = 64\n"})
    wrong = source(DECODE, more={"_store.py": "def converted(g, sums):\n    return (sums * 0.0).to(out_type(g))\n"})
    made = [compile_kernel(CompileRequest(item, 128, 256, "gfx950")) for item in (plain, wrong, other, plain)]
    assert [item.cached for item in made] == [False, False, False, True]
    assert made[0].isa == made[2].isa == made[3].isa != made[1].isa
    foreign = source(DECODE, more={"_store.py": "import yaml\n"})
    assert not foreign.self_contained


_PROBE = """
import flydsl.compiler as flyc
import flydsl.expr as fx

from . import _geometry, _raster

SPEC = {spec}
SPEC["args"] = [{{"name": "C", "kind": "pointer", "dtype": "fp32"}}, {{"name": "M", "kind": "i32"}}]


def build(N, K):
    g = _geometry.Geometry(SPEC, N, K, K, K)

    @flyc.kernel(name="probe")
    def probe(C: fx.Pointer, M: fx.Int32):
        row, column = _raster.tile_of(g, M, fx.block_idx.x)
        pair = fx.make_rmem_tensor(2, fx.Float32)
        pair.store(fx.Vector.from_elements([row.to(fx.Float32), column.to(fx.Float32)], fx.Float32))
        rsrc = fx.rocdl.make_buffer_ptr(C, num_records_bytes=fx.Int64(M) * 4096)
        atom = fx.make_copy_atom(fx.rocdl.BufferCopy64b(), fx.Float32)
        fx.copy(atom, pair, fx.make_view(rsrc + fx.block_idx.x * 2, fx.make_layout(2, 1)))

    @flyc.jit
    def launch(C: fx.Pointer, M: fx.Int32, stream: fx.Stream = fx.Stream(None)):
        probe(C, M).launch(grid=(M, 1, 1), block=(1, 1, 1), stream=stream)

    return launch
"""


@pytest.mark.parametrize("xcds", [0, 8, 5])
def test_each_workgroup_gets_the_tile_of_the_raster(xcds: int) -> None:
    spec: KernelSpec = replace(FOUR_WAVE, xcds=xcds)
    text = _PROBE.format(spec=emitter.spec_literal(spec))
    program = compile_kernel(CompileRequest(KernelSource("probe", text, emitter.support_files()), 700, 128, spec.arch))
    loaded = machine.load(program.isa, spec.arch)
    for m in (1, 64, 65, 64 * 4, 64 * 7 - 3, 64 * 13):
        tiles = -(-m // 64) * 3
        found, memory = np.zeros((tiles, 2), np.float32), machine.Memory()
        address = memory.place(found, "C")
        loaded.launch((tiles,), (1,), [address, m], memory, machine.Mode(), "probe")
        expected = raster(spec, m, 700)
        wanted = expected.tiles if expected else [(i // 3, i % 3) for i in range(tiles)]
        assert [(int(row), int(column)) for row, column in found] == list(wanted)
