# SPDX-License-Identifier: Apache-2.0
"""Instance tables of CK-Tile kernels; their ids depend on the chip, which the file name tells."""

from __future__ import annotations

from porter.ck_parser.instance import CkTileInstance
from porter.ck_parser.parameters import CKTILE_PARAMETERS, cktile_instance
from porter.ck_parser.readers.contents import FileContents, ReadOptions
from porter.ck_parser.readers.instance_list import read_list
from porter.ck_parser.table import read_header
from porter.ck_parser.text import Source

FORM = "CK-Tile instance table"


def recognises(path: str, head: str) -> bool:
    """A header with M_Tile."""
    return "M_Tile" in read_header(head)


def read(source: Source, options: ReadOptions) -> FileContents:
    """Read every instance."""
    return read_list(source, CKTILE_PARAMETERS, CkTileInstance, lambda cells, named: cktile_instance(cells))
