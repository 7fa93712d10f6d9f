# SPDX-License-Identifier: Apache-2.0
"""The text that instantiates one CK instance, with tables of what the compiler makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from porter.ck_parser import XdlInstance
from porter.problem import WAVE_SIZE, Family

if TYPE_CHECKING:
    import jinja2

#: Fields of CK's Argument that a kernel may read; the names are CK's.
FIELDS = (
    *("M", "N", "K", "StrideA", "StrideB", "StrideC", "KBatch", "MPadded", "NPadded", "KRead", "KPadded"),
    *("AK0", "BK0", "MBlock", "NBlock"),
    *("p_a_grid", "p_b_grid", "p_c_grid", "p_a_scale_grid", "p_b_scale_grid"),
)

#: K blocks that the table of kernels knows, from 0; of 128 that is K = 131072.
LOOPS = 1025

#: (main loop, TailNumber) of the kernels that the device operation may launch, by (preshuffled, pipeline version).
_KERNELS = {
    (False, 1): (("true", "Full"), ("false", "Full"), ("false", "Odd")),
    (False, 3): (("true", "Full"),),
    (True, 1): (("true", "Odd"), ("true", "Even"), ("false", "Odd"), ("false", "Even")),
    (True, 3): (("true", "Odd"), ("true", "Even")),
}
_BLOCKSCALE = "kernel_gemm_xdl_cshuffle_v3_multi_d_blockscale_b_preshuffle"


@dataclass(frozen=True, slots=True)
class Request:
    """One object: an instance for a chip.

    padded: GemmSpecialization MNKPadding, which aiter takes for shapes that the tile does not divide, else Default;
    keep_denormals: as CK's own build has it, else flushed, as aiter's has it.
    """

    instance: XdlInstance
    arch: str
    padded: bool = False
    keep_denormals: bool = False

    @property
    def name(self) -> str:
        """Of the object's files."""
        options = "_padded" * self.padded + "_denormals" * self.keep_denormals
        return f"{self.instance.name}_{self.arch}{options}"

    @property
    def specialization(self) -> str:
        return "MNKPadding" if self.padded else "Default"

    @property
    def k_share(self) -> str:
        """Contiguous K elements that a lane group holds of a block, as a C++ expression: what is under v1 one MFMA's,
        under v3 all that is the group's (blockwise_gemm_pipeline_xdlops_base.hpp and ..._v1_ab_scale.hpp)."""
        if self.instance.family is Family.BPRESHUFFLE:
            return "Gridwise::KPack / Gridwise::KGroup"
        groups = WAVE_SIZE // self.instance.xdl_mn[0]
        return "Gridwise::KPack" if self.instance.pipeline_version == 1 else f"{self.instance.tile_mnk[2]} / {groups}"

    @property
    def facts(self) -> dict[str, int | str]:
        """What `oracle.ck_abi` must know of the instance: CK's template parameters by their names."""
        instance = self.instance
        scale, tile, xdl = instance.scale_block_mnk, instance.tile_mnk, instance.xdl_mn
        return {
            **dict(zip(("ScaleBlockM", "ScaleBlockN", "ScaleBlockK"), scale, strict=True)),
            **dict(zip(("MPerBlock", "NPerBlock", "KPerBlock"), tile, strict=True)),
            **dict(zip(("MPerXDL", "NPerXDL"), xdl, strict=True)),
            "BlockSize": instance.block_size,
            "AK1": instance.ak1,
            "BK1": instance.bk1,
            "CVector": instance.c_block_spv,
            "Padded": int(self.padded),
            "Preshuffled": int(self.instance.family is Family.BPRESHUFFLE),
            "FlushDenormals": int(not self.keep_denormals),
            "KShare": self.k_share,
        }


def text(request: Request) -> str:
    """The HIP source of an object.

    Which kernels, and how many workgroups a compute unit their launch bounds ask for: CK's invokers in
    device_gemm_multiple_d_xdl_cshuffle_v3_ab_scale.hpp and ..._blockscale_bpreshuffle.hpp, as of November 2025.
    """
    instance = request.instance
    preshuffled = instance.family is Family.BPRESHUFFLE
    device = "BlockScale_Xdl_CShuffle_V3_BPreshuffle" if preshuffled else "ABScale_Xdl_CShuffle_V3"
    header = "blockscale_bpreshuffle" if preshuffled else "ab_scale"
    outputs = instance.tile_mnk[0] * instance.tile_mnk[1] // instance.block_size
    narrow = instance.pipeline_sched.value == "intrawave" and outputs > 64 and not preshuffled
    two_buffers = "_2lds" if instance.pipeline_version == 3 else ""
    return (
        _environment()
        .get_template("xdl.hip.jinja")
        .render(
            instance=instance,
            arch=request.arch,
            specialization=request.specialization,
            preshuffled=preshuffled,
            device=f"DeviceGemmMultiD_{device}",
            header=f"device_gemm_multiple_d_xdl_cshuffle_v3_{header}.hpp",
            kernel=f"{_BLOCKSCALE}{two_buffers}" if preshuffled else "kernel_gemm_xdl_cshuffle_v3",
            kernels=_KERNELS[preshuffled, instance.pipeline_version],
            occupancy=1 if narrow else 2,
            fields=FIELDS,
            facts=request.facts,
            loops=LOOPS,
        )
    )


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    folder = str(resources.files("porter") / "templates" / "ck")
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
