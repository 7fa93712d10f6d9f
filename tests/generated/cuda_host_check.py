# SPDX-License-Identifier: Apache-2.0
"""Host functions with CUDA's own tensors, streams and graphs: python -m tests.generated.cuda_host_check

Needs torch and an NVIDIA GPU, no FlyDSL. In the kernel's place a memset is enqueued on the stream that the kernel would
get, at the address that it would write: so it is captured, replayed and ordered as the kernel would be. Prints JSON;
exit 1 where a check failed.
"""

from __future__ import annotations

import ctypes
import json
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import torch

from tests.generated.stand_in import PLAIN, SHUFFLED, SPLIT, FlyDsl, Launch, operands

M, N, K = 5, 256, 512
ENTRY = {PLAIN: "gemm_a8w8_blockscale", SPLIT: "gemm_a8w8_blockscale", SHUFFLED: "gemm_a8w8_blockscale_bpreshuffle"}


class Cuda:
    """The kernels of `generated` on a GPU that counts as gfx950."""

    def __init__(self) -> None:
        self.driver = ctypes.CDLL("libcuda.so.1")
        self.flydsl = FlyDsl(on_launch=self.fill)
        self.value = 1
        import generated.dispatch_rows as rows

        self.modules = {name: self.flydsl.kernel("generated", name) for name in rows.KERNELS}
        import generated._host as host
        import generated.dispatch as dispatch

        host._device_arch = lambda index: "gfx950"  # type: ignore[assignment]
        dispatch._device = lambda device: ("gfx950", 256)  # type: ignore[assignment]
        self.dispatch: Any = dispatch

    def fill(self, launch: Launch) -> None:
        """bf16 of `value` in every element of C."""
        bits = torch.tensor(float(self.value), dtype=torch.bfloat16).view(torch.int16).item()
        error = self.driver.cuMemsetD16Async(
            ctypes.c_uint64(launch.addresses[0]),
            ctypes.c_ushort(int(bits)),
            ctypes.c_size_t(launch.m * N),
            ctypes.c_void_p(launch.stream),
        )
        assert error == 0, f"cuMemsetD16Async: {error}"

    def call(self, kernel: str, tensors: dict[str, torch.Tensor], **keywords: Any) -> torch.Tensor:
        out: torch.Tensor = getattr(self.modules[kernel], ENTRY[kernel])(**tensors, **keywords)
        return out

    def forget(self) -> None:
        for module in self.modules.values():
            module.HOST._launchers.clear()
        self.flydsl.compiled.clear()
        self.flydsl.launches.clear()


def two_streams(cuda: Cuda) -> None:
    tensors = operands(M, N, K, "cuda")
    streams = [torch.cuda.Stream(), torch.cuda.Stream()]
    for value, stream in enumerate(streams, 2):
        cuda.value = value
        with torch.cuda.stream(stream):
            result = cuda.call(PLAIN, tensors)
        stream.synchronize()
        assert bool((result == value).all())
    assert [launch.stream for launch in cuda.flydsl.launches] == [stream.cuda_stream for stream in streams]
    assert len(cuda.flydsl.compiled) == 1


def capture(cuda: Cuda) -> None:
    for kernel in (PLAIN, SHUFFLED, SPLIT):
        tensors = operands(M, N, K, "cuda")
        graph = torch.cuda.CUDAGraph()
        try:
            with torch.cuda.graph(graph):
                cuda.call(kernel, tensors)
        except RuntimeError as error:
            assert "is not prepared for cuda:0" in str(error), error
        else:
            raise AssertionError("a capture has compiled")
        assert not cuda.flydsl.compiled and not cuda.flydsl.launches
        cuda.modules[kernel].prepare("cuda", [(N, K)])
        graph, cuda.value = torch.cuda.CUDAGraph(), 3
        with torch.cuda.graph(graph):
            result = cuda.call(kernel, tensors)
        for _ in range(2):
            result.zero_()
            graph.replay()
            torch.cuda.synchronize()
            assert bool((result == 3).all())
        assert len(cuda.flydsl.compiled) == 1 and len(cuda.flydsl.launches) == 1
        cuda.forget()


def capture_of_dispatch(cuda: Cuda) -> None:
    ms = (1, 64, 300, 8192)
    choices = cuda.dispatch.prepare("cuda:0", [(m, N, K) for m in ms], "plain")
    assert len({choice.kernel for choice in choices}) > 1
    compiled, cuda.value = len(cuda.flydsl.compiled), 5
    for m in ms:
        graph, tensors = torch.cuda.CUDAGraph(), operands(m, N, K, "cuda")
        with torch.cuda.graph(graph):
            result = cuda.dispatch.gemm_a8w8_blockscale(**tensors)
        result.zero_()
        graph.replay()
        torch.cuda.synchronize()
        assert bool((result == 5).all())
    assert len(cuda.flydsl.compiled) == compiled


def devices(cuda: Cuda) -> None:
    for index in (0, 1, 0, 1):
        tensors = operands(M, N, K, f"cuda:{index}")
        result = cuda.call(PLAIN, tensors)
        assert result.device.index == index and bool((result == cuda.value).all())
    assert [compiled.device for compiled in cuda.flydsl.compiled] == [0, 1]
    assert [launch.device for launch in cuda.flydsl.launches] == [0, 1, 0, 1]
    assert torch.cuda.current_device() == 0


def compiled_graphs(cuda: Cuda) -> None:
    for call in (cuda.modules[PLAIN].gemm_a8w8_blockscale, cuda.dispatch.gemm_a8w8_blockscale):
        for backend in ("eager", "aot_eager", "inductor"):
            torch._dynamo.reset()

            def doubled(tensors: dict[str, torch.Tensor], call: Callable[..., torch.Tensor] = call) -> torch.Tensor:
                return call(**tensors) * 2

            graph: Any = torch.compile(doubled, backend=backend, fullgraph=True, dynamic=True)
            cuda.value = 7
            for m in (M, 70, 600):
                assert bool((graph(operands(m, N, K, "cuda")) == 14).all()), (backend, m)


