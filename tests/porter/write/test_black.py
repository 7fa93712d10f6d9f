# SPDX-License-Identifier: Apache-2.0
"""What porter writes, black leaves alone; and porter writes it without black, which only its developers have."""

from __future__ import annotations

import sys
from pathlib import Path

import black
import pytest

from tests.porter.command import porter

#: Command and the columns at which the reader of its modules formats.
WRITERS = {
    ("convert", "{repository}/examples/ck_instances.csv"): 120,
    ("export", "aiter"): 88,
    ("export", "mslk"): 88,
    ("export", "primus"): 110,
    ("twins", "{kernel}"): 120,
}


@pytest.mark.parametrize(
    ("arguments", "columns"), WRITERS.items(), ids=lambda value: value[-1] if isinstance(value, tuple) else None
)
def test_every_module_is_as_black_would_write_it(
    arguments: tuple[str, ...],
    columns: int,
    repository: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernel = sorted((repository / "generated").glob("flydsl_*_dec_*.py"))[0].stem
    with monkeypatch.context() as without:
        without.setitem(sys.modules, "black", None)
        without.chdir(repository)
        written = [argument.format(repository=repository, kernel=kernel) for argument in arguments]
        result = porter(*written, "--out", tmp_path)
        assert result.exit_code == 0, result.stderr
    modules = sorted(tmp_path.rglob("*.py"))
    assert len(modules) > 3
    for path in modules:
        text = path.read_text()
        assert black.format_str(text, mode=black.Mode(line_length=columns)) == text, path
