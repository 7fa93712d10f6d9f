# SPDX-License-Identifier: Apache-2.0
"""Print what pyproject.toml requires, tests included, but for the packages that are named as arguments."""

from __future__ import annotations

import re
import sys
from pathlib import Path

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
for requirement in (*project["dependencies"], *project["optional-dependencies"]["dev"]):
    if re.split(r"[^\w-]", requirement)[0] not in sys.argv[1:]:
        print(requirement)
