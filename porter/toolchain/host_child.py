# SPDX-License-Identifier: Apache-2.0
"""Call a module's host function without a GPU and record what it launches; runs in a compiling child only.

FlyDSL's `compile` gives a stand-in that records the arguments of its calls, torch's CUDA calls answer as one GPU of the
kernel's arch does, and operands are CPU tensors that say they lie on it. Nothing else of the module is replaced.
"""

from __future__ import annotations

import contextlib
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any
from unittest import mock

import flydsl.compiler as flyc
import torch
from flydsl.compiler import jit_function

from porter.toolchain import _flydsl
from porter.toolchain.host_calls import HostCall, Way

_STREAM = 0x5EA0
_DEVICE = torch.device("cuda", 0)


class OnGpu(torch.Tensor):
    """A CPU tensor that says it lies on the GPU."""

    @property
    def device(self) -> torch.device:  # type: ignore[override]
        return _DEVICE

    @property
    def is_cuda(self) -> bool:  # type: ignore[override]
        return True


class Recorder:
    """In the place of `flyc.compile`. identities: of every launcher that was compiled; calls: (identity, arguments)."""

    def __init__(self) -> None:
        self.hints: dict[str, Any] = {}
        self.identities: list[str] = []
        self.calls: list[tuple[str, list[Any]]] = []

    def __getitem__(self, hints: dict[str, Any]) -> Recorder:
        self.hints = hints
        return self

    def __call__(self, launcher: Any, *arguments: Any, **named: Any) -> Any:
        hints, self.hints = self.hints, {}
        launcher.compile_hints = {**launcher.compile_hints, **hints}
        if not arguments and not named:
            return launcher
        bound = jit_function.resolve_signature(launcher.func).bind(*arguments, **named)
        placeholders = list(bound.arguments.values())
        with _flydsl.traced(launcher, placeholders) as traced:
            identity = traced.identity()
        self.identities.append(identity)

        def call(*values: Any) -> None:
            self.calls.append((identity, [plain(value) for value in values]))

        if any(isinstance(value, flyc.protocol.JitArgument) and _address(value) for value in placeholders):
            call(*placeholders)  # live operands: FlyDSL launches at once
        stand_in = mock.Mock(side_effect=call)
        stand_in._keepalive = types.SimpleNamespace(_get_func_exe=lambda: None)
        return stand_in


def _address(value: Any) -> int:
    pointer = getattr(value, "pointer", None)
    return (pointer.value or 0) if pointer is not None else 0


def plain(value: Any) -> Any:
    """An argument of a launcher as a number: the address of a pointer, a stream or a tensor, or the integer itself."""
    if hasattr(value, "pointer"):
        return _address(value)
    if getattr(value, "_is_stream_param", False):
        value = value.value
    if isinstance(value, torch.Tensor):
        return value.data_ptr()
    if hasattr(value, "cuda_stream"):
        return value.cuda_stream
    return value if isinstance(value, int) or value is None else repr(value)


@dataclass(frozen=True, slots=True)
class Given:
    """The operands of one call, and the output's dtype."""

    XQ: Any
    WQ: Any
    x_scale: Any
    w_scale: Any
    dtype: Any

    def out(self) -> Any:
        return torch.empty((self.XQ.shape[0], self.WQ.shape[0]), dtype=self.dtype, device=_DEVICE)


def _returns(module: Any, function: str, given: Given) -> Any:
    return getattr(module, function)(given.XQ, given.WQ, given.x_scale, given.w_scale, given.dtype)


def _fills(module: Any, function: str, given: Given) -> Any:
    out = given.out()
    named = {"out": out, "dtype": given.dtype}
    result = getattr(module, function)(given.XQ, given.WQ, given.x_scale, given.w_scale, **named)
    return out if result.data_ptr() == out.data_ptr() else None


def _dispatched(module: Any, function: str, given: Given) -> Any:
    # At one N and K both may give the same; the proof is of what `build` gives at all of them.
    if vars(module.HOST).get("_build", module.build) is not module.build:
        raise ValueError("HOST launches what another function than the module's build returns")
    out = given.out()
    module.HOST.run(given.XQ, given.WQ, given.x_scale, given.w_scale, out)
    return out


def _k_major(module: Any, function: str, given: Given) -> Any:
    rows, blocks = given.x_scale.shape
    return _returns(module, function, replace(given, x_scale=given.x_scale.view(blocks, rows).t()))


def _other_dtype(module: Any, function: str, given: Given) -> Any:
    other = torch.float16 if given.dtype is torch.bfloat16 else torch.bfloat16
    return _returns(module, function, replace(given, dtype=other))


def _columns_apart(module: Any, function: str, given: Given) -> Any:
    m, k = given.XQ.shape
    return _returns(module, function, replace(given, XQ=given.XQ.view(k, m).t()))


def _rows_8_apart(module: Any, function: str, given: Given) -> Any:
    m, k = given.XQ.shape
    rows = _on_gpu(torch.empty((m, k + 8), dtype=torch.uint8).view(given.XQ.dtype))[:, :k]
    return _returns(module, function, replace(given, XQ=rows))


