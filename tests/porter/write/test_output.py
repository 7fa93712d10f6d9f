# SPDX-License-Identifier: Apache-2.0
"""Generated folders: whole, comparable, and careful with what somebody edited."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from porter import manifest
from porter.errors import InputError
from porter.write import output


def files(*names: str) -> dict[str, str]:
    texts = {name: f"# {name}\n" for name in names}
    return {**texts, manifest.FILE: json.dumps({"files": {name: output.sha256(text) for name, text in texts.items()}})}


def test_write_then_compare_agrees(tmp_path: Path) -> None:
    written = output.write(tmp_path / "new", files("a.py", "b.py"))
    assert written == ("a.py", "b.py", manifest.FILE)
    assert not output.compare(tmp_path / "new", files("a.py", "b.py"))
    assert output.diff(tmp_path / "new", files("a.py", "b.py")) == ""
    assert sorted(p.name for p in (tmp_path / "new").iterdir()) == ["a.py", "b.py", manifest.FILE]


def test_second_write_touches_only_what_differs(tmp_path: Path) -> None:
    output.write(tmp_path, files("a.py"))
    before = (tmp_path / "a.py").stat().st_mtime_ns
    assert output.write(tmp_path, files("a.py", "b.py")) == ("b.py", manifest.FILE)
    assert (tmp_path / "a.py").stat().st_mtime_ns == before


def test_drift_names_missing_changed_and_stale(tmp_path: Path) -> None:
    output.write(tmp_path, files("a.py", "old.py", "gone.py"))
    (tmp_path / "a.py").write_text("edited\n")
    (tmp_path / "gone.py").unlink()
    drift = output.compare(tmp_path, files("a.py", "gone.py"))
    assert (drift.missing, drift.changed, drift.stale) == (("gone.py",), ("a.py", manifest.FILE), ("old.py",))
    shown = output.diff(tmp_path, files("a.py", "gone.py"))
    assert "-edited" in shown and "+# a.py" in shown and "-# old.py" in shown


def test_stale_files_go_unless_edited(tmp_path: Path) -> None:
    output.write(tmp_path, files("kept.py", "old.py", "mine.py"))
    (tmp_path / "mine.py").write_text("edited by hand\n")
    output.write(tmp_path, files("kept.py"))
    assert not (tmp_path / "old.py").exists()
    assert (tmp_path / "mine.py").read_text() == "edited by hand\n"


def test_a_manifest_cannot_point_outside_the_folder(tmp_path: Path) -> None:
    victim = tmp_path / "victim.txt"
    victim.write_text("v")
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / manifest.FILE).write_text(json.dumps({"files": {"../victim.txt": output.sha256("v")}}))
    output.write(folder, files("a.py"))
    assert victim.read_text() == "v"


@pytest.mark.parametrize("text", ["not json", "[]", '{"files": 3}', "\x00"])
def test_a_damaged_manifest_is_only_drift(tmp_path: Path, text: str) -> None:
    (tmp_path / manifest.FILE).write_text(text)
    assert output.compare(tmp_path, files("a.py")).changed == (manifest.FILE,)


def test_an_unwritable_folder_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write") as caught:
        output.write(tmp_path / "file" / "below", files("a.py"))
    assert caught.value.code == "CKP060"
