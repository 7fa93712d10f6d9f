# SPDX-License-Identifier: Apache-2.0
"""CK's C++ templates of this operator: their parameters in order, and the instance that arguments make.

Device operations and aiter's helpers stand in sources, grid-wise kernels in the symbols of compiled code. The orders
are those of CK's headers of 2025 (`device_gemm_multiple_d_xdl_cshuffle_v3_ab_scale.hpp` and
`..._blockscale_bpreshuffle.hpp`, `gridwise_gemm_xdl_cshuffle_v3_multi_d_ab_scale.hpp` and
`..._blockscale_b_preshuffle.hpp`) and of aiter's `*_common.cuh`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from porter.ck_parser.cpp_names import Names, NotANumber
from porter.ck_parser.cpp_tokens import Token, Tokens, spelled
from porter.ck_parser.instance import CkTileInstance, XdlInstance
from porter.ck_parser.parameters import cktile_instance, possible, xdl_instance
from porter.ck_parser.quoting import quote
from porter.ck_parser.table import CellError, Reason
from porter.problem import Family

_LAYOUTS = ("ALayout", "BLayout", "DsLayout", "CLayout")
_OPERATIONS = ("AElementwiseOperation", "BElementwiseOperation", "CElementwiseOperation", "GemmSpec")
_SCALE_BLOCKS = ("ScaleBlockM", "ScaleBlockN", "ScaleBlockK")
_TILE = ("MPerBlock", "NPerBlock", "KPerBlock", "AK1", "BK1", "MPerXDL", "NPerXDL", "MXdlPerWave", "NXdlPerWave")
_A_CLUSTER = "ABlockTransferThreadClusterLengths_AK0_M_AK1"
_B_CLUSTER = "BBlockTransferThreadClusterLengths_BK0_N_BK1"
_C_CLUSTER = "CShuffleBlockTransferClusterLengths_MBlock_MPerBlock_NBlock_NPerBlock"
_C_VECTORS = "CDEShuffleBlockTransferScalarPerVectors"
_A_TRANSFER = (
    "ABlockTransferThreadClusterArrangeOrder",
    "ABlockTransferSrcAccessOrder",
    "ABlockTransferSrcVectorDim",
    "ABlockTransferSrcScalarPerVector",
    "ABlockTransferDstScalarPerVector_AK1",
)
_B_TRANSFER = (
    "BBlockTransferThreadClusterArrangeOrder",
    "BBlockTransferSrcAccessOrder",
    "BBlockTransferSrcVectorDim",
    "BBlockTransferSrcScalarPerVector",
    "BBlockTransferDstScalarPerVector_BK1",
)
_SHUFFLE = ("CShuffleMXdlPerWavePerShuffle", "CShuffleNXdlPerWavePerShuffle")
_PIPELINE = ("BlkGemmPipeSched", "BlkGemmPipelineVer")
_COMPUTE_TYPES = ("ComputeTypeA", "ComputeTypeB", "LDSTypeA", "LDSTypeB")

_DEVICE = (
    *_LAYOUTS,
    "ADataType",
    "AScaleDataType",
    "BDataType",
    "BScaleDataType",
    "DsDataType",
    "CDataType",
    "GemmAccDataType",
    "CShuffleDataType",
    *_OPERATIONS,
    "BlockSize",
    *_SCALE_BLOCKS,
    *_TILE,
    _A_CLUSTER,
    *_A_TRANSFER,
    "ABlockLdsExtraM",
    _B_CLUSTER,
    *_B_TRANSFER,
    "BBlockLdsExtraN",
    *_SHUFFLE,
    _C_CLUSTER,
    _C_VECTORS,
    *_PIPELINE,
    *_COMPUTE_TYPES,
)
_GRIDWISE = (
    *_LAYOUTS,
    "ADataType",
    "BDataType",
    "GemmAccDataType",
    "CShuffleDataType",
    "DsDataType",
    "CDataType",
    *_OPERATIONS,
    "BlockSize",
    *_SCALE_BLOCKS,
    *_TILE,
    _A_CLUSTER,
    *_A_TRANSFER,
    "AThreadTransferSrcResetCoordinateAfterRun",
    "ABlockLdsExtraM",
    _B_CLUSTER,
    *_B_TRANSFER,
    "BThreadTransferSrcResetCoordinateAfterRun",
    "BBlockLdsExtraN",
    *_SHUFFLE,
    _C_CLUSTER,
    _C_VECTORS,
    *_PIPELINE,
    *_COMPUTE_TYPES,
)
_AITER_HELPER = (
    "AScaleDataType",
    "CDataType",
    "BlockSize",
    *_SCALE_BLOCKS,
    *_TILE,
    _A_CLUSTER,
    _B_CLUSTER,
    *_SHUFFLE,
    _C_CLUSTER,
    _C_VECTORS,
    *_PIPELINE,
    "GemmSpec",
)
_AITER_CKTILE = (
    "M_Tile",
    "N_Tile",
    "K_Tile",
    "M_Warp",
    "N_Warp",
    "K_Warp",
    "M_Warp_Tile",
    "N_Warp_Tile",
    "K_Warp_Tile",
    "TiledMMAPermuteN",
    "TransposeC",
    "UsePersistentKernel",
    "Scheduler",
    "BlockPerCu",
    "AQRowMajor",
)

#: aiter's parameter for each of CK's that makes the instance.
_AITER_NAMES = {
    "BlockSize": "BLOCK_SIZE",
    "ScaleBlockM": "ScaleBlockM",
    "ScaleBlockN": "ScaleBlockN",
    "ScaleBlockK": "ScaleBlockK",
    "MPerBlock": "MPerBLOCK",
    "NPerBlock": "NPerBLOCK",
    "KPerBlock": "KPerBLOCK",
    "AK1": "AK1",
    "BK1": "BK1",
    "MPerXDL": "MPerXDL",
    "NPerXDL": "NPerXDL",
    "MXdlPerWave": "WAVE_MAP_M",
    "NXdlPerWave": "WAVE_MAP_N",
    _A_CLUSTER: "ABLOCK_TRANSFER",
    _B_CLUSTER: "BBLOCK_TRANSFER",
    "CShuffleMXdlPerWavePerShuffle": "CSHUFFLE_MX_PER_WAVE_PERSHUFFLE",
    "CShuffleNXdlPerWavePerShuffle": "CSHUFFLE_NX_PER_WAVE_PERSHUFFLE",
    _C_CLUSTER: "CBLOCK_TRANSFER",
    _C_VECTORS: "CBLOCK_SPV",
    "BlkGemmPipeSched": "PIPELINE_Sched",
    "BlkGemmPipelineVer": "PIPELINE_VERSION",
}
_SEQUENCES = (_A_CLUSTER, _B_CLUSTER, _C_CLUSTER, _C_VECTORS)
#: Enumerators in CK's order: compiled code carries their numbers.
_ENUMERATORS = {
    "BlkGemmPipeSched": ("Intrawave", "Interwave"),
    "BlkGemmPipelineVer": ("v1", "v2", "v3", "v4", "v5"),
    "GemmSpec": (
        "Default",
        "MPadding",
        "NPadding",
        "KPadding",
        "MNPadding",
        "MKPadding",
        "NKPadding",
        "MNKPadding",
    ),
    "Scheduler": ("Default", "Intrawave", "Interwave"),
}
#: Shown beside the instance: what a form says beyond it.
_WRITTEN = (*_LAYOUTS, "ADataType", "AScaleDataType", "BDataType", "BScaleDataType", "CDataType", "GemmSpec")
_FP8 = ("f8_t", "f8_fnuz_t", "f8_ocp_t", "FP8", "F8", "fp8_t", "_BitInt(8)")
_FP32 = ("float", "F32", "TILE_FP32")


@dataclass(frozen=True, slots=True)
class Template:
    """A template.

    family: None for CK-Tile, which serves both; parameters: in order; required: how many have no default.
    """

    name: str
    family: Family | None
    parameters: tuple[str, ...]
    required: int


_BEFORE_DEFAULTS = len(_PIPELINE) + len(_COMPUTE_TYPES)

#: Templates that sources name.
SOURCE_TEMPLATES = (
    Template("DeviceGemmMultiD_ABScale_Xdl_CShuffle_V3", Family.PLAIN, _DEVICE, len(_DEVICE) - _BEFORE_DEFAULTS),
    Template(
        "DeviceGemmMultiD_BlockScale_Xdl_CShuffle_V3_BPreshuffle",
        Family.BPRESHUFFLE,
        _DEVICE,
        len(_DEVICE) - _BEFORE_DEFAULTS,
    ),
    Template("DeviceGemmHelperF8BlockScale", Family.PLAIN, _AITER_HELPER, len(_AITER_HELPER) - 3),
    Template("DeviceGemmHelperF8BlockScaleBPreshuffle", Family.BPRESHUFFLE, _AITER_HELPER, len(_AITER_HELPER) - 3),
    Template("TileGemmConfig", None, _AITER_CKTILE, len(_AITER_CKTILE) - 1),
)
#: Templates that the symbols of compiled kernels name.
SYMBOL_TEMPLATES = (
    Template("GridwiseGemmMultiD_ABScale_xdl_cshuffle_v3", Family.PLAIN, _GRIDWISE, len(_GRIDWISE) - _BEFORE_DEFAULTS),
    Template(
        "GridwiseGemmMultiD_blockscale_xdl_cshuffle_v3_b_preshuffle",
        Family.BPRESHUFFLE,
        _GRIDWISE,
        len(_GRIDWISE) - _BEFORE_DEFAULTS,
    ),
)


class IsGeneric(Exception):
    """The arguments are the parameters of an enclosing template: a definition, not an instance."""


@dataclass(frozen=True, slots=True)
class Instantiated:
    """What arguments make. written, refusal and notes: as in `InstanceEntry`."""

    instance: XdlInstance | CkTileInstance
    written: tuple[tuple[str, str], ...]
    refusal: Reason | None
    notes: tuple[str, ...]


def instantiate(template: Template, given: Sequence[Tokens], names: Names, at: int) -> Instantiated:
    """The instance of a template's arguments where they are used.

    Raises CellError CKP023 for their number, CKP024 for one that is no constant, others as `xdl_instance`; IsGeneric
    where a template around it leaves sizes open. An open scheduler is CK's default, with a note: it changes no bits.
    """
    if any(words and words[-1].text == "..." for words in given):
        raise IsGeneric
    if not template.required <= len(given) <= len(template.parameters):
        most = len(template.parameters)
        expected = str(most) if most == template.required else f"{template.required} to {most}"
        raise CellError("CKP023", f"{len(given)} arguments where {template.name} has {expected}")
    arguments = dict(zip(template.parameters, given, strict=False))
    notes: list[str] = []
    values: dict[str, str] = {}
    written: list[tuple[str, str]] = []
    for name, words in arguments.items():
        if name in _WRITTEN:
            written.append((name, _last_name(names.follow(words, at), name)))
        elif name in _AITER_NAMES or template.family is None:
            values[_AITER_NAMES.get(name, name)] = _value(name, words, names, at, notes)
    if template.family is None:
        return Instantiated(possible(cktile_instance(values)), (), None, tuple(notes))
    values.setdefault("PIPELINE_Sched", "Intrawave")
    values.setdefault("PIPELINE_VERSION", "1")
    instance = possible(xdl_instance(values, template.family))
    return Instantiated(instance, tuple(written), _refusal(dict(written)), tuple(notes))


def _value(name: str, words: Tokens, names: Names, at: int, notes: list[str]) -> str:
    """One argument as a table cell writes it."""
    try:
        if name in _ENUMERATORS:
            return _enumerator(name, words, names, at, notes)
        if name in _SEQUENCES:
            numbers = _sequence(words, names, at)
            return numbers[0] if name == _C_VECTORS else "x".join(numbers)
        if name in ("TiledMMAPermuteN", "TransposeC", "UsePersistentKernel", "AQRowMajor"):
            return str(bool(names.number(names.follow(words, at), at)))
        return str(names.number(words, at))
    except NotANumber as error:
        if error.open_name:
            raise IsGeneric from error
        raise CellError("CKP024", f"{name}: {quote(spelled(words))}: {error.reason}") from error


def _enumerator(name: str, words: Tokens, names: Names, at: int, notes: list[str]) -> str:
    found = names.follow(words, at)
    known = _ENUMERATORS[name]
    last = _last_name(found, name)
    if last not in known:
        if last in names.parameters and name == "BlkGemmPipeSched":
            notes.append(f"the scheduler is the template parameter {last}: CK's default Intrawave is assumed")
            last = "Intrawave"
        elif last in names.parameters:
            raise NotANumber(f"{last} is a template parameter", open_name=last)
        else:
            raise NotANumber(f"not one of {', '.join(known)}")
    return last.removeprefix("v") if name == "BlkGemmPipelineVer" else last


def _last_name(words: Tokens, name: str) -> str:
    """The last name of a qualified one, an enumerator's name for its number, anything else as written."""
    known = _ENUMERATORS.get(name, ())
    if words and words[-1].kind == "number" and known:
        index = int(words[-1].text) if len(words[-1].text) < 3 and words[-1].text.isdigit() else len(known)
        return known[index] if index < len(known) else words[-1].text
    qualified = bool(words) and all(word.kind == "name" or word.text == "::" for word in words)
    return words[-1].text if qualified else spelled(words)