def _fewer_scales(module: Any, function: str, given: Given) -> Any:
    return _returns(module, function, replace(given, w_scale=given.w_scale[:, :-1].contiguous()))


def _integer_scales(module: Any, function: str, given: Given) -> Any:
    return _returns(module, function, replace(given, x_scale=given.x_scale.view(torch.int32)))


_WAYS: dict[Way, Callable[[Any, str, Given], Any]] = {
    Way.FUNCTION: _returns,
    Way.OUT: _fills,
    Way.DISPATCH: _dispatched,
    Way.K_MAJOR: _k_major,
    Way.OTHER_DTYPE: _other_dtype,
    Way.COLUMNS_APART: _columns_apart,
    Way.ROWS_8_APART: _rows_8_apart,
    Way.FEWER_SCALES: _fewer_scales,
    Way.INTEGER_SCALES: _integer_scales,
}


def record(module: Any, function: str, recorder: Recorder, call: HostCall, arch: str) -> dict[str, Any]:
    """Call a module's host function once.

    Returns the call in JSON with what it launched: "calls" with the identity of the launcher and, for each argument,
    the operand that its address is of, or the number itself; "returned" whether the result has the output's shape and
    dtype. What a call raises that must be refused is as it should be.
    """
    m, n, k = call.m, call.n, call.k
    spec = module.SPEC
    fp8 = getattr(torch, "float8_" + ("e4m3fn" if arch == "gfx950" else "e4m3fnuz"))
    out_dtype = {"bf16": torch.bfloat16, "fp16": torch.float16}[spec.get("out_dtype", "bf16")]
    block_m = spec.get("scale_block_m", 1)
    scales = ((-(-m // block_m), k // 128), (-(-n // 128), k // 128))
    made: list[tuple[int, int]] = []
    with _gpu(arch, made):
        XQ, WQ = (
            _on_gpu(torch.empty((rows, k + padding), dtype=torch.uint8).view(fp8))[:, :k]
            for rows, padding in zip((m, n), call.padding, strict=True)
        )
        x_scale, w_scale = (_on_gpu(torch.empty(shape, dtype=torch.float32)) for shape in scales)
        names = {t.data_ptr(): name for name, t in (("A", XQ), ("B", WQ), ("x_scale", x_scale), ("w_scale", w_scale))}
        made.clear()
        first = len(recorder.calls)
        result = None
        with contextlib.suppress(Exception) if call.way.refused else contextlib.nullcontext():
            result = _WAYS[call.way](module, function, Given(XQ, WQ, x_scale, w_scale, out_dtype))
        if result is not None:
            names[result.data_ptr()] = "C"
    sizes = dict(made)
    workspace = 4 * spec.get("split_k", 1) * m * n

    def operand(value: Any) -> Any:
        if value in names:
            return names[value]
        if value == _STREAM:
            return "stream"
        return "workspace" if sizes.get(value, 0) >= workspace and value in sizes else value

    calls = [(identity, [operand(value) for value in values]) for identity, values in recorder.calls[first:]]
    good = result is not None and tuple(result.shape) == (m, n) and result.dtype == out_dtype and result.is_contiguous()
    return {**call.to_json(), "calls": calls, "returned": good}


def _on_gpu(tensor: torch.Tensor) -> Any:
    return tensor.as_subclass(OnGpu)


@contextlib.contextmanager
def _gpu(arch: str, made: list[tuple[int, int]]) -> Iterator[None]:
    """torch with one GPU of this arch; made: (address, bytes) of every tensor that is allocated on it."""
    properties = types.SimpleNamespace(gcnArchName=f"{arch}:sramecc+:xnack-", name=arch, multi_processor_count=256)
    stream = types.SimpleNamespace(cuda_stream=_STREAM, device=_DEVICE, device_index=0)

    def allocating(real: Callable[..., Any]) -> Callable[..., Any]:
        def allocate(*arguments: Any, **named: Any) -> Any:
            device = named.pop("device", None)
            tensor = real(*arguments, **named)
            if device is not None and torch.device(device).type == "cuda":
                tensor = _on_gpu(tensor)
            if isinstance(tensor, OnGpu):
                made.append((tensor.data_ptr(), tensor.numel() * tensor.element_size()))
            return tensor

        return allocate

    answers = {
        "is_available": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "get_device_properties": lambda *_: properties,
        "get_device_name": lambda *_: arch,
        "current_stream": lambda *_: stream,
        "default_stream": lambda *_: stream,
        "is_current_stream_capturing": lambda: False,
        "device": lambda *_: contextlib.nullcontext(),
        "synchronize": lambda *_: None,
    }
    with contextlib.ExitStack() as stack:
        for name, answer in answers.items():
            stack.enter_context(mock.patch.object(torch.cuda, name, answer))
        for name in ("empty", "zeros", "empty_like", "zeros_like", "full", "empty_strided"):
            stack.enter_context(mock.patch.object(torch, name, allocating(getattr(torch, name))))
        yield
