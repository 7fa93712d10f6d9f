# SPDX-License-Identifier: Apache-2.0
"""Every output of one result, whole, against golden files.

After a wanted change: `python -m tests.porter.gate.test_outputs_golden` writes them anew.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from porter.gate.outputs import github, junit, log, sarif
from tests.porter.gate.gate_results import sample, use_sample_rules

GOLDEN = Path(__file__).parents[2] / "golden" / "gate"


def _outputs() -> dict[str, str]:
    result = sample()
    return {
        "log.txt": log.text(result),
        "log-github.txt": log.text(result, github=True),
        "annotations.txt": "".join(f"{line}\n" for line in github.commands(result, worst=3)),
        "summary.md": github.summary(result),
        "result.sarif": sarif.text(result, version="1.2.3"),
        "junit.xml": junit.text(result),
    }


@pytest.mark.parametrize("name", sorted(path.name for path in GOLDEN.iterdir()))
def test_output_is_the_golden_file(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    use_sample_rules(monkeypatch)
    assert _outputs()[name] == (GOLDEN / name).read_text(encoding="utf-8")


def test_every_output_has_a_golden_file(monkeypatch: pytest.MonkeyPatch) -> None:
    use_sample_rules(monkeypatch)
    assert {path.name for path in GOLDEN.iterdir()} == set(_outputs())


if __name__ == "__main__":
    with pytest.MonkeyPatch.context() as rules:
        use_sample_rules(rules)
        for file, content in _outputs().items():
            (GOLDEN / file).write_text(content, encoding="utf-8")
