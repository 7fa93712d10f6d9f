# SPDX-License-Identifier: Apache-2.0
"""Every module can be imported, on every Python that porter supports."""

from __future__ import annotations

import importlib.util
import json
import pkgutil
import subprocess
import sys

#: Gigabytes, and seconds to import; where they are not installed (`make light`), nothing else may be missing.
HEAVY = ("torch", "flydsl")

#: `dispatch` reads the table that convert writes beside a copy of it.
COPIED = ("porter.runtime.dispatch", "porter.runtime.dispatch_ops")

#: Imports what it is told to and prints what could not be imported: name -> the reason.
IMPORTER = """
import importlib, json, sys
failed = {}
for name in json.loads(sys.argv[1]):
    try:
        importlib.import_module(name)
    except Exception as error:
        failed[name] = getattr(error, "name", None) or repr(error)
print(json.dumps(failed))
"""


def modules(package: str) -> list[str]:
    """Every module of a package but those that run when they are imported, or import only where they are copied to."""
    spec = importlib.util.find_spec(package)
    assert spec is not None and spec.submodule_search_locations is not None
    names = [package]
    for module in pkgutil.iter_modules(spec.submodule_search_locations, f"{package}."):
        if module.name not in COPIED and not module.name.endswith(".__main__"):
            names += modules(module.name) if module.ispkg else [module.name]
    return names


def test_every_module_imports() -> None:
    names = [*modules("porter"), *modules("oracle")]
    assert len(names) > 100
    run = subprocess.run(
        [sys.executable, "-c", IMPORTER, json.dumps(names)], capture_output=True, text=True, check=True
    )
    absent = {name for name in HEAVY if importlib.util.find_spec(name) is None}
    assert {name: why for name, why in json.loads(run.stdout).items() if why not in absent} == {}
