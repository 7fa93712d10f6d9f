# SPDX-License-Identifier: Apache-2.0
"""The compiled core, once it is known to be built from these tables.

Python and C number opcodes and lay out records alike only while both come from the same tables; another core would run
other instructions without a word. So the two are compared when this module is imported.
"""

from __future__ import annotations

from .errors import CoreUnusable
from .tables.header import digest

HINT = "in a checkout `python oracle/machine/tables && python -m pip install -e .`, else install porter anew"

try:
    from . import _core as core
except ImportError as error:
    raise CoreUnusable("CKM016", f"the machine's C core cannot be loaded: {error}", HINT) from error
if getattr(core, "ABI_DIGEST", "") != digest():
    raise CoreUnusable("CKM015", f"{core.__file__} was built from other instruction tables than these", HINT)

__all__ = ["core"]
