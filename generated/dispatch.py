# SPDX-License-Identifier: Apache-2.0
"""Which kernel of this folder serves a GEMM, and a call through to it.

    choice = choose("gfx950", 256, "plain", M, N, K)
    choice.kernel, choice.rule, choice.text

Looked up in this order: the exact row; aiter's padded M; the same with another cu_num of the chip's gfx; the regime's
own choice, as `porter explain` gives it; any other kernel that fits. What no kernel can serve is told with its reason;
only the call functions raise (ValueError). A kernel that is not proved for N and K runs with one warning, and with
PORTER_STRICT=1 not at all. Nothing but the standard library is imported until a kernel is called.

    prepare("cuda:0", [(M, N, K), ...], "plain")

compiles and loads what such calls need, ahead of a graph capture.
"""

import functools
import importlib
from collections.abc import Iterable
from typing import Any, NamedTuple

from . import _proofs
from . import dispatch_rows as rows
from ._regimes import Plan, Situation, decode_tile, holding, plans, split_k
from ._serving import SCALE_BLOCK, XCDS, KernelName, read_name, refusals


class Choice(NamedTuple):
    """kernel: name of the kernel and of its module, empty where none serves; rule: `exact`, `padded`, `other_cu_num`,
    `regime`, `stand_in` or `none`; text: which row or regime, or why not, as a sentence; gap: why nothing is proved of
    that kernel for this N and K, empty where it is."""

    kernel: str
    rule: str
    text: str
    gap: str = ""


@functools.lru_cache(maxsize=1 << 16)
def choose(arch: str, cu_num: int, family: str, M: int, N: int, K: int) -> Choice:
    """The kernel for C[M, N] = A[M, K] @ B[N, K]^T on a chip with cu_num CUs; family: `plain` or `bpreshuffle`."""
    if not _kernels(arch, family):
        held = ", ".join(sorted({f"{kernel.arch} {kernel.family}" for kernel in map(read_name, rows.KERNELS)}))
        return Choice("", "none", f"this folder has no kernel for {arch} {family}; it has {held or 'none'}")
    if M < 0 or N < 1 or K < 1:
        return Choice("", "none", f"M = {M}, N = {N}, K = {K}: sizes must be positive")
    # M = 0 is an empty result, which every host function returns; look it up as one row.
    m = max(M, 1)
    choice = _row(arch, cu_num, family, m, N, K) or _fallback(arch, cu_num, family, m, N, K)
    return choice._replace(gap=_proofs.gap(choice.kernel, N, K, K, K)) if choice.kernel else choice


