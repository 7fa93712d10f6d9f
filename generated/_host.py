# SPDX-License-Identifier: Apache-2.0
"""Host side of the kernels of this folder: checks of tensors, launchers by device, ops for torch.compile.

Wrong tensors raise ValueError with the values, a call that a graph capture cannot hold RuntimeError.
"""

import functools
import threading
from collections.abc import Callable, Iterable
from typing import Any

import torch

from ._serving import N_MULTIPLE, SCALE_BLOCK, kernel_of, refusals

#: Bytes: loads of A and B are 128 bits wide, so their rows start at multiples of this; C is stored 64 bits at a time.
LOAD_BYTES, STORE_BYTES, SCALE_BYTES = 16, 8, 4

_OUT_DTYPES = {"bf16": torch.bfloat16, "fp16": torch.float16}
#: An op's inputs must reach it as they were handed over: contiguous x_scale may be K-major memory.
_TAGS = (torch.Tag.pt2_compliant_tag, getattr(torch.Tag, "needs_exact_strides", torch.Tag.needs_fixed_stride_order))
#: Ops of this process by name, kept on torch because it outlives a module that is imported anew.
_ops: dict[str, Any] = vars(torch.library).setdefault("_porter_ops", {})


def build_strides(spec: dict[str, Any], N: int, K: int, a_stride: int | None, b_stride: int | None) -> tuple[int, int]:
    """Bytes from one row of A and of B to the next; None is K, without padding.

    Raises ValueError for sizes and strides that a kernel cannot be built for.
    """
    a_stride, b_stride = K if a_stride is None else a_stride, K if b_stride is None else b_stride
    for refusal in refusals(kernel_of(spec), 1, N, K, a_stride, b_stride):
        raise ValueError(refusal.text)
    for name, stride in (("a_stride", a_stride), ("b_stride", b_stride)):
        if stride < K or stride % LOAD_BYTES:
            raise ValueError(f"{name} = {stride}: expected a multiple of {LOAD_BYTES} bytes, at least K = {K}")
    if spec["family"] != "plain" and b_stride != K:
        raise ValueError(f"b_stride = {b_stride}: shuffled weights have no rows, expected K = {K}")
    return a_stride, b_stride


def cuda_device(device: torch.device | str | int) -> torch.device:
    """The device with its index; a bare "cuda" is the current one."""
    device = torch.device("cuda", device) if isinstance(device, int) else torch.device(device)
    if device.type == "cuda" and device.index is None:
        return torch.device("cuda", torch.cuda.current_device())
    return device


