# SPDX-License-Identifier: Apache-2.0
"""Every form of an instance, written by us from its value: the readers must give the value back."""

from __future__ import annotations

from collections.abc import Mapping

from porter.ck_parser import CkInstance, CkTileInstance, XdlInstance
from porter.problem import Family

XDL_CLASS = """
@dataclass
class kernelInstance:
    BLOCK_SIZE: int
    ScaleBlockM: int
    ScaleBlockN: int
    ScaleBlockK: int
    MPerBLOCK: int
    NPerBLOCK: int
    KPerBLOCK: int
    AK1: int
    BK1: int
    MPerXDL: int
    NPerXDL: int
    WAVE_MAP_M: int
    WAVE_MAP_N: int
    ABLOCK_TRANSFER: list[int]
    BBLOCK_TRANSFER: list[int]
    CSHUFFLE_MX_PER_WAVE_PERSHUFFLE: int
    CSHUFFLE_NX_PER_WAVE_PERSHUFFLE: int
    CBLOCK_TRANSFER: list[int]
    CBLOCK_SPV: list[int]
    PIPELINE_Sched: str
    PIPELINE_VERSION: int

    @property
    def name(self) -> str:
        return "_".join(["PREFIX", str(self.BLOCK_SIZE)])
"""

TILE_CLASS = """
@dataclass
class TileKernelInstance:
    M_Tile: int
    N_Tile: int
    K_Tile: int
    M_Warp: int
    N_Warp: int
    K_Warp: int
    M_Warp_Tile: int
    N_Warp_Tile: int
    K_Warp_Tile: int
    Scheduler: str
    TiledMMAPermuteN: bool
    TransposeC: bool
    UsePersistentKernel: bool
    BlockPerCu: int
    AQRowMajor: bool = False

    @property
    def name(self) -> str:
        return "a8w8_blockscale_cktile_" + str(self.M_Tile)
"""

PROLOGUE = """// a sample of a device operation's instances
namespace ck {
using F8 = f8_t;
using BF16 = bhalf_t;
using F32 = float;
using Row = tensor_layout::gemm::RowMajor;
using Col = tensor_layout::gemm::ColumnMajor;
template <index_t... Is>
using S = Sequence<Is...>;
using PassThrough = element_wise::PassThrough;
static constexpr auto Intrawave = BlockGemmPipelineScheduler::Intrawave;
"""


def python_call(instance: CkInstance) -> str:
    """A call as aiter's lists write it."""
    if isinstance(instance, CkTileInstance):
        flags = (instance.tiled_mma_permute_n, instance.transpose_c, instance.use_persistent_kernel)
        numbers = (*instance.tile_mnk, *instance.warp_mnk, *instance.warp_tile_mnk)
        row_major = ", AQRowMajor=True" if instance.aq_row_major else ""
        return (
            f"TileKernelInstance({', '.join(map(str, numbers))}, {instance.scheduler.value.capitalize()!r}, "
            f"{', '.join(map(str, flags))}, {instance.block_per_cu}{row_major})"
        )
    numbers = (
        instance.block_size,
        *instance.scale_block_mnk,
        *instance.tile_mnk,
        instance.ak1,
        instance.bk1,
        *instance.xdl_mn,
        *instance.xdl_per_wave_mn,
    )
    return (
        f"kernelInstance({', '.join(map(str, numbers))}, {list(instance.a_block_transfer)}, "
        f"{list(instance.b_block_transfer)}, {', '.join(map(str, instance.cshuffle_xdl_per_wave_mn))}, "
        f"{list(instance.c_block_transfer)}, [{instance.c_block_spv}], "
        f"{instance.pipeline_sched.value.capitalize()!r}, {instance.pipeline_version},)"
    )


def python_source(entries: Mapping[int, CkInstance], name: str = "kernels_list") -> str:
    """A whole file with one list."""
    listed = "\n".join(f"    {key}: {python_call(instance)}," for key, instance in entries.items())
    first = next(iter(entries.values()))
    head = TILE_CLASS if isinstance(first, CkTileInstance) else XDL_CLASS.replace("PREFIX", _prefix(first.family))
    return f"from dataclasses import dataclass\n{head}\n\n{name} = {{\n{listed}\n}}\n"


def cpp_tuple(instance: XdlInstance, layouts: str = "Row, Col", scheduler: str = "") -> str:
    """The arguments of CK's device operation."""
    operation = (
        "DeviceGemmMultiD_ABScale_Xdl_CShuffle_V3"
        if instance.family is Family.PLAIN
        else "DeviceGemmMultiD_BlockScale_Xdl_CShuffle_V3_BPreshuffle"
    )
    sched = scheduler or f"BlockGemmPipelineScheduler::{instance.pipeline_sched.value.capitalize()}"
    return (
        f"{operation}<{layouts}, Tuple<>, Row, F8, F32, F8, F32, Tuple<>, BF16, F32, F32, PassThrough, PassThrough, "
        f"PassThrough, GemmSpec, {instance.block_size}, {_comma(instance.scale_block_mnk)}, "
        f"{_comma(instance.tile_mnk)}, {instance.ak1}, {instance.bk1}, {_comma(instance.xdl_mn)}, "
        f"{_comma(instance.xdl_per_wave_mn)}, S<{_comma(instance.a_block_transfer)}>, S<1, 0, 2>, S<1, 0, 2>, 2, "
        f"{instance.ak1}, {instance.ak1}, 0, S<{_comma(instance.b_block_transfer)}>, S<1, 0, 2>, S<1, 0, 2>, 2, "
        f"{instance.bk1}, {instance.bk1}, 0, {_comma(instance.cshuffle_xdl_per_wave_mn)}, "
        f"S<{_comma(instance.c_block_transfer)}>, S<{instance.c_block_spv}>, {sched}, "
        f"BlockGemmPipelineVersion::v{instance.pipeline_version}, F8>"
    )


