# SPDX-License-Identifier: Apache-2.0
"""Instance tables of CK's XDL device operations, plain and bpreshuffle."""

from __future__ import annotations

from porter.ck_parser.instance import XdlInstance
from porter.ck_parser.parameters import XDL_PARAMETERS, xdl_instance
from porter.ck_parser.readers.contents import FileContents, ReadOptions
from porter.ck_parser.readers.instance_list import read_list
from porter.ck_parser.table import read_header
from porter.ck_parser.text import Source

FORM = "XDL instance table"


def recognises(path: str, head: str) -> bool:
    """A header with BLOCK_SIZE."""
    return "BLOCK_SIZE" in read_header(head)


def read(source: Source, options: ReadOptions) -> FileContents:
    """Read every instance."""
    return read_list(source, XDL_PARAMETERS, XdlInstance, lambda cells, named: xdl_instance(cells, named.family))
