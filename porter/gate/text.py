# SPDX-License-Identifier: Apache-2.0
"""Text from elsewhere (compilers, files, paths), made fit for every output of the gate."""

from __future__ import annotations

import re

_COLOURS = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
#: What XML 1.0 or UTF-8 cannot hold, and what moves a terminal's cursor; tab and line feed stay.
_UNFIT = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


def clean(text: str) -> str:
    """The text with line feeds only, without colours, control characters and lone surrogates."""
    return _UNFIT.sub("", _COLOURS.sub("", text).replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str) -> str:
    """The text as `clean` gives it, with a space for each line feed and tab: a path keeps its other spaces."""
    return clean(text).replace("\n", " ").replace("\t", " ")
