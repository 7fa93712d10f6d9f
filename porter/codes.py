# SPDX-License-Identifier: Apache-2.0
"""The codes of porter's messages: every one is stated once, and never used again for something else.

A code that a rule or check owns is stated there (`porter.gate`, `porter.rewrite_rules`, `oracle.codes`); here stand the
families and the codes of plain errors and verdicts. `porter rule CODE` prints any of them.
"""

from __future__ import annotations

from dataclasses import dataclass

from porter.records import Record

#: Prefix -> what its codes are about.
FAMILIES: dict[str, str] = {
    "CKP": "reading CK's text",
    "CKS": "choosing a kernel, and what a kernel cannot serve",
    "CKR": "rewriting kernels with native E8M0 scaling",
    "CKT": "compiling with FlyDSL",
    "CKV": "proving kernels",
    "CKM": "the machine, and what it and the check of waits find in machine code",
    "CKG": "the gate in front of a main branch",
    "CKB": "building Composable Kernel's own kernels",
    "CKF": "figures: models of times, and rows that they find wrong",
    "CKE": "exporting kernels",
    "CKH": "the HTML report",
}


@dataclass(frozen=True, slots=True)
class Code:
    """id: three letters and three digits; meaning: one line; help: what to do, where it is always the same."""

    id: str
    meaning: str
    help: str = ""


class RuleOutput(Record, frozen=True, tag_field="schema", tag="porter/rule/1"):
    """porter rule: what one code means: of an error, a verdict, a finding or a rule."""

    code: str
    family: str
    meaning: str
    help: str
    page: str


