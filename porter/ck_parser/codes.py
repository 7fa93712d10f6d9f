# SPDX-License-Identifier: Apache-2.0
"""The parse codes of this room and how a rejected value is quoted in a message."""

from __future__ import annotations

#: Meaning of every code that reading can report. CKP030 belongs to `KernelSpec.parse`.
CODES: dict[str, str] = {
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
    "CKP021": "an instance of a Python list is not written with constants, or not with its class's parameters",
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
}

_QUOTE_CHARS = 120


def quote(text: str) -> str:
    """`text` as a message shows it: escaped, and cut to 120 characters."""
    return repr(text) if len(text) <= _QUOTE_CHARS else f"{text[:_QUOTE_CHARS]!r}... ({len(text)} characters)"
