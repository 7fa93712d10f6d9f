# SPDX-License-Identifier: Apache-2.0
"""Host functions as their callers use them: on several devices, in threads, under capture, in compiled graphs.

FlyDSL and the devices are stand-ins; `cuda_host_check.py` does the same with CUDA's own, `test_hip.py` with FlyDSL's.
"""

from __future__ import annotations

import ctypes
import importlib
import inspect
import itertools
import os
import shutil
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from tests.generated.stand_in import PLAIN, SHUFFLED, SPLIT, FlyDsl, Launch, operands

M, N, K = 5, 256, 512
ENTRY = {PLAIN: "gemm_a8w8_blockscale", SPLIT: "gemm_a8w8_blockscale", SHUFFLED: "gemm_a8w8_blockscale_bpreshuffle"}
_packages = itertools.count()


@dataclass
class World:
    """A folder of kernels on CPU tensors that count as tensors of `device`."""

    package: str
    flydsl: FlyDsl
    modules: dict[str, ModuleType]
    dispatch: Any
    device: int = 0
    capturing: bool = False
    current: threading.local = field(default_factory=threading.local)

    def call(self, kernel: str = PLAIN, m: int = M, **change: Any) -> torch.Tensor:
        out: torch.Tensor = getattr(self.modules[kernel], ENTRY[kernel])(**{**operands(m, N, K), **change})
        return out

    @contextmanager
    def on(self, device: int) -> Iterator[None]:
        before = getattr(self.current, "device", 0)
        self.current.device = device
        yield
        self.current.device = before


@pytest.fixture
def world(repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    package = f"kernels_under_test_{next(_packages)}"
    shutil.copytree(repository / "generated", tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.syspath_prepend(str(tmp_path))
    flydsl = FlyDsl(on_launch=fill)
    names = importlib.import_module(f"{package}.dispatch_rows").KERNELS
    modules = {name: flydsl.kernel(package, name) for name in names}
    made = World(package, flydsl, modules, importlib.import_module(f"{package}.dispatch"))
    host: Any = sys.modules[f"{package}._host"]
    monkeypatch.setattr(host.HostFunction, "_index", lambda self, device: made.device)
    monkeypatch.setattr(made.dispatch, "_device", lambda device: ("gfx950", 256))
    monkeypatch.setattr(torch.cuda, "device", made.on)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: getattr(made.current, "device", 0))
    monkeypatch.setattr(torch.cuda, "current_stream", lambda index: SimpleNamespace(cuda_stream=0x57 + index))
    monkeypatch.setattr(torch.cuda, "is_current_stream_capturing", lambda: made.capturing)
    return made


def fill(launch: Launch) -> None:
    """The kernel's result: bf16 0x3F3F in every element of C."""
    ctypes.memset(launch.addresses[0], 0x3F, launch.m * N * 2)


FILLED = torch.tensor(0x3F3F, dtype=torch.int16).view(torch.bfloat16)


@pytest.mark.parametrize("kernel", [PLAIN, SHUFFLED, SPLIT])
def test_a_call_hands_over_its_tensors_in_the_order_of_the_abi(kernel: str, world: World) -> None:
    tensors = operands(M, N, K)
    result = world.call(kernel, **tensors)
    (launch,) = world.flydsl.launches
    addresses = [result.data_ptr(), *(tensors[name].data_ptr() for name in ("XQ", "WQ", "x_scale", "w_scale"))]
    assert list(launch.addresses[:5]) == addresses and len(launch.addresses) == 5 + (kernel == SPLIT)
    assert (launch.m, launch.stream, launch.device) == (M, 0x57, 0)
    assert result.dtype == torch.bfloat16 and torch.equal(result, FILLED.expand(M, N))
    given = torch.empty(M, N, dtype=torch.bfloat16)
    assert world.call(kernel, out=given) is given and world.flydsl.launches[1].addresses[0] == given.data_ptr()
    assert len(world.flydsl.compiled) == 1


def test_no_rows_launch_nothing(world: World) -> None:
    assert world.call(m=0).shape == (0, N) and not world.flydsl.launches


def test_the_parameters_are_aiters(world: World) -> None:
    """Of aiter's `gemm_op_a8w8`: the plain function has no `out`, ours takes it by name alone."""
    common = ["XQ", "WQ", "x_scale", "w_scale", "dtype"]
    for module, name in ((world.modules[PLAIN], ENTRY[PLAIN]), (world.dispatch, ENTRY[PLAIN])):
        parameters = inspect.signature(getattr(module, name)).parameters
        assert list(parameters) == [*common, "isBpreshuffled", "out"]
        assert parameters["isBpreshuffled"].default is False and parameters["out"].kind.name == "KEYWORD_ONLY"
        with pytest.raises(ValueError, match="isBpreshuffled: True"):
            getattr(module, name)(**operands(M, N, K), isBpreshuffled=True)
    for module in (world.modules[SHUFFLED], world.dispatch):
        assert list(inspect.signature(getattr(module, ENTRY[SHUFFLED])).parameters) == [*common, "out"]


def test_every_device_has_its_own_launcher(world: World) -> None:
    for device in (0, 1, 0, 1):
        world.device = device
        world.call()
    assert [compiled.device for compiled in world.flydsl.compiled] == [0, 1]
    assert [launch.device for launch in world.flydsl.launches] == [0, 1, 0, 1]
    assert all(launch.device == launch.compiled.device for launch in world.flydsl.launches)
    assert [launch.stream for launch in world.flydsl.launches] == [0x57, 0x58, 0x57, 0x58]


def test_first_calls_of_threads_compile_once_and_one_at_a_time(world: World) -> None:
    kernels = [PLAIN, SHUFFLED, SPLIT] * 4
    start = threading.Barrier(len(kernels))
    failed: list[BaseException] = []

    def call(kernel: str) -> None:
        start.wait()
        try:
            world.call(kernel)
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=call, args=(kernel,)) for kernel in kernels]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed and world.flydsl.overlaps == 0
    assert len(world.flydsl.compiled) == 3 and len(world.flydsl.launches) == len(kernels)