def empty_output(XQ: torch.Tensor, WQ: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """[M, N] beside XQ. Raises ValueError for operands that are no matrices."""
    _check_dimensions(XQ, WQ)
    return torch.empty((XQ.shape[0], WQ.shape[0]), dtype=dtype, device=XQ.device)


def define_op(
    namespace: str, name: str, run: Callable[..., None], fake: Callable[..., None]
) -> Callable[[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor], None]:
    """`torch.ops.<namespace>.<name>(XQ, WQ, x_scale, w_scale, out)`, which fills out; graphs hold it as one node.

    run: what it does; fake: what it checks where tensors have no memory. One of the same name is replaced.
    """
    namespace = namespace.replace(".", "_")
    qualified = f"{namespace}::{name}"
    if qualified in _ops:
        _ops.pop(qualified)._destroy()
    # Far cheaper a call than torch.library.custom_op.
    library: Any = torch.library.Library(namespace, "FRAGMENT")  # type: ignore[no-untyped-call]
    _ops[qualified] = library
    library.define(f"{name}(Tensor XQ, Tensor WQ, Tensor x_scale, Tensor w_scale, Tensor(a!) out) -> ()", tags=_TAGS)
    library.impl(name, run, "CompositeExplicitAutograd")
    torch.library.register_fake(qualified, fake, lib=library)
    op: Any = getattr(getattr(torch.ops, namespace), name).default
    return op  # type: ignore[no-any-return]


class HostFunction:
    """One kernel's host function.

    spec: its SPEC; build: its `build`; compile_launcher: `_shim.compile_launcher`, or a stand-in; package: of the
    kernel's module, whose name with `_` for `.` is the namespace of its op.
    """

    def __init__(
        self,
        spec: dict[str, Any],
        build: Callable[..., Any],
        compile_launcher: Callable[..., Callable[..., None]],
        package: str,
    ) -> None:
        self._spec = spec
        self._build = build
        self._compile_launcher = compile_launcher
        self._fp8 = getattr(torch, "float8_" + spec["fp8"])
        self._out_dtype = _OUT_DTYPES[spec["out_dtype"]]
        self._strided_b = spec["family"] == "plain"
        self._k_major = spec["scale_layout"] == "km"
        self._kernel = kernel_of(spec)
        self._n_multiple = N_MULTIPLE[spec["family"]]
        self._launchers: dict[tuple[int, int, int, int, int], Callable[..., None]] = {}
        self._lock = threading.Lock()
        self._op = define_op(package, spec["name"], self.run, self._fake)

    def gemm_a8w8_blockscale(
        self,
        XQ: torch.Tensor,
        WQ: torch.Tensor,
        x_scale: torch.Tensor,
        w_scale: torch.Tensor,
        dtype: torch.dtype | None = None,
        isBpreshuffled: bool = False,
        *,
        out: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """out[M, N] = (XQ * x_scale) @ (WQ * w_scale)^T: parameters and layouts of aiter's function, and `out`.

        Operands are those of `run`, which raises ValueError; dtype is the kernel's; M = 0 returns an empty tensor.
        """
        if isBpreshuffled:
            raise ValueError("isBpreshuffled: True, this kernel reads row-major weights")
        return self(XQ, WQ, x_scale, w_scale, dtype, out)

    def gemm_a8w8_blockscale_bpreshuffle(
        self,
        XQ: torch.Tensor,
        WQ: torch.Tensor,
        x_scale: torch.Tensor,
        w_scale: torch.Tensor,
        dtype: torch.dtype | None = None,
        out: torch.Tensor | None = None,
    ) -> torch.Tensor:
        """As `gemm_a8w8_blockscale`, for weights in shuffle_weight (16, 16) order."""
        return self(XQ, WQ, x_scale, w_scale, dtype, out)

    def __call__(
        self,
        XQ: torch.Tensor,
        WQ: torch.Tensor,
        x_scale: torch.Tensor,
        w_scale: torch.Tensor,
        dtype: torch.dtype | None,
        out: torch.Tensor | None,
    ) -> torch.Tensor:
        """out[M, N], made when None. Operands are those of `run`; dtype is the kernel's, or None."""
        self._refuse_twin()
        if dtype is None:
            dtype = self._out_dtype
        if dtype != self._out_dtype:
            raise ValueError(f"dtype: {dtype}, this kernel writes {self._out_dtype}")
        if out is None:
            out = empty_output(XQ, WQ, dtype)
        self._op(XQ, WQ, x_scale, w_scale, out)
        return out

    def prepare(self, device: torch.device | str | int, shapes: Iterable[tuple[int, ...]]) -> None:
        """Compile and load for weights of these shapes, so that a graph capture finds them ready.

        shapes: (N, K), or (N, K, a_stride, b_stride) where rows of XQ or WQ are padded, in bytes. Raises ValueError.
        """
        self._refuse_twin()
        index = self._index(cuda_device(device))
        for N, K, *strides in shapes:
            a_stride, b_stride = build_strides(self._spec, N, K, *(strides or (None, None)))
            with torch.cuda.device(index):
                self._first_launcher((index, N, K, a_stride, b_stride))

    def run(
        self,
        XQ: torch.Tensor,
        WQ: torch.Tensor,
        x_scale: torch.Tensor,
        w_scale: torch.Tensor,
        out: torch.Tensor,
    ) -> None:
        """Launch on the current stream of XQ's device; M = 0 launches nothing.

        XQ fp8 [M, K]; WQ fp8 [N, K] in the family's layout; x_scale fp32 [ceil(M/scale_block_m), K/128]; w_scale fp32
        [ceil(N/128), K/128]; out 16-bit float [M, N], contiguous. Rows of XQ, and of plain WQ, may be padded to a
        multiple of 16 bytes. Raises ValueError; RuntimeError where a graph is captured before `prepare`.
        """
        self._refuse_twin()
        M, N, K, a_stride, b_stride = self._check(XQ, WQ, x_scale, w_scale, out)
        index = self._index(XQ.device)
        if M * (N + K) >> 30:  # below that nothing that grows with M reaches a limit
            for refusal in refusals(self._kernel, M, N, K):
                raise ValueError(f"XQ: {refusal.text}")
        addresses = [tensor.data_ptr() for tensor in (out, XQ, WQ, x_scale, w_scale)]
        _check_addresses(*addresses)
        if not M:
            return
        key = (index, N, K, a_stride, b_stride)
        with torch.cuda.device(index):
            launch = self._launchers.get(key) or self._first_launcher(key)
            slices = self._spec["split_k"]
            if slices > 1:
                # The caching allocator gives it to nobody else before work of this stream is done.
                workspace = torch.empty((slices, M, N), dtype=torch.float32, device=XQ.device)
                addresses.append(workspace.data_ptr())
            launch(*addresses, M, torch.cuda.current_stream(index).cuda_stream)

    def _refuse_twin(self) -> None:
        if "twin" in self._spec:
            name = self._spec["name"]
            raise ValueError(f"{name} is a twin for measurements, not for use; benchmarks call build(N, K)")

    def _first_launcher(self, key: tuple[int, int, int, int, int]) -> Callable[..., None]:
        """The launcher for (device, N, K, a_stride, b_stride), loaded on that device, which is the current one."""
        with self._lock:
            if key not in self._launchers:
                index, N, K, a_stride, b_stride = key
                if torch.cuda.is_current_stream_capturing():
                    raise RuntimeError(
                        f"{self._spec['name']}: N = {N}, K = {K}, a_stride = {a_stride}, b_stride = {b_stride} is not "
                        f"prepared for cuda:{index}, and a graph that is being captured cannot compile; call "
                        f"prepare({index}, [({N}, {K}, {a_stride}, {b_stride})]) before the capture"
                    )
                build = functools.partial(self._build, N, K, a_stride, b_stride)
                self._launchers[key] = self._compile_launcher(self._spec, build)
            return self._launchers[key]

    def _fake(self, *tensors: torch.Tensor) -> None:
        self._check(*tensors)

    def _check(
        self, XQ: torch.Tensor, WQ: torch.Tensor, x_scale: torch.Tensor, w_scale: torch.Tensor, out: torch.Tensor
    ) -> tuple[int, int, int, int, int]:
        """M, N, K and the row strides of A and B. Messages are built on failure alone: calls are counted in us."""
        _check_dimensions(XQ, WQ)
        spec = self._spec
        (M, K), N = XQ.shape, WQ.shape[0]
        if K <= 0 or K % SCALE_BLOCK:
            raise ValueError(f"XQ: K = {K}, expected a positive multiple of {SCALE_BLOCK}")
        if N <= 0 or N % self._n_multiple:
            raise ValueError(f"WQ: N = {N}, expected a positive multiple of {self._n_multiple}")
        blocks, block_m = K // SCALE_BLOCK, spec["scale_block_m"]
        a_stride = _row_stride("XQ", XQ, (M, K), self._fp8, True)
        b_stride = _row_stride("WQ", WQ, (N, K), self._fp8, self._strided_b)
        _check_x_scale(x_scale, (M if block_m == 1 else -(-M // block_m), blocks), self._k_major)
        _row_stride("w_scale", w_scale, (-(-N // SCALE_BLOCK), blocks), torch.float32, False)
        _row_stride("out", out, (M, N), self._out_dtype, False)
        device = XQ.device
        if WQ.device != device or x_scale.device != device or w_scale.device != device or out.device != device:
            for name, tensor in (("WQ", WQ), ("x_scale", x_scale), ("w_scale", w_scale), ("out", out)):
                if tensor.device != device:
                    raise ValueError(f"{name}: on {tensor.device}, XQ is on {device}")
        return M, N, K, a_stride, b_stride

    def _index(self, device: torch.device) -> int:
        """The device's index. Raises ValueError for what is not the kernel's chip."""
        if device.type != "cuda":
            raise ValueError(f"XQ: on {device}, this kernel runs on a ROCm device ({self._spec['arch']})")
        arch = _device_arch(device.index)
        if arch != self._spec["arch"]:
            raise ValueError(f"XQ: on {arch}, this kernel is built for {self._spec['arch']}")
        return device.index


def _check_dimensions(XQ: torch.Tensor, WQ: torch.Tensor) -> None:
    if XQ.dim() != 2 or WQ.dim() != 2:
        name, tensor = ("XQ", XQ) if XQ.dim() != 2 else ("WQ", WQ)
        raise ValueError(f"{name}: {tensor.dim()} dimensions, expected 2")


def _row_stride(name: str, tensor: torch.Tensor, shape: tuple[int, int], dtype: torch.dtype, padded: bool) -> int:
    """Elements from one row to the next; only where `padded` may they be more than a row has."""
    if tensor.shape != shape:
        raise ValueError(f"{name}: shape {tuple(tensor.shape)}, expected {shape}")
    if tensor.dtype != dtype:
        raise ValueError(f"{name}: dtype {tensor.dtype}, expected {dtype}")
    if tensor.is_contiguous():
        return shape[1]
    stride, step = tensor.stride()
    if not padded or step != 1 or stride < shape[1] or stride % LOAD_BYTES:
        rows = f", or ({shape[1]} or more in steps of {LOAD_BYTES}, 1)" if padded else ""
        raise ValueError(f"{name}: strides {(stride, step)}, expected contiguous row-major{rows}")
    return stride


def _check_x_scale(x_scale: torch.Tensor, shape: tuple[int, int], k_major: bool) -> None:
    """A contiguous [rows, blocks] tensor is row-major memory, or K-major memory where the kernel is K-major.

    aiter passes K-major scales as `transpose(0, 1).contiguous().view(rows, blocks)`, whose shape and strides say
    row-major; no layout is ever guessed from the numbers.
    """
    if x_scale.shape != shape:
        raise ValueError(f"x_scale: shape {tuple(x_scale.shape)}, expected {shape}")
    if x_scale.dtype != torch.float32:
        raise ValueError(f"x_scale: dtype {x_scale.dtype}, expected torch.float32")
    if not (x_scale.is_contiguous() or (k_major and x_scale.t().is_contiguous())):
        wanted = f"contiguous (read as K-major memory) or (1, {shape[0]})" if k_major else "contiguous row-major"
        raise ValueError(f"x_scale: strides {tuple(x_scale.stride())}, expected {wanted}")


def _check_addresses(out: int, XQ: int, WQ: int, x_scale: int, w_scale: int) -> None:
    if not ((XQ | WQ) % LOAD_BYTES or out % STORE_BYTES or (x_scale | w_scale) % SCALE_BYTES):
        return
    for name, address, alignment in (
        ("XQ", XQ, LOAD_BYTES),
        ("WQ", WQ, LOAD_BYTES),
        ("out", out, STORE_BYTES),
        ("x_scale", x_scale, SCALE_BYTES),
        ("w_scale", w_scale, SCALE_BYTES),
    ):
        if address % alignment:
            raise ValueError(f"{name}: starts at address {address:#x}, expected a multiple of {alignment} bytes")


@functools.cache
def _device_arch(index: int) -> str:
    properties = torch.cuda.get_device_properties(index)
    return str(getattr(properties, "gcnArchName", properties.name)).split(":")[0]