def _sequence(words: Tokens, names: Names, at: int) -> list[str]:
    """The numbers of `S<8, 32, 1>` or `ck::Sequence<8, 32, 1>`, through an alias too."""
    words = names.follow(words, at)
    opening = next((index for index, word in enumerate(words) if word.text == "<"), -1)
    head = words[: max(opening, 0)]
    if not head or words[-1].text != ">" or not all(word.kind == "name" or word.text == "::" for word in head):
        if len(words) == 1 and words[0].text in names.parameters:
            raise NotANumber(f"{words[0].text} is a template parameter", open_name=words[0].text)
        raise NotANumber("not a sequence of numbers such as S<8, 32, 1>")
    inner: list[Token] = []
    numbers: list[str] = []
    for word in (*words[opening + 1 : -1], Token("symbol", ",", 0)):
        if word.text == ",":
            numbers.append(str(names.number(tuple(inner), at)))
            inner = []
        else:
            inner.append(word)
    return numbers


def _refusal(written: Mapping[str, str]) -> Reason | None:
    """Why the layouts or types of an instance cannot be ported; types that a template leaves open are not judged."""
    sides = [written.get(name, default) for name, default in (("ALayout", "RowMajor"), ("BLayout", "ColumnMajor"))]
    named = _layout_name(*sides)
    if named != "mk_nk":
        reason = f"layouts {named}: only row-major A [M, K] with column-major B, which is W [N, K], can be ported"
        return Reason("CKP045", reason, "transpose the tensor before the call, or port the mk_nk instance")
    if written.get("CLayout", "RowMajor") != "RowMajor":
        return Reason("CKP045", f"the output layout is {written['CLayout']}: only row-major C can be ported")
    if written.get("DsLayout", "Tuple<>").rpartition("::")[2] != "Tuple<>":
        return Reason("CKP045", f"D tensors of layout {written['DsLayout']}: an epilogue that porter does not know")
    for side in "AB":
        scale = written.get(f"{side}ScaleDataType", "float")
        if scale not in _FP32 and scale.lower().startswith(("e8m0", "f16", "bf16", "half", "bhalf")):
            return Reason("CKP044", f"the scales of {side} are {scale}, not fp32")
        data = written.get(f"{side}DataType", "f8_t")
        if data not in _FP8 and data in ("bhalf_t", "half_t", "float", "int8_t", "pk_i4_t", "f4x2_pk_t", "bf8_t"):
            return Reason("CKP044", f"{side} is {data}, not fp8")
    return None


def _layout_name(a: str, b: str) -> str:
    """CK's short name of the layouts of A and B: mk or km, kn or nk."""
    sides = {"RowMajor": ("mk", "kn"), "ColumnMajor": ("km", "nk")}
    return "_".join((sides.get(a, (a, ""))[0], sides.get(b, ("", b))[1]))