def reduced_overhead(cuda: Cuda) -> None:
    """Inductor captures graphs of its own; its warm-up run compiles."""
    torch._dynamo.reset()
    cuda.value = 4
    graph: Any = torch.compile(
        lambda tensors: cuda.modules[PLAIN].gemm_a8w8_blockscale(**tensors) * 2, mode="reduce-overhead", fullgraph=True
    )
    tensors = operands(M, N, K, "cuda")
    for _ in range(4):
        assert bool((graph(tensors) == 8).all())
    assert len(cuda.flydsl.compiled) == 1


def exported(cuda: Cuda) -> None:
    class Linear(torch.nn.Module):
        def forward(
            self, XQ: torch.Tensor, WQ: torch.Tensor, x_scale: torch.Tensor, w_scale: torch.Tensor
        ) -> torch.Tensor:
            result: torch.Tensor = cuda.dispatch.gemm_a8w8_blockscale(XQ, WQ, x_scale, w_scale)
            return result

    rows = torch.export.Dim("rows", min=1, max=8192)
    program = torch.export.export(
        Linear(),
        tuple(operands(M, N, K, "cuda").values()),
        dynamic_shapes={"XQ": {0: rows}, "WQ": None, "x_scale": {0: rows}, "w_scale": None},
    )
    assert not cuda.flydsl.launches
    cuda.value = 6
    for m in (1, 600):
        assert bool((program.module()(*operands(m, N, K, "cuda").values()) == 6).all())


def threads(cuda: Cuda) -> None:
    kernels = [PLAIN, SHUFFLED, SPLIT] * 4
    start, wrong = threading.Barrier(len(kernels)), []

    def call(kernel: str) -> None:
        tensors, stream = operands(M, N, K, "cuda"), torch.cuda.Stream()
        start.wait()
        with torch.cuda.stream(stream):
            result = cuda.call(kernel, tensors)
        stream.synchronize()
        wrong.append(not bool((result == 9).all()) or stream.cuda_stream not in seen())

    def seen() -> set[int]:
        return {launch.stream for launch in cuda.flydsl.launches}

    cuda.value = 9
    torch.cuda.synchronize()
    started = [threading.Thread(target=call, args=(kernel,)) for kernel in kernels]
    for thread in started:
        thread.start()
    for thread in started:
        thread.join()
    assert wrong == [False] * len(kernels)
    assert len(cuda.flydsl.compiled) == 3 and cuda.flydsl.overlaps == 0


def padded_rows(cuda: Cuda) -> None:
    tensors = operands(M, N, K, "cuda")
    tensors["WQ"] = torch.nn.functional.pad(tensors["WQ"].view(torch.uint8), (0, 256))[:, :-256].view(
        torch.float8_e4m3fn
    )
    fused = torch.zeros((M, 3 * K), dtype=torch.uint8, device="cuda").view(torch.float8_e4m3fn)
    tensors["XQ"] = fused[:, K : 2 * K]
    cuda.call(PLAIN, tensors)
    assert list(cuda.modules[PLAIN].HOST._launchers) == [(0, N, K, 3 * K, K + 256)]
    assert cuda.flydsl.launches[0].addresses[1] == fused.data_ptr() + K


CHECKS = (
    two_streams,
    capture,
    capture_of_dispatch,
    devices,
    compiled_graphs,
    reduced_overhead,
    exported,
    threads,
    padded_rows,
)


def microseconds(cuda: Cuda) -> dict[str, float]:
    """CPU time of a call, the best of 7 runs, with a launch that does nothing."""
    tensors = operands(M, N, K, "cuda")
    out = torch.empty((M, N), dtype=torch.bfloat16, device="cuda")
    cuda.flydsl.on_launch = lambda launch: None
    cuda.call(PLAIN, tensors)
    host = cuda.modules[PLAIN].HOST
    arguments = (*tensors.values(), out)
    timed: dict[str, Callable[[], Any]] = {
        "checks": lambda: host._check(*arguments),
        "empty output": lambda: torch.empty((M, N), dtype=torch.bfloat16, device="cuda"),
        "kernel's call, out given": lambda: cuda.call(PLAIN, tensors, out=out),
        "dispatch's call, out given": lambda: cuda.dispatch.gemm_a8w8_blockscale(**tensors, out=out),
    }
    found = {}
    for name, run in timed.items():
        best = float("inf")
        for _ in range(7):
            start = time.perf_counter()
            for _ in range(2000):
                run()
            best = min(best, (time.perf_counter() - start) / 2000)
            cuda.flydsl.launches.clear()
        found[name] = round(best * 1e6, 2)
    return found


def main() -> int:
    cuda = Cuda()
    said: dict[str, str] = {}
    for check in CHECKS:
        cuda.forget()
        if check is devices and torch.cuda.device_count() < 2:
            said[check.__name__] = "not run: one device"
            continue
        try:
            check(cuda)
            said[check.__name__] = "good"
        except Exception as error:
            said[check.__name__] = f"FAILED: {type(error).__name__}: {error}"[:2000]
    cuda.forget()
    versions = {"torch": torch.__version__, "gpu": torch.cuda.get_device_name(), "gpus": torch.cuda.device_count()}
    print(json.dumps({**versions, "checks": said, "us": microseconds(cuda)}, indent=1))
    return int(any(text.startswith("FAILED") for text in said.values()))


if __name__ == "__main__":
    sys.exit(main())
