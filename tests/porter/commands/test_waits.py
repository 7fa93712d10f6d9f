# SPDX-License-Identifier: Apache-2.0
"""`porter waits`: what it says of files and kernels, and its exit codes."""

from __future__ import annotations

from pathlib import Path

import pytest

from oracle.machine.check_examples import kernel_text
from tests.porter.command import porter, valid
from tests.porter.kernels import written
from tests.porter.specs import FOUR_WAVE

FAULTY = """global_load_dword v5, v0, s[6:7]
v_mov_b32_e32 v6, v5
ds_read_b32 v7, v6
v_lshlrev_b32_e32 v8, 2, v0
ds_write_b32 v8, v0"""


@pytest.fixture
def faulty(tmp_path: Path) -> Path:
    path = tmp_path / "faulty.s"
    path.write_text(kernel_text(FAULTY))
    return path


def test_findings_and_doubts_as_text_and_as_json(faulty: Path, repository: Path) -> None:
    result = porter("waits", faulty)
    assert result.exit_code == 1
    assert "CKM261 high: on some path v5 is read before global_load_dword has been waited for" in result.stdout
    assert "1 findings, 1 places undecided" in result.stdout
    data = valid(porter("waits", faulty, "--format", "json"), "waits", repository)
    assert (data["n"], data["k"], data["clean"]) == (None, None, False)
    (finding,) = data["findings"]
    assert (finding["at"]["text"], finding["other"]["text"]) == ("v_mov_b32_e32 v6, v5", FAULTY.split("\n")[0])
    (doubt,) = data["undecided"]
    assert (doubt["code"], doubt["at"]["text"]) == ("CKM269", "ds_read_b32 v7, v6")


def test_a_kernel_of_ours_is_clean_at_the_shape_that_is_asked(
    tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORTER_CACHE_DIR", str(tmp_path / "cache"))
    result = porter("waits", written(FOUR_WAVE, tmp_path), "--shape", "-x32x256", "--format", "json")
    data = valid(result, "waits", repository)
    assert result.exit_code == 0
    assert (data["name"], data["n"], data["k"]) == (FOUR_WAVE.name, 32, 256)
    assert data["clean"] and data["findings"] == data["undecided"] == []


def test_what_cannot_be_read_is_bad_input(tmp_path: Path) -> None:
    absent = porter("waits", tmp_path / "absent.co")
    assert absent.exit_code == 2 and "[CKM010]" in absent.stderr
    unknown = tmp_path / "unknown.s"
    unknown.write_text(kernel_text("v_conjure_b32 v0, v1"))
    result = porter("waits", unknown)
    assert result.exit_code == 2 and "[CKM020]" in result.stderr and "unknown.s:5" in result.stderr
