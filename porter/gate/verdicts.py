# SPDX-License-Identifier: Apache-2.0
"""Checks that passed before on exactly the same bytes, so that a warm run need not do them again.

Only passed checks are kept. The key holds everything that decides one: porter's own files, flydsl's version, the
kernel with what it imports, and what the configuration asks for.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from porter.toolchain import flydsl_version
from porter.toolchain.cache import cache_dir, key_of


@cache
def porter_digest() -> str:
    """Over every file of porter and oracle that takes part in a verdict, the machine's compiled core included."""
    import oracle
    import porter

    digest = hashlib.sha256()
    for package in (porter, oracle):
        root = Path(str(package.__file__)).parent
        for path in sorted(root.rglob("*")):
            if path.suffix in (".py", ".jinja", ".so", ".txt") and path.is_file():
                digest.update(f"{path.relative_to(root)}\0{path.stat().st_size}\0".encode())
                digest.update(path.read_bytes())
    return digest.hexdigest()


def verdict_key(check: str, parts: Mapping[str, Any]) -> str:
    """A key for one check; parts: JSON values that decide it beside porter and flydsl."""
    return key_of({"gate": check, "porter": porter_digest(), "flydsl": flydsl_version() or "", **parts})


def recall(key: str) -> Any:
    """What was kept with a passed check, or None."""
    try:
        return json.loads((cache_dir() / "gate" / key[:2] / key).read_text("utf-8"))
    except (OSError, ValueError):
        return None


def keep(key: str, value: Any) -> None:
    """Keep a passed check with what it said. An unwritable cache is no error; a reader sees all of it or nothing."""
    from porter.errors import InputError
    from porter.output import replace_file

    path = cache_dir() / "gate" / key[:2] / key
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        replace_file(path, json.dumps(value))
    except (OSError, InputError):
        return
