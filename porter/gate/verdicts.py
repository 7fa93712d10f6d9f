# SPDX-License-Identifier: Apache-2.0
"""Checks that passed before on exactly the same bytes, so that a warm run need not do them again.

Only passed checks are kept. The key holds everything that decides one: porter's own files, flydsl's version, the
kernel with what it imports, and what the configuration asks for.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from porter.proof import kept
from porter.toolchain import flydsl_version
from porter.toolchain.cache import key_of


def verdict_key(check: str, parts: Mapping[str, Any]) -> str:
    """A key for one check; parts: JSON values that decide it beside porter and flydsl."""
    return key_of(
        {"gate": check, "porter": kept.digest_of("porter", "oracle"), "flydsl": flydsl_version() or "", **parts}
    )


#: What was kept with a passed check, or None; and to keep it.
recall, keep = partial(kept.recall, "gate"), partial(kept.keep, "gate")