def padded_m(m: int, n: int, k: int, granularity: int) -> int:
    """aiter's padded M (csrc/py_itfs_cu/gemm_common.cu, getPaddedM), granularity 0 or 1."""
    if granularity == 0:
        step = 16 if m <= 256 else 32 if m <= 1024 else 64 if m <= 4096 else 128
        return -(-m // step) * step
    if m > 8192 and n > 4096:
        return 8192
    return 1 << (m - 1).bit_length()


def load(choice: Choice) -> Any:
    """The chosen kernel's module. Raises ValueError where there is none, or where it is a measurement twin."""
    if not choice.kernel:
        raise ValueError(choice.text)
    return _module(choice.kernel)


@functools.cache
def _module(kernel: str) -> Any:
    module = importlib.import_module(f"{__package__}.{kernel}")
    if "twin" in module.SPEC:
        raise ValueError(f"{kernel}: a twin ({module.SPEC['twin']}) for measurements only, not for use")
    return module


def prepare(device: Any, shapes: Iterable[tuple[int, ...]], family: str) -> list[Choice]:
    """Compile and load the kernels of calls, (M, N, K) or (M, N, K, a_stride, b_stride), on a device.

    A graph capture compiles nothing: what it calls must be prepared. Raises ValueError where no kernel serves a call.
    """
    from . import _host

    device = _host.cuda_device(device)
    arch, cu_num = _device(device)
    choices = []
    for M, N, K, *strides in shapes:
        choices.append(choose(arch, cu_num, family, M, N, K))
        load(choices[-1]).prepare(device, [(N, K, *strides)])
    return choices


def gemm_a8w8_blockscale(
    XQ: Any,
    WQ: Any,
    x_scale: Any,
    w_scale: Any,
    dtype: Any = None,
    isBpreshuffled: bool = False,
    *,
    out: Any = None,
) -> Any:
    """The plain family's host function of the kernel for these tensors; dtype None is bfloat16."""
    if isBpreshuffled:
        raise ValueError("isBpreshuffled: True, shuffled weights are for gemm_a8w8_blockscale_bpreshuffle")
    return _call("gemm_a8w8_blockscale", XQ, WQ, x_scale, w_scale, dtype, out)


def gemm_a8w8_blockscale_bpreshuffle(
    XQ: Any, WQ: Any, x_scale: Any, w_scale: Any, dtype: Any = None, out: Any = None
) -> Any:
    """The bpreshuffle family's host function of the kernel for these tensors; dtype None is bfloat16."""
    return _call("gemm_a8w8_blockscale_bpreshuffle", XQ, WQ, x_scale, w_scale, dtype, out)


def _call(entry: str, XQ: Any, WQ: Any, x_scale: Any, w_scale: Any, dtype: Any, out: Any) -> Any:
    from . import dispatch_ops

    return dispatch_ops.call(entry, XQ, WQ, x_scale, w_scale, dtype, out)


def run(family: str, XQ: Any, WQ: Any, x_scale: Any, w_scale: Any, out: Any) -> None:
    """Fill `out` by the kernel for these tensors, which are matrices."""
    (M, K), N = XQ.shape, WQ.shape[0]
    arch, cu_num = _device(XQ.device)
    choice = choose(arch, cu_num, family, M, N, K)
    module = load(choice)
    gap = choice.gap
    if not (gap or (XQ.is_contiguous() and WQ.is_contiguous())):
        gap = _proofs.gap(choice.kernel, N, K, *(K if op.is_contiguous() else op.stride(0) for op in (XQ, WQ)))
    if gap:
        _proofs.admit(gap)
    module.HOST.run(XQ, WQ, x_scale, w_scale, out)


@functools.cache
def _device(device: Any) -> tuple[str, int]:
    import torch

    if device.type != "cuda":
        raise ValueError(f"XQ: on {device}, these kernels run on a ROCm device")
    properties = torch.cuda.get_device_properties(device)
    name = str(getattr(properties, "gcnArchName", properties.name)).split(":")[0]
    return name, int(properties.multi_processor_count)


@functools.cache
def _kernels(arch: str, family: str) -> tuple[KernelName, ...]:
    """The kernels of one chip and family, in the folder's order."""
    kernels = map(read_name, rows.KERNELS)
    return tuple(kernel for kernel in kernels if (kernel.arch, kernel.family) == (arch, family))


def _row(arch: str, cu_num: int, family: str, m: int, n: int, k: int) -> Choice | None:
    """The kernel that a row names: of this cu_num, then of the others of the gfx, the nearest first."""
    others = sorted(
        (other for gfx, other, fam in rows.ROWS if (gfx, fam) == (arch, family) and other != cu_num),
        key=lambda other: (abs(other - cu_num), other),
    )
    kernels = {str(kernel): kernel for kernel in _kernels(arch, family)}
    for of in (cu_num, *others):
        known = _rows_of((arch, of, family), n, k)
        for rule, looked_up in (("exact", m), ("padded", padded_m(m, n, k, 0)), ("padded", padded_m(m, n, k, 1))):
            name = known.get(looked_up, "")
            if not name or _refusal(kernels[name], m, n, k):
                continue
            text = f"row {looked_up}x{n}x{k} of cu_num {of}"
            if rule == "padded":
                text += f", M {m} padded as aiter does"
            if of != cu_num:
                return Choice(name, "other_cu_num", f"{text}; there is none of cu_num {cu_num}")
            return Choice(name, rule, text)
    return None


@functools.cache
def _rows_of(key: tuple[str, int, str], n: int, k: int) -> dict[int, str]:
    """M -> kernel name, from `kernel M M, kernel M`."""
    known = {}
    for part in rows.ROWS.get(key, {}).get((n, k), "").split(","):
        if part:
            kernel, *ms = map(int, part.split())
            known.update(dict.fromkeys(ms, rows.KERNELS[kernel]))
    return known


def _fallback(arch: str, cu_num: int, family: str, m: int, n: int, k: int) -> Choice:
    """The first kernel of the shape's regime that this folder has and that fits, else any that fits.

    Rows name kernels of other numeric contracts and scale blocks; without a row only CK's own order and 1x128 scales
    are taken for granted.
    """
    situation = Situation(m, n, k, cu_num, XCDS[arch])
    name = holding(situation).regime
    usual = [
        kernel
        for kernel in _kernels(arch, family)
        if (kernel.scale_block_m, kernel.out_dtype, kernel.contract) == (1, "bf16", "ck")
    ]
    reasons = []
    for plan in plans(name, n):
        for kernel in _of_plan(usual, plan, situation):
            reason = _refusal(kernel, m, n, k)
            if not reason:
                return Choice(str(kernel), "regime", f"no row; regime {name.value}")
            reasons.append(reason)
    for kernel in usual:
        reason = _refusal(kernel, m, n, k)
        if not reason:
            return Choice(
                str(kernel), "stand_in", f"no row, and regime {name.value} has no kernel of its own here that fits"
            )
        reasons.append(reason)
    fallback = "no kernel here has 1x128 scales, bf16 output and CK's own order of roundings"
    return Choice("", "none", f"M = {m}, N = {n}, K = {k}: {reasons[0] if reasons else fallback}")


def _of_plan(kernels: list[KernelName], plan: Plan, situation: Situation) -> list[KernelName]:
    """The kernels that a plan means for a shape; of a split core, the most slices that the rule allows first."""
    tile = (plan.tile_m or decode_tile(situation.m), plan.tile_n, SCALE_BLOCK)
    slices = split_k(situation, tile[:2]) if plan.core == "dec" else 1
    found = [
        kernel
        for kernel in kernels
        if (kernel.core, (kernel.tile_m, kernel.tile_n, kernel.tile_k)) == (plan.core, tile)
        and (kernel.schedule, kernel.xcds > 0) == (plan.schedule, plan.remap)
        and kernel.split_k <= slices
    ]
    return sorted(found, key=lambda kernel: -kernel.split_k)


def _refusal(kernel: KernelName, m: int, n: int, k: int) -> str:
    """Why a kernel cannot serve a shape, and the way out; empty when it can."""
    refusal = next(refusals(kernel, m, n, k), None)
    return "; ".join(filter(None, refusal[1:])) if refusal else ""
