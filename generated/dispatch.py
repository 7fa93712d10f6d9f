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
import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from . import _proofs
from . import dispatch_rows as rows

SCALE_BLOCK = 128
_NAME = re.compile(
    r"flydsl_a8w8_blockscale_(?P<family>plain|bpreshuffle)_(?P<arch>gfx\w+?)_(?P<scale_block_m>\d+)x128x128"
    r"_(?P<core>\w+?)_(?P<tile_m>\d+)x(?P<tile_n>\d+)x(?P<tile_k>\d+)_[\dx]+_(?P<schedule>[a-z]+)_wpe\d+"
    r"_xcd(?P<xcds>\d+)_ks(?P<split_k>\d+)_(?:rm|km)_(?P<out>bf16|fp16)(?:_(?P<contract>cktile))?\Z"
)


class Choice(NamedTuple):
    """kernel: name of the kernel and of its module, empty where none serves; rule: `exact`, `padded`, `other_cu_num`,
    `regime`, `stand_in` or `none`; text: which row or regime, or why not, as a sentence; gap: why nothing is proved of
    that kernel for this N and K, empty where it is."""

    kernel: str
    rule: str
    text: str
    gap: str = ""


class _Kernel(NamedTuple):
    name: str
    core: str
    tile: tuple[int, int]
    tile_k: int
    schedule: str
    remap: bool
    split_k: int
    scale_block_m: int


@functools.lru_cache(maxsize=1 << 16)
def choose(arch: str, cu_num: int, family: str, M: int, N: int, K: int) -> Choice:
    """The kernel for C[M, N] = A[M, K] @ B[N, K]^T on a chip with cu_num CUs; family: `plain` or `bpreshuffle`."""
    if not _kernels(arch, family):
        held = ", ".join(sorted({f"{_field(name, 'arch')} {_field(name, 'family')}" for name in rows.KERNELS}))
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


