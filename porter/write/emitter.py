# SPDX-License-Identifier: Apache-2.0
"""KernelSpec -> the text of a FlyDSL module. Deterministic, black-clean at 120 columns, no timestamps."""

from __future__ import annotations

import pprint
import re
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from porter.errors import PorterError
from porter.kernel_spec import Contract, Core, KernelSpec, ScaleLayout
from porter.problem import TARGETS, Family
from porter.runtime._serving import N_MULTIPLE, SCALE_BLOCK

if TYPE_CHECKING:
    import jinja2

#: The file of `porter/templates/` that writes each core.
TEMPLATES: dict[Core, str] = {
    Core.FOUR_WAVE: "four_wave.py.jinja",
    Core.EIGHT_WAVE: "eight_wave.py.jinja",
    Core.DECODE: "decode.py.jinja",
}

#: Modules that generated kernels import from beside them, copied as they are.
SUPPORT_MODULES = ("_shim.py", "_host.py", "_serving.py")

_FLYDSL_FP8 = {"e4m3fn": "Float8E4M3FN", "e4m3fnuz": "Float8E4M3FNUZ"}
_FLYDSL_OUT = {"bf16": "BFloat16", "fp16": "Float16"}
_TORCH_OUT = {"bf16": "bfloat16", "fp16": "float16"}
#: The host function of each family, named as aiter names it.
ENTRY_POINTS = {
    Family.PLAIN: "gemm_a8w8_blockscale",
    Family.BPRESHUFFLE: "gemm_a8w8_blockscale_bpreshuffle",
}


#: What stands between two functions or classes of a module.
_TOP_LEVEL = re.compile(r"\n\n+(?=@|def |class )")


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a kernel comes from, as its header says it.

    porter, flydsl: versions; lines: the source rows, the regime and the reasons, one sentence a line.
    """

    porter: str
    flydsl: str
    lines: tuple[str, ...]


def spec_literal(spec: KernelSpec) -> dict[str, Any]:
    """The `SPEC` constant of a kernel module: the decision, the numeric contract and the kernel ABI, as plain data.

    `args` lists the kernel arguments in order; code-object metadata carries no names (design: kernel ABI).
    """
    return {
        "name": spec.name,
        "family": spec.family.value,
        "arch": spec.arch,
        "fp8": TARGETS[spec.arch].fp8,
        "contract": spec.contract.value,
        "scale_block_m": spec.scale_block_m,
        "scale_layout": spec.scale_layout.value,
        "out_dtype": spec.out_dtype,
        "core": spec.core.value,
        "tile": [spec.tile_m, spec.tile_n, spec.tile_k],
        "mfma": spec.mfma,
        "schedule": spec.schedule.value,
        "waves_per_eu": spec.waves_per_eu,
        "xcds": spec.xcds,
        "split_k": spec.split_k,
        "threads": spec.threads,
        "n_multiple": N_MULTIPLE[spec.family.value],
        "k_multiple": SCALE_BLOCK,
        "args": [
            {"name": "C", "kind": "pointer", "dtype": spec.out_dtype},
            {"name": "A", "kind": "pointer", "dtype": "fp8"},
            {"name": "B", "kind": "pointer", "dtype": "fp8"},
            {"name": "x_scale", "kind": "pointer", "dtype": "fp32"},
            {"name": "w_scale", "kind": "pointer", "dtype": "fp32"},
            *([{"name": "workspace", "kind": "pointer", "dtype": "fp32"}] if spec.split_k > 1 else []),
            {"name": "M", "kind": "i32"},
        ],
    }


def render(spec: KernelSpec, provenance: Provenance) -> str:
    """The whole text of the kernel's module.

    Raises PorterError CKS001 when no template writes the spec's core.
    """
    if spec.core not in TEMPLATES:
        raise PorterError("CKS001", f"{spec.name}: no template writes the {spec.core.value} core")
    text = (
        environment()
        .get_template(TEMPLATES[spec.core])
        .render(
            spec=spec,
            provenance=provenance,
            title=_title(spec),
            layout_doc=_layout_doc(spec),
            spec_literal=pprint.pformat(spec_literal(spec), width=110, sort_dicts=False),
            fp8_type=_FLYDSL_FP8[TARGETS[spec.arch].fp8],
            out_type=_FLYDSL_OUT[spec.out_dtype],
            torch_out=_TORCH_OUT[spec.out_dtype],
            entry_point=ENTRY_POINTS[spec.family],
            stages=_decode_stages(spec),
        )
    )
    return tidy(text)


def support_files() -> dict[str, str]:
    """File name -> text of the modules that every generated kernel imports from its own folder."""
    folder = resources.files("porter") / "runtime"
    return {name: (folder / name).read_text(encoding="utf-8") for name in SUPPORT_MODULES}


def _decode_stages(spec: KernelSpec) -> int:
    """Scale blocks that the decode core keeps in flight: as many as fit 96 registers, 2 to 4.

    An A or B tile of 16 rows is 8 registers a block; at 128 registers LLVM spills. Not tuned: nothing was timed.
    """
    registers = 8 * (spec.tile_m // 16 + spec.tile_n // 64)
    return max(2, min(4, 96 // registers))


def _title(spec: KernelSpec) -> str:
    cores = {Core.FOUR_WAVE: "4-wave", Core.EIGHT_WAVE: "8-wave ping-pong", Core.DECODE: "decode"}
    return (
        f"fp8 block-scale GEMM for {spec.arch}: {cores[spec.core]} core, tile "
        f"{spec.tile_m}x{spec.tile_n}x{spec.tile_k}, software promote."
    )


def _layout_doc(spec: KernelSpec) -> str:
    weights = {
        Family.PLAIN: "row-major [N, K]",
        Family.BPRESHUFFLE: "[N, K] in shuffle_weight (16, 16) order",
    }
    scales = {
        ScaleLayout.ROW_MAJOR: f"row-major [ceil(M/{spec.scale_block_m}), K/128]",
        ScaleLayout.K_MAJOR: f"K-major memory, [K/128, ceil(M/{spec.scale_block_m})]",
    }
    promote = {
        Contract.CK: "acc = fma(x_scale * w_scale, partial, acc)",
        Contract.CKTILE: "acc = fma(partial * x_scale, w_scale, acc)",
    }
    fp8 = {"e4m3fn": "e4m3fn (OCP)", "e4m3fnuz": "e4m3fnuz (FNUZ)"}[TARGETS[spec.arch].fp8]
    return "\n".join(
        (
            f"C[M, N] {spec.out_dtype} = A[M, K] fp8 x B[N, K]^T fp8; fp8 is {fp8}.",
            f"A: row-major [M, K]. B: {weights[spec.family]}.",
            f"x_scale: fp32, {scales[spec.scale_layout]}. w_scale: fp32, row-major [ceil(N/128), K/128].",
            f"Per 128 of K, in ascending order and fp32: {promote[spec.contract]}.",
            f"One RNE conversion to {spec.out_dtype} at the end.",
        )
    )


@cache
def environment() -> jinja2.Environment:
    """Where templates are loaded from; a name that a template does not get is an error."""
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("porter", "templates"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def tidy(text: str, columns: int = 120) -> str:
    """The text of a module as black formats it."""
    # Kernels of one template share most of their functions: each is formatted once.
    return "\n\n\n".join(_black_part(part, columns).strip("\n") for part in _TOP_LEVEL.split(text)) + "\n"


@cache
def _black_part(text: str, columns: int) -> str:
    # Imported here: black costs more than the rest of porter's start-up together.
    import black

    return black.format_str(text, mode=black.Mode(line_length=columns))