def test_the_arch_is_the_kernels_whatever_the_environment_says(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_GPU_ARCH", "gfx942")
    monkeypatch.setenv("COMPILE_ONLY", "1")
    monkeypatch.delenv("ARCH", raising=False)
    world.call()
    assert [(compiled.arch, compiled.compile_only) for compiled in world.flydsl.compiled] == [("gfx950", "0")]
    assert (os.environ["FLYDSL_GPU_ARCH"], os.environ["COMPILE_ONLY"], os.environ.get("ARCH")) == ("gfx942", "1", None)


def test_a_compilation_that_fails_leaves_nothing_behind(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FLYDSL_GPU_ARCH", "gfx942")

    def fail() -> None:
        raise MemoryError("no memory")

    world.flydsl.on_compile = fail
    with pytest.raises(MemoryError):
        world.call()
    assert os.environ["FLYDSL_GPU_ARCH"] == "gfx942"
    world.flydsl.on_compile = lambda: None
    assert torch.equal(world.call(), FILLED.expand(M, N))


def test_a_capture_compiles_nothing(world: World) -> None:
    world.capturing = True
    message = r"N = 256, K = 512, a_stride = 512, b_stride = 512 is not prepared for cuda:0, .* call prepare\(0, "
    with pytest.raises(RuntimeError, match=message):
        world.call()
    assert not world.flydsl.compiled
    world.capturing = False
    assert world.modules[PLAIN].prepare("cuda:0", [(N, K), (N, K, K + 16, K + 256)]) is None
    assert [compiled.device for compiled in world.flydsl.compiled] == [0, 0] and not world.flydsl.launches
    world.capturing = True
    world.call()
    world.call(XQ=padded(M, K, 16), WQ=padded(N, K, 256))
    assert len(world.flydsl.compiled) == 2 and len(world.flydsl.launches) == 2
    with pytest.raises(RuntimeError, match="b_stride = 544 is not prepared"):
        world.call(WQ=padded(N, K, 32))


def test_dispatch_prepares_what_its_calls_run(world: World) -> None:
    shapes = [(1, N, K), (5000, N, K), (M, N, K, K + 16, K)]
    choices = world.dispatch.prepare("cuda:0", shapes, "plain")
    assert choices == [world.dispatch.choose("gfx950", 256, "plain", *shape[:3]) for shape in shapes]
    compiled = len(world.flydsl.compiled)
    world.capturing = True
    for m, change in ((1, {}), (5000, {}), (M, {"XQ": padded(M, K, 16)})):
        world.dispatch.gemm_a8w8_blockscale(**{**operands(m, N, K), **change})
    assert len(world.flydsl.launches) == 3 and len(world.flydsl.compiled) == compiled
    with pytest.raises(ValueError, match="no kernel for gfx950 other"):
        world.dispatch.prepare("cuda:0", shapes, "other")


def padded(rows: int, columns: int, padding: int) -> torch.Tensor:
    """fp8 [rows, columns] with `padding` bytes between rows."""
    whole = torch.zeros((rows, columns + padding), dtype=torch.uint8).view(torch.float8_e4m3fn)
    return whole[:, :columns]


def test_padded_rows_run_a_launcher_of_their_own(world: World) -> None:
    keys = world.modules[PLAIN].HOST._launchers
    world.call(XQ=padded(M, K, 16), WQ=padded(N, K, 256))
    fused = torch.zeros((M, 3 * K), dtype=torch.uint8).view(torch.float8_e4m3fn)
    world.call(XQ=fused[:, K : 2 * K])
    # A row alone has no padding, whatever its stride says.
    world.call(m=1, XQ=fused[:1, :K])
    assert [key[3:] for key in keys] == [(K + 16, K + 256), (3 * K, K), (K, K)]
    world.call(SHUFFLED, XQ=fused[:, K : 2 * K])
    assert [key[3:] for key in world.modules[SHUFFLED].HOST._launchers] == [(3 * K, K)]


def test_addresses_that_loads_cannot_take_are_refused(world: World) -> None:
    buffer = torch.zeros(N * K + 16, dtype=torch.uint8)
    odd = buffer[8 : 8 + M * K].view(torch.float8_e4m3fn).view(M, K)
    with pytest.raises(ValueError, match=r"XQ: starts at address 0x\w+, expected a multiple of 16 bytes"):
        world.call(XQ=odd)
    with pytest.raises(ValueError, match=r"out: starts at address 0x\w+, expected a multiple of 8 bytes"):
        world.call(out=torch.zeros(M * N + 1, dtype=torch.bfloat16)[1:].view(M, N))
    assert not world.flydsl.launches


def test_fake_tensors_launch_nothing_and_are_checked(world: World) -> None:
    with FakeTensorMode() as mode:
        tensors = {name: mode.from_tensor(tensor) for name, tensor in operands(M, N, K).items()}
        assert world.call(**tensors).shape == (M, N)
        with pytest.raises(ValueError, match="XQ: dtype"):
            world.call(**{**tensors, "XQ": tensors["XQ"].view(torch.uint8)})
        assert world.dispatch.gemm_a8w8_blockscale(**tensors).dtype == torch.bfloat16
    assert not world.flydsl.compiled and not world.flydsl.launches


def calls(world: World) -> dict[str, Any]:
    """Functions for a graph: a kernel's own, and dispatch's, which chooses anew for every M."""
    return {
        "kernel": getattr(world.modules[PLAIN], ENTRY[PLAIN]),
        "dispatch": world.dispatch.gemm_a8w8_blockscale,
    }


@pytest.mark.parametrize("backend", ["eager", "aot_eager"])
@pytest.mark.parametrize("name", ["kernel", "dispatch"])
def test_compiled_graphs_are_whole(name: str, backend: str, world: World) -> None:
    call = calls(world)[name]
    torch._dynamo.reset()
    graph: Any = torch.compile(lambda tensors: call(**tensors) * 2, backend=backend, fullgraph=True, dynamic=True)
    for m in (M, 70, 5000):
        assert torch.equal(graph(operands(m, N, K)), 2 * FILLED.expand(m, N))
    assert [launch.m for launch in world.flydsl.launches] == [M, 70, 5000]
    chosen = {world.dispatch.choose("gfx950", 256, "plain", m, N, K).kernel for m in (M, 70, 5000)}
    assert len(world.flydsl.compiled) == (1 if name == "kernel" else len(chosen)) and len(chosen) > 1


@pytest.mark.parametrize("strict", [False, True])
@pytest.mark.parametrize("name", ["kernel", "dispatch"])
def test_exported_programs_run_with_any_number_of_rows(name: str, strict: bool, world: World) -> None:
    call = calls(world)[name]

    class Linear(torch.nn.Module):
        def forward(
            self, XQ: torch.Tensor, WQ: torch.Tensor, x_scale: torch.Tensor, w_scale: torch.Tensor
        ) -> torch.Tensor:
            result: torch.Tensor = call(XQ, WQ, x_scale, w_scale)
            return result

    torch._dynamo.reset()
    rows = torch.export.Dim("rows", min=1, max=8192)
    shapes = {"XQ": {0: rows}, "WQ": None, "x_scale": {0: rows}, "w_scale": None}
    program = torch.export.export(Linear(), tuple(operands(M, N, K).values()), dynamic_shapes=shapes, strict=strict)
    assert not world.flydsl.launches
    for m in (1, 600):
        assert torch.equal(program.module()(*operands(m, N, K).values()), FILLED.expand(m, N))
    functional = program.run_decompositions().module()
    assert torch.equal(functional(*operands(9, N, K).values()), FILLED.expand(9, N))


def test_the_ops_keep_what_torch_asks_of_them(world: World) -> None:
    namespace = getattr(torch.ops, world.package)
    for name in (PLAIN, SHUFFLED, "gemm_a8w8_blockscale"):
        world.dispatch.gemm_a8w8_blockscale(**operands(M, N, K))
        arguments = (*operands(M, N, K).values(), torch.zeros(M, N, dtype=torch.bfloat16))
        # test_schema multiplies its inputs, which torch cannot do with fp8.
        tests = ("test_autograd_registration", "test_faketensor", "test_aot_dispatch_dynamic")
        torch.library.opcheck(getattr(namespace, name).default, arguments, test_utils=tests)


def test_a_module_that_is_imported_anew_replaces_its_op(world: World) -> None:
    old = world.modules[PLAIN]
    del sys.modules[old.__name__]
    world.modules[PLAIN] = world.flydsl.kernel(world.package, PLAIN)
    world.call()
    assert world.modules[PLAIN].HOST._launchers and not old.HOST._launchers


def test_dispatch_remembers_what_it_chose(world: World) -> None:
    world.dispatch.choose.cache_clear()
    for _ in range(3):
        world.dispatch.gemm_a8w8_blockscale(**operands(M, N, K))
    assert (world.dispatch.choose.cache_info().hits, world.dispatch.choose.cache_info().misses) == (2, 1)