def regime(m: int, n: int, k: int, cus: int, xcds: int) -> str:
    """The class of a shape; the rules and numbers of `porter.select.regimes`."""
    limits = rows.REGIMES
    k_tiles = -(-k // SCALE_BLOCK)
    slots = limits["resident"] * cus
    if m <= limits["decode_max_m"]:
        return "decode"
    if (
        n >= limits["wide_min_n"]
        and n * k // xcds > limits["l2_bytes"] // 2
        and _tiles(m, n, limits["tile_4w"]) > slots
    ):
        return "wide_n"
    if k_tiles <= limits["light_max_k_tiles"] and _tiles(m, n, limits["tile_4w"]) >= limits["passes"] * slots:
        return "k_light"
    if (
        n <= limits["narrow_max_n"]
        and k_tiles >= limits["deep_min_k_tiles"]
        and 2 * m * n <= limits["mall_bytes"] // 4
        and _tiles(m, n, limits["tile_8w"]) >= cus
    ):
        return "narrow_n_deep_k"
    return "general"


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


def _field(name: str, field: str) -> str:
    match = _NAME.match(name)
    return match[field] or "" if match else ""


@functools.cache
def _kernels(arch: str, family: str) -> tuple[_Kernel, ...]:
    """The kernels of one chip and family, in the folder's order."""
    found = []
    for name in rows.KERNELS:
        match = _NAME.match(name)
        if match and match["arch"] == arch and match["family"] == family:
            found.append(
                _Kernel(
                    name,
                    match["core"],
                    (int(match["tile_m"]), int(match["tile_n"])),
                    int(match["tile_k"]),
                    match["schedule"],
                    match["xcds"] != "0",
                    int(match["split_k"]),
                    int(match["scale_block_m"]),
                )
            )
    return tuple(found)


def _row(arch: str, cu_num: int, family: str, m: int, n: int, k: int) -> Choice | None:
    """The kernel that a row names: of this cu_num, then of the others of the gfx, the nearest first."""
    others = sorted(
        (other for gfx, other, fam in rows.ROWS if (gfx, fam) == (arch, family) and other != cu_num),
        key=lambda other: (abs(other - cu_num), other),
    )
    kernels = {kernel.name: kernel for kernel in _kernels(arch, family)}
    for of in (cu_num, *others):
        known = _rows_of((arch, of, family), n, k)
        for rule, looked_up in (("exact", m), ("padded", padded_m(m, n, k, 0)), ("padded", padded_m(m, n, k, 1))):
            name = known.get(looked_up, "")
            if not name or _refusal(kernels[name], family, m, n, k):
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
    name = regime(m, n, k, cu_num, rows.XCDS[arch])
    usual = [
        kernel
        for kernel in _kernels(arch, family)
        if kernel.scale_block_m == 1 and _field(kernel.name, "out") == "bf16" and not _field(kernel.name, "contract")
    ]
    reasons = []
    for plan in _plans(name, n):
        for kernel in _of_plan(usual, plan, cu_num, m, n, k):
            reason = _refusal(kernel, family, m, n, k)
            if not reason:
                return Choice(kernel.name, "regime", f"no row; regime {name}")
            reasons.append(reason)
    for kernel in usual:
        reason = _refusal(kernel, family, m, n, k)
        if not reason:
            return Choice(kernel.name, "stand_in", f"no row, and regime {name} has no kernel of its own here that fits")
        reasons.append(reason)
    fallback = "no kernel here has 1x128 scales, bf16 output and CK's own order of roundings"
    return Choice("", "none", f"M = {m}, N = {n}, K = {k}: {reasons[0] if reasons else fallback}")


def _plans(name: str, n: int) -> list[tuple[str, int, int, str, bool]]:
    """The plans of a regime in the order of preference for n columns, as `porter.select.recipes` sorts them."""
    plans = list(rows.PLANS[name])
    if n <= rows.SMALL_MAX_N:
        plans.sort(key=lambda plan: (plan[2] >= rows.WIDE_TILE_N, plan[4]))
    return plans


def _of_plan(
    kernels: list[_Kernel], plan: tuple[str, int, int, str, bool], cu_num: int, m: int, n: int, k: int
) -> list[_Kernel]:
    """The kernels that a plan of `porter.select.recipes` means for a shape; of a split core, the most slices first.

    A plan's tile M of 0 is the smallest decode tile that holds all rows.
    """
    core, tile_m, tile_n, schedule, remap = plan
    tile = (tile_m or next((t for t in rows.DECODE_TILES if m <= t), rows.DECODE_TILES[-1]), tile_n)
    slices = _slices(m, n, k, cu_num, tile) if core == "dec" else 1
    found = [
        kernel
        for kernel in kernels
        if (kernel.core, kernel.tile, kernel.tile_k, kernel.schedule, kernel.remap)
        == (core, tile, SCALE_BLOCK, schedule, remap)
        and kernel.split_k <= slices
    ]
    return sorted(found, key=lambda kernel: -kernel.split_k)


def _slices(m: int, n: int, k: int, cus: int, tile: tuple[int, int]) -> int:
    """K slices when nobody tuned them; the rule of `porter.select.recipes.split_k`."""
    rule = rows.SPLIT
    cap = rule["max_workgroups_per_cu"] * cus
    return next(
        (s for s in rule["slices"] if k // SCALE_BLOCK >= s * rule["min_blocks"] and _tiles(m, n, tile) * s <= cap),
        1,
    )


def _refusal(kernel: _Kernel, family: str, m: int, n: int, k: int) -> str:
    """Why a kernel cannot serve a shape, as `porter.select.legality` says it; empty when it can."""
    if k % SCALE_BLOCK:
        padded = -(-k // SCALE_BLOCK) * SCALE_BLOCK
        return f"K is not a multiple of {SCALE_BLOCK}; pad A and B with zeros to K {padded}"
    multiple = rows.N_MULTIPLE[family]
    if n % multiple:
        return f"N is not a multiple of {multiple}; pad B with zero rows to N {-(-n // multiple) * multiple}"
    blocks = k // SCALE_BLOCK
    if kernel.split_k > blocks:
        return f"split_k {kernel.split_k} is more than the {blocks} blocks of K"
    width = 2 if kernel.split_k == 1 else 4
    spans = (
        kernel.tile[0] * k,
        kernel.tile[1] * k,
        kernel.tile[0] * width * n,
        -(-m // kernel.scale_block_m) * blocks * 4,
        -(-n // SCALE_BLOCK) * blocks * 4,
    )
    if max(spans) >= 2**31 or m > 2**31 - kernel.tile[0]:
        return "a tile or the scales span 2 GiB or more; 32-bit offsets cannot address it"
    threads = 512 if kernel.core == "8w" else 256
    workgroups = _tiles(m, n, kernel.tile) * kernel.split_k
    if kernel.split_k > 1:
        workgroups = max(workgroups, m * -(-n // (4 * threads)))
    if workgroups * threads >= 2**32:
        return "HIP launches fewer than 2**32 work-items"
    return ""


def _tiles(m: int, n: int, tile: tuple[int, int]) -> int:
    return -(-m // tile[0]) * -(-n // tile[1])
