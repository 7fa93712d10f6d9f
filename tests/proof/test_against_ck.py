# SPDX-License-Identifier: Apache-2.0
"""Every committed kernel against CK's own, compiled by a stock clang: the whole command."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from porter.ck_objects import build
from porter.errors import PorterError
from tests.porter.command import porter, valid


@pytest.mark.proof
def test_every_committed_kernel_against_ck(wheel: Path, repository: Path) -> None:
    try:
        build.compiler()
    except PorterError as error:
        pytest.skip(str(error))
    manifest = repository / "generated" / "manifest.json"
    result = porter("verify", "--manifest", manifest, "--against", "ck", "--ck", wheel, "--format", "json")
    found = valid(result, "against", repository)
    assert result.exit_code == 0, (found["errors"], [case for case in found["cases"] if case["ck_contract"]])
    held = {case["kernel"] for case in found["cases"]}
    names = {kernel["name"] for kernel in json.loads(manifest.read_text())["kernels"]}
    assert held == {name for name in names if not name.endswith("_cktile")}, "porter builds no CK-Tile"
    twins = [case for case in found["cases"] if case["role"] == "twin"]
    assert twins and all(case["demanded"] and case["ours_ck"] == 0 for case in twins)
