# SPDX-License-Identifier: Apache-2.0
"""Checks that passed before on exactly the same bytes, so that a warm run need not do them again.

Only passed checks are kept. The key holds everything that decides one: porter's own files, flydsl's version, the
kernel with what it imports, and what the configuration asks for.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from porter.proof.kept import digest_of
from porter.toolchain import flydsl_version
from porter.toolchain.cache import cache_dir, key_of


def verdict_key(check: str, parts: Mapping[str, Any]) -> str:
    """A key for one check; parts: JSON values that decide it beside porter and flydsl."""
    return key_of({"gate": check, "porter": digest_of("porter", "oracle"), "flydsl": flydsl_version() or "", **parts})


def recall(key: str) -> Any:
    """What was kept with a passed check, or None."""
    try:
        return json.loads((cache_dir() / "gate" / key[:2] / key).read_text("utf-8"))
    except (OSError, ValueError):
        return None


def keep(key: str, value: Any) -> None:
    """Keep a passed check with what it said. An unwritable cache is no error; a reader sees all of it or nothing."""
    from porter.errors import InputError
    from porter.write.output import replace_file

    path = cache_dir() / "gate" / key[:2] / key
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps(value))
    except (OSError, InputError):
        return
