# SPDX-License-Identifier: Apache-2.0
"""Every code in the sources is stated once, every stated one is used, and none comes back."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import pytest

from porter.codes import FAMILIES, RETIRED
from porter.commands.rule import _codes, codes
from tests.porter.command import porter, valid

#: Files that state codes; a code stands there without being raised.
STATEMENTS = ("porter/codes.py", "oracle/codes.py")


def used(repository: Path) -> dict[str, set[str]]:
    """Code -> files of the product that name it."""
    found: dict[str, set[str]] = {}
    for room in ("porter", "oracle"):
        for path in (repository / room).rglob("*"):
            name = str(path.relative_to(repository))
            if path.suffix in (".py", ".jinja") and name not in STATEMENTS:
                for code in re.findall(r"\bCK[A-Z][0-9]{3}\b", path.read_text()):
                    found.setdefault(code, set()).add(name)
    return found


def test_every_code_in_the_sources_is_stated(repository: Path) -> None:
    assert {code: files for code, files in used(repository).items() if code not in codes()} == {}


def test_every_stated_code_is_used(repository: Path) -> None:
    # Findings of the machine are numbers in its tables; their examples, which a test runs, name the codes.
    assert set(codes()) - set(used(repository)) == set()


def test_no_code_is_stated_twice() -> None:
    assert [code for code, count in Counter(code.id for code in _codes()).items() if count > 1] == []


def test_codes_belong_to_families_and_none_comes_back() -> None:
    assert all(re.fullmatch(r"CK[A-Z][0-9]{3}", code) and code[:3] in FAMILIES for code in codes())
    assert not set(RETIRED) & set(codes()) and set(RETIRED.values()) <= {"", *codes()}


def test_rule_prints_a_code_of_every_family(repository: Path) -> None:
    for family in FAMILIES:
        code = next(name for name in codes() if name[:3] == family)
        data = valid(porter("rule", code.lower(), "--format", "json"), "rule", repository)
        assert data["meaning"] == codes()[code].meaning and (repository / data["page"]).is_file()
        text = porter("rule", code).stdout
        assert text.startswith(f"{code}  {data['meaning']}\n") and text.rstrip().endswith(data["page"])


@pytest.mark.parametrize(("code", "says"), [("CKX001", "no such code"), ("CKG083", "CKH004"), ("", "no such code")])
def test_what_is_no_code(code: str, says: str) -> None:
    result = porter("rule", code)
    assert result.exit_code == 2 and says in result.stderr and "[CKV007]" in result.stderr