STATED: dict[str, str] = {
    "CKP001": "the file cannot be opened or read",
    "CKP002": "the file is not UTF-8 text",
    "CKP003": "the file is empty: no header",
    "CKP004": "no reader recognises the file",
    "CKP005": "a required column is missing",
    "CKP006": "the header names a column twice",
    "CKP007": "the header is longer than a line may be",
    "CKP008": "more rows, or more bad rows, than one call reads",
    "CKP009": "an argument of the call is not usable",
    "CKP010": "a line is longer than a line may be",
    "CKP011": "a row has more cells than the header",
    "CKP012": "a quoted cell does not end",
    "CKP013": "a size is not a whole number in range",
    "CKP014": "a cell is not the number or word that its column holds",
    "CKP015": "a required cell is empty",
    "CKP016": "a line is not UTF-8 text",
    "CKP017": "an instance row contradicts its own kernelName",
    "CKP018": "the layout cell contradicts the kernelName",
    "CKP019": "a source or trace file is longer than porter reads",
    "CKP020": "a Python or JSON file does not parse",
    "CKP021": "an instance or a list of a Python file is not in a form of aiter's, or not as its class takes it",
    "CKP022": "a C++ template argument list is damaged",
    "CKP023": "a C++ template has more or fewer arguments than CK gives it",
    "CKP024": "a C++ template argument is not a constant of the file",
    "CKP025": "a folder holds no file of a known form",
    "CKP026": "a trace has no kernel events",
    "CKP030": "a porter kernel name does not fit its grammar",
    "CKP031": "no grammar knows the kernel name",
    "CKP032": "a kernel name leaves its grammar",
    "CKP033": "a kernel instance contradicts itself",
    "CKP040": "the kernel is not Composable Kernel",
    "CKP041": "an instance without a shape",
    "CKP042": "nothing tells the family of the row",
    "CKP043": "cu_num is missing and the chip is not known",
    "CKP044": "the weights are not fp8",
    "CKP045": "the layouts of an instance cannot be ported",
    "CKP046": "the list or kernel is of another operator",
    "CKP047": "an instance of a generation whose parameters porter does not know",
    "CKP048": "the instance is commented out or left out by the preprocessor",
    "CKP050": "kernelId and kernelName disagree",
    "CKP051": "the rows are of another operation",
    "CKP060": "an output that cannot be written",
    "CKP061": "every row of the input is bad",
    "CKP062": "a manifest that cannot be used",
    "CKP063": "nothing to write in the place of kernels that are there",
    "CKS001": "no template writes the kernel's core",
    "CKS102": "the core is not built for the chip",
    "CKS103": "the core does not split K",
    "CKS104": "the kernel is for another chip",
    "CKS105": "the kernel reads x_scale in another layout than its family stores",
    "CKS106": "an output type that no kernel writes",
    "CKS107": "a raster over dies that the chip does not have",
    "CKS108": "a ScaleBlockM that the tile cannot serve",
    "CKS110": "an MFMA that the chip's kernels are not built from",
    "CKS111": "a tile that the core is not built for",
    "CKS112": "a tile K that the core is not built for",
    "CKS113": "a wave's columns need more than one w_scale",
    "CKS120": "more work-items than a workgroup has",
    "CKS121": "waves_per_eu out of range",
    "CKS122": "accumulators that leave too few registers",
    "CKS123": "more LDS than a workgroup has",
    "CKS124": "a schedule that spills at this tile",
    "CKS125": "a tile K that spills at this tile",
    "CKS130": "a size below 1",
    "CKS131": "a K that is no multiple of the scale block",
    "CKS132": "more K slices than scale blocks",
    "CKS134": "an N that the store or the layout cannot serve",
    "CKS140": "an operand past what 32-bit offsets reach",
    "CKS141": "an M that the launcher cannot round up to tiles in 32 bits",
    "CKS142": "a launch of more work-items than HIP makes",
    "CKS150": "a chip that porter does not know",
    "CKS151": "scale blocks that are not ScaleBlockM x 128 x 128",
    "CKS152": "an instance whose own CK kernel computes wrong results",
    "CKS160": "compiled: spilled registers",
    "CKS161": "compiled: scratch memory",
    "CKS162": "compiled: AGPR moves in the loop",
    "CKS163": "compiled: more LDS than the chip has",
    "CKS164": "compiled: native E8M0 scaling",
    "CKS165": "compiled: no workgroup fits a compute unit",
    "CKS166": "a candidate that does not compile",
    "CKS172": "twins would be written beside kernels in use",
    "CKT001": "flydsl is not installed",
    "CKT002": "the kernel's module raised an error while it was compiled",
    "CKT003": "the compiler ended without a result",
    "CKT004": "compiling took too long",
    "CKT005": "Pillow, which draws pictures, is not installed",
    "CKT010": "the launcher computes with an operation that porter does not know",
    "CKT011": "the launcher cannot be followed",
    "CKT012": "the compile hints of a module cannot be told",
    "CKT013": "the launcher computes something undefined",
    "CKT014": "a grid or block past what a launch can have",
    "CKT015": "the launcher launches no kernel",
    "CKT016": "a module reaches for the world outside while it is compiled",
    "CKT017": "one text compiled to two machine codes",
    "CKT018": "a module does not compile a second time",
    "CKT020": "ISA text that cannot be read",
    "CKT021": "ISA text that describes no kernel",
    "CKT022": "ISA text for a chip that porter does not know",
    "CKT030": "no shape is known to compile for",
    "CKT031": "the C export of a kernel cannot be written",
    "CKT032": "a kernel is given twice",
    "CKV001": "no such kernel",
    "CKV002": "a manifest that lists no kernel",
    "CKV003": "no such data set",
    "CKV004": "a shape that is not spelt MxNxK",
    "CKV005": "mutants of a kernel that is itself not proved",
    "CKV006": "nothing is rewritten, so there is no before and after",
    "CKV007": "no such code",
    "CKV008": "no kernel that can be held against CK's own",
    "CKV070": "a listed shape that its kernel cannot serve",
    "CKG110": "a configuration of the gate that cannot be read",
    "CKG111": "an unknown key of the configuration, or a value of the wrong kind",
    "CKG112": "no such revision",
    "CKG113": "a census baseline that cannot be read",
    "CKG114": "there is nothing to take a baseline of, or no file for it",
    "CKG115": "a file in scope of the gate cannot be read",
    "CKB001": "where Composable Kernel's source lies cannot be told",
    "CKB002": "clang++ or ld.lld is missing",
    "CKB003": "the compiler refused Composable Kernel's text",
    "CKB004": "a build took too long",
    "CKB005": "no such instance",
    "CKB006": "an instance of a kind that porter does not build",
    "CKB007": "a code object without a kernel",
    "CKB008": "a code object whose kernels have no MFMA",
    "CKB010": "CK-Tile of this Composable Kernel has no such kernel",
    "CKF001": "a calibration that cannot be read",
    "CKF002": "a calibration names a kernel that no list of CK's has",
    "CKF003": "no row to fit a model to",
    "CKF101": "a measured time above its own kernel's model by more than the bar",
    "CKF102": "a measured time above what another kernel's model promises",
    "CKF103": "two measurements of one kernel and shape that differ by more than noise",
    "CKF104": "a measured time above that of a larger M",
    "CKE001": "a manifest without a kernel to export",
    "CKE002": "a kernel's text is not what its manifest lists",
    "CKE003": "the place to edit in a downstream file cannot be told",
    "CKE004": "a file that porter did not write is in the way",
    "CKE005": "a file of measured times that cannot be used",
    "CKE006": "no kernel fits the downstream",
    "CKH001": "an input of the report cannot be read",
    "CKH003": "not results of porter verify",
    "CKH004": "a module that the manifest lists is missing",
    "CKH006": "the page would replace what it is made of",
}

#: Codes that were used once and what took their place, empty where nothing did; they are not used again.
RETIRED: dict[str, str] = {
    "CKS101": "CKS102",
    # Edits of a kernel's text, which are options of its blocks now.
    **dict.fromkeys(("CKS170", "CKS171", "CKV090"), ""),
    **{f"CKG{80 + number:03}": f"CKH{1 + number:03}" for number in range(6)},
    **{f"CKG{90 + number:03}": f"CKE{1 + number:03}" for number in range(6)},
    **dict.fromkeys(("CKG081", "CKG084", "CKH002", "CKH005"), "CKP062"),
}
