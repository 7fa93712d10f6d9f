# SPDX-License-Identifier: Apache-2.0
"""What CK says, as pure data: names, tables, Python lists, C++ tuples and traces. No torch, no FlyDSL.

`read_files` reads files, folders and names of any known form into one `ReadResult`; `parse_kernel_name` reads one
kernelName, `recognise` any name of a kernel, `read_trace` a trace with its times, and `join_shapes` gives instances
their shapes. Inputs are text to be parsed, never imported.
"""

from porter.ck_parser.instance import CkInstance, CkTileInstance, NumericContract, Scheduler, XdlInstance
from porter.ck_parser.names import parse_kernel_name
from porter.ck_parser.names.grammar import Kernel, OpaqueKernel
from porter.ck_parser.read import read_files
from porter.ck_parser.rows import (
    CK_LIBTYPES,
    ERR_RATIO,
    BadRow,
    Disagreement,
    FileReport,
    InstanceEntry,
    Origin,
    OtherOperation,
    Provenance,
    ReadResult,
    Superseded,
    TunedRow,
    Unsupported,
)
from porter.ck_parser.shapes import Joined, join_shapes
from porter.ck_parser.symbols import KernelMatch, recognise
from porter.ck_parser.traces import Trace, TracedKernel, read_trace

__all__ = [
    "CK_LIBTYPES",
    "ERR_RATIO",
    "BadRow",
    "CkInstance",
    "CkTileInstance",
    "Disagreement",
    "FileReport",
    "InstanceEntry",
    "Joined",
    "Kernel",
    "KernelMatch",
    "NumericContract",
    "OpaqueKernel",
    "Origin",
    "OtherOperation",
    "Provenance",
    "ReadResult",
    "Scheduler",
    "Superseded",
    "Trace",
    "TracedKernel",
    "TunedRow",
    "Unsupported",
    "XdlInstance",
    "join_shapes",
    "parse_kernel_name",
    "read_files",
    "read_trace",
    "recognise",
]
