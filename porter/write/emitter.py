# SPDX-License-Identifier: Apache-2.0
"""KernelSpec -> the text of a FlyDSL module. Deterministic, black-clean at 120 columns, no timestamps."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING, Any

from porter.blocks import _abi
from porter.blocks._variant import Variant
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

#: Modules of `porter.runtime` that kernels import from beside them, with those that these import.
HOST_SIDE = ("_host.py", "_serving.py")

#: The host function of each family, named as aiter names it.
ENTRY_POINTS = {
    Family.PLAIN: "gemm_a8w8_blockscale",
    Family.BPRESHUFFLE: "gemm_a8w8_blockscale_bpreshuffle",
}


@dataclass(frozen=True, slots=True)
class Provenance:
    """Where a kernel comes from, as its header says it.

    porter, flydsl: versions; lines: the source rows, the regime and the reasons, one sentence a line; command: what
    writes it.
    """

    porter: str
    flydsl: str
    lines: tuple[str, ...]
    command: str = "convert"


@dataclass(frozen=True, slots=True)
class Departure:
    """What makes a module another than its spec's kernel.

    variant: how its blocks depart; twin: kind of a twin, whose host function refuses to run; name: of a twin's kernel
    and module; what: the sentence in a twin's docstring.
    """

    variant: Variant
    twin: str = ""
    name: str = ""
    what: str = ""

    def in_spec(self) -> dict[str, Any]:
        """What it changes of SPEC."""
        options = self.variant.changed()
        return {
            **({"name": self.name, "twin": self.twin} if self.twin else {}),
            **({"variant": options} if options else {}),
        }


#: Kernels without packed fp32, for chips that are seen to lose a lane of it (docs/notes/downstream.md).
SCALAR_PROMOTES = Departure(Variant(promote="scalar"))


def spec_literal(spec: KernelSpec) -> dict[str, Any]:
    """The `SPEC` of a kernel module: the decision, the numeric contract and the kernel ABI, as plain data."""
    literal = _literal(spec)
    return {**literal, "args": _abi.arguments(literal)}


def _literal(spec: KernelSpec) -> dict[str, Any]:
    """What of SPEC a module spells out."""
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
    }


def render(spec: KernelSpec, provenance: Provenance, departure: Departure | None = None) -> str:
    """The whole text of the kernel's module, or of one that departs from it.

    Raises PorterError CKS001 when no template writes the spec's core.
    """
    if spec.core not in TEMPLATES:
        raise PorterError("CKS001", f"{spec.name}: no template writes the {spec.core.value} core")
    literal = {**_literal(spec), **(departure.in_spec() if departure else {})}
    template = environment().get_template(TEMPLATES[spec.core])
    return template.render(
        spec=spec,
        provenance=provenance,
        title=_title(spec, departure),
        layout_doc=_layout_doc(spec),
        spec_literal={key: _python(value) for key, value in literal.items()},
        entry_point=ENTRY_POINTS[spec.family],
    )


def _python(value: object) -> str:
    """Plain data as black writes it on a line."""
    match value:
        case str():
            return json.dumps(value)
        case dict():
            return f"{{{', '.join(f'{_python(key)}: {_python(item)}' for key, item in value.items())}}}"
        case list():
            return f"[{', '.join(map(_python, value))}]"
    return repr(value)


def support_files() -> dict[str, str]:
    """File name -> text of the modules that generated kernels import from their own folder, copied as they are."""
    root = resources.files("porter")
    blocks = [file for file in (root / "blocks").iterdir() if file.name.endswith(".py") and file.name != "__init__.py"]
    files = [*blocks, *(root / "runtime" / name for name in HOST_SIDE)]
    return {file.name: file.read_text(encoding="utf-8") for file in sorted(files, key=lambda file: file.name)}


def _title(spec: KernelSpec, departure: Departure | None) -> str:
    twin = f"MEASUREMENT TWIN, NOT FOR USE: {departure.what}.\n\nMade from: " if departure and departure.twin else ""
    cores = {Core.FOUR_WAVE: "4-wave", Core.EIGHT_WAVE: "8-wave ping-pong", Core.DECODE: "decode"}
    return (
        f"{twin}fp8 block-scale GEMM for {spec.arch}: {cores[spec.core]} core, tile "
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