def cpp_source(*tuples: str, alias: str = "instances") -> str:
    """A header with one tuple of instances, their padding left open as CK does."""
    listed = ",\n        // next\n        ".join(tuples)
    return f"{PROLOGUE}template <GemmSpecialization GemmSpec>\nusing {alias} = std::tuple<\n        {listed}>;\n}}\n"


def cpp_helper(instance: CkInstance) -> str:
    """The file that aiter generates for one instance."""
    if isinstance(instance, CkTileInstance):
        flags = (instance.tiled_mma_permute_n, instance.transpose_c, instance.use_persistent_kernel)
        numbers = _comma((*instance.tile_mnk, *instance.warp_mnk, *instance.warp_tile_mnk))
        made = (
            f"TileGemmConfig<{numbers}, {', '.join(str(flag).lower() for flag in flags)}, "
            f"ck_tile::GemmPipelineScheduler::{instance.scheduler.value.capitalize()}, {instance.block_per_cu}, "
            f"{str(instance.aq_row_major).lower()}>"
        )
    else:
        helper = "DeviceGemmHelperF8BlockScale" + ("BPreshuffle" if instance.family is Family.BPRESHUFFLE else "")
        made = (
            f"{helper}<\n  DDataType, EDataType, {instance.block_size}, {_comma(instance.scale_block_mnk)},\n"
            f"  {_comma(instance.tile_mnk)}, {instance.ak1}, {instance.bk1}, {_comma(instance.xdl_mn)}, "
            f"{_comma(instance.xdl_per_wave_mn)},\n  S<{_comma(instance.a_block_transfer)}>, "
            f"S<{_comma(instance.b_block_transfer)}>, {_comma(instance.cshuffle_xdl_per_wave_mn)}, "
            f"S<{_comma(instance.c_block_transfer)}>, S<{instance.c_block_spv}>,\n"
            f"  ck::BlockGemmPipelineScheduler::{instance.pipeline_sched.value.capitalize()},\n"
            f"  ck::BlockGemmPipelineVersion::v{instance.pipeline_version},\n"
            "  ck::tensor_operation::device::GemmSpecialization::MNKPadding>"
        )
    return (
        f'#include "common.cuh"\ntemplate <typename DDataType, typename EDataType>\ntorch::Tensor\n{instance.name}'
        f"(torch::Tensor& XQ)\n{{\n    using DeviceGemmInstance = {made};\n"
        "    return run<DeviceGemmInstance>(XQ);\n}\n"
    )


def symbol(instance: XdlInstance) -> str:
    """The demangled symbol of the compiled kernel, as traces show it."""
    gridwise = (
        "GridwiseGemmMultiD_ABScale_xdl_cshuffle_v3"
        if instance.family is Family.PLAIN
        else "GridwiseGemmMultiD_blockscale_xdl_cshuffle_v3_b_preshuffle"
    )
    order = "ck::Sequence<1, 0, 2>, ck::Sequence<1, 0, 2>"
    passes = ", ".join(["ck::tensor_operation::element_wise::PassThrough"] * 3)
    schedule = ("intrawave", "interwave").index(instance.pipeline_sched.value)
    return (
        f"void ck::kernel_gemm_xdl_cshuffle_v3<ck::{gridwise}<ck::tensor_layout::gemm::RowMajor, "
        "ck::tensor_layout::gemm::ColumnMajor, ck::Tuple<>, ck::tensor_layout::gemm::RowMajor, ck::f8_fnuz_t, "
        f"ck::f8_fnuz_t, float, float, ck::Tuple<>, unsigned short, {passes}, "
        f"(ck::tensor_operation::device::GemmSpecialization)7, {instance.block_size}, "
        f"{_comma(instance.scale_block_mnk)}, {_comma(instance.tile_mnk)}, {instance.ak1}, {instance.bk1}, "
        f"{_comma(instance.xdl_mn)}, {_comma(instance.xdl_per_wave_mn)}, "
        f"ck::Sequence<{_comma(instance.a_block_transfer)}>, {order}, 2, 16, 16, false, 0, "
        f"ck::Sequence<{_comma(instance.b_block_transfer)}>, {order}, 2, 16, 16, false, 0, "
        f"{_comma(instance.cshuffle_xdl_per_wave_mn)}, ck::Sequence<{_comma(instance.c_block_transfer)}>, "
        f"ck::Sequence<{instance.c_block_spv}>, (ck::BlockGemmPipelineScheduler){schedule}, "
        f"(ck::BlockGemmPipelineVersion){instance.pipeline_version - 1}, ck::f8_fnuz_t, ck::f8_fnuz_t, "
        "ck::f8_fnuz_t, ck::f8_fnuz_t>, true, (ck::InMemoryDataOperationEnum)0, 2, (ck::TailNumber)10>"
        f"(ck::{gridwise}::Argument)"
    )


def _comma(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers))


def _prefix(family: Family) -> str:
    return "a8w8_blockscale" + ("_bpreshuffle" if family is Family.BPRESHUFFLE else "")
