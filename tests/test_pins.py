# SPDX-License-Identifier: Apache-2.0
"""The exact versions of constraints.txt: one of every requirement, on every Python that is supported."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parents[1]


def on(python: str, lines: list[str]) -> list[Requirement]:
    """What of these requirements counts on a Python."""
    found = [Requirement(line) for line in lines if not line.startswith("#")]
    return [each for each in found if each.marker is None or each.marker.evaluate({"python_version": python})]


@pytest.mark.parametrize("python", ["3.10", "3.11", "3.12", "3.13", "3.14"])
def test_every_requirement_has_one_version_that_its_range_allows(python: str) -> None:
    project: Any = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    pins = on(python, (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines())
    assert {name: n for name, n in Counter(canonicalize_name(pin.name) for pin in pins).items() if n > 1} == {}
    (version,) = {spec.operator for pin in pins for spec in pin.specifier}
    assert version == "=="
    pinned = {canonicalize_name(pin.name): next(iter(pin.specifier)).version for pin in pins}
    optional = [line for extra in project["optional-dependencies"].values() for line in extra]
    for wanted in on(python, project["dependencies"] + optional):
        assert pinned[canonicalize_name(wanted.name)] in wanted.specifier
