# SPDX-License-Identifier: Apache-2.0
"""What CK says, as pure data: kernel names, tuned and untuned tables, instance lists. No torch, no FlyDSL.

`read_files` reads files of any known form into one `ReadResult`; `parse_kernel_name` reads one name. Inputs are text to
be parsed, never imported.
"""

from porter.ck_parser.codes import CODES
from porter.ck_parser.instance import CkInstance, CkTileInstance, NumericContract, Scheduler, XdlInstance
from porter.ck_parser.names import parse_kernel_name
from porter.ck_parser.names.grammar import Kernel
from porter.ck_parser.read import read_files
from porter.ck_parser.rows import (
    CK_LIBTYPES,
    BadRow,
    Disagreement,
    FileReport,
    InstanceEntry,
    OpaqueKernel,
    Origin,
    Provenance,
    ReadResult,
    Superseded,
    TunedRow,
    Unsupported,
)

__all__ = [
    "CK_LIBTYPES",
    "CODES",
    "BadRow",
    "CkInstance",
    "CkTileInstance",
    "Disagreement",
    "FileReport",
    "InstanceEntry",
    "Kernel",
    "NumericContract",
    "OpaqueKernel",
    "Origin",
    "Provenance",
    "ReadResult",
    "Scheduler",
    "Superseded",
    "TunedRow",
    "Unsupported",
    "XdlInstance",
    "parse_kernel_name",
    "read_files",
]
