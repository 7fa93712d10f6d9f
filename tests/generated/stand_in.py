# SPDX-License-Identifier: Apache-2.0
"""A stand-in for FlyDSL: kernels' modules import it, compile with it and launch nothing; what they ask for is recorded.

It needs neither FlyDSL nor pytest, so that `cuda_host_check.py` runs wherever torch does.
"""

from __future__ import annotations

import importlib
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any
from unittest import mock

import torch

PLAIN = "flydsl_a8w8_blockscale_plain_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd8_ks1_rm_bf16"
SHUFFLED = "flydsl_a8w8_blockscale_bpreshuffle_gfx950_1x128x128_4w_64x256x128_16x16x128_cluster_wpe2_xcd8_ks1_km_bf16"
SPLIT = "flydsl_a8w8_blockscale_plain_gfx950_1x128x128_dec_16x128x128_16x16x128_cluster_wpe2_xcd0_ks4_rm_bf16"


@dataclass(frozen=True)
class Launch:
    """device: the current one at the launch; addresses: of the kernel's pointers, C first; stream: its address."""

    compiled: Compiled
    device: int
    addresses: tuple[int, ...]
    m: int
    stream: int


@dataclass(eq=False)
class Compiled:
    """What stands for FlyDSL's compiled launcher. device: the current one when it was loaded, -1 before."""

    flydsl: FlyDsl
    arch: str
    compile_only: str
    device: int = -1
    _keepalive: Any = None

    def __post_init__(self) -> None:
        self._keepalive = mock.Mock(_get_func_exe=self._load)

    def _load(self) -> None:
        self.device = torch.cuda.current_device()

    def __call__(self, *arguments: int) -> None:
        *addresses, m, stream = arguments
        launch = Launch(self, torch.cuda.current_device(), tuple(addresses), m, stream)
        self.flydsl.launches.append(launch)
        self.flydsl.on_launch(launch)


@dataclass
class FlyDsl:
    """on_launch: does what the kernel would; overlaps: compilations that began before another had ended."""

    compiled: list[Compiled] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    overlaps: int = 0
    on_launch: Callable[[Launch], None] = lambda launch: None
    on_compile: Callable[[], None] = lambda: None
    _busy: threading.Lock = field(default_factory=threading.Lock)

    def compile(self, launcher: Any, *placeholders: Any) -> Compiled:
        alone = self._busy.acquire(blocking=False)
        self.overlaps += not alone
        try:
            time.sleep(0.01)  # long enough for another thread to come in
            self.on_compile()
            environment = (os.environ.get(name, "") for name in ("FLYDSL_GPU_ARCH", "COMPILE_ONLY"))
            self.compiled.append(Compiled(self, *environment))
        finally:
            if alone:
                self._busy.release()
        return self.compiled[-1]

    def modules(self) -> dict[str, Any]:
        """Module name -> stand-in. Types, atoms and decorators are mocks: a kernel's body is never traced."""
        compiler = mock.MagicMock(compile=self.compile, from_c_void_p=lambda kind, address: address)
        expr = mock.MagicMock(Stream=lambda address: address)
        llvm = mock.MagicMock()
        names = {"flydsl": mock.MagicMock(compiler=compiler, expr=expr), "flydsl.compiler": compiler}
        dialects = mock.MagicMock(llvm=llvm)
        return {
            **names,
            "flydsl.expr": expr,
            "flydsl._mlir": mock.MagicMock(dialects=dialects),
            "flydsl._mlir.dialects": dialects,
        }

    def kernel(self, package: str, kernel: str) -> ModuleType:
        """A kernel's module of a package that can be imported and was not yet, on this FlyDSL."""
        modules = self.modules()
        before = {name: sys.modules.get(name) for name in modules}
        sys.modules.update(modules)
        try:
            return importlib.import_module(f"{package}.{kernel}")
        finally:
            for name, module in before.items():
                if module is None:
                    del sys.modules[name]
                else:
                    sys.modules[name] = module


def operands(m: int, n: int, k: int, device: str = "cpu") -> dict[str, torch.Tensor]:
    """XQ, WQ, x_scale and w_scale in shape and dtype; their contents do not matter."""
    fp8 = torch.float8_e4m3fn
    return {
        "XQ": torch.zeros((m, k), dtype=torch.uint8, device=device).view(fp8),
        "WQ": torch.zeros((n, k), dtype=torch.uint8, device=device).view(fp8),
        "x_scale": torch.ones((m, k // 128), device=device),
        "w_scale": torch.ones((-(-n // 128), k // 128), device=device),
    }
