# SPDX-License-Identifier: Apache-2.0
"""What an export leaves in a folder and in a checkout; tests/porter/test_killed_output.py kills it on the way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from porter.errors import InputError
from porter.export.common import MARK, Plan

HEAD = f"# {MARK} 1 -- do not edit; run: porter export t\n"
OLD = {"a/one.py": f"{HEAD}old\n", "a/gone.py": HEAD, "left/gone.py": HEAD, "t.patch": "old\n", "rows/x.csv": "old\n"}
NEW = {"a/one.py": f"{HEAD}new\n", "b/two.py": f"{HEAD}new\n", "rows/y.csv": "new\n"}
FOREIGN = {"a/notes.txt": "mine\n", "mine/deep/file": "mine\n", "a/other.py": HEAD.replace("export t", "export u")}


def held(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*") if p.is_file()}


def plan(files: dict[str, str], edited: dict[str, tuple[str, str]] | None = None) -> Plan:
    tables = {path: text for path, text in files.items() if path.endswith(".csv")}
    return Plan("t", {path: text for path, text in files.items() if path not in tables}, edited or {}, tables)


def put(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def test_old_exports_go_and_what_is_somebodys_stays(tmp_path: Path) -> None:
    out = tmp_path / "out"
    put(out, {**OLD, **FOREIGN})
    (out / "a" / "link").symlink_to("nowhere")
    (tmp_path / ".out.porter-left-by-a-killed-run").mkdir()
    plan(NEW).write(out)
    assert held(out) == {**NEW, **FOREIGN} and (out / "a" / "link").is_symlink()
    assert sorted(os.listdir(out)) == ["a", "b", "mine", "rows"]
    assert os.listdir(tmp_path) == ["out"]


def test_a_second_export_touches_nothing(tmp_path: Path) -> None:
    out = tmp_path / "out"

    def state() -> dict[Path, tuple[int, int]]:
        return {path: (path.stat().st_ino, path.stat().st_mtime_ns) for path in (out, *out.rglob("*"))}

    plan(NEW).write(out)
    before = state()
    plan(NEW).write(out)
    assert state() == before


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write") as caught:
        plan(NEW).write(tmp_path / "file" / "out")
    assert caught.value.code == "CKP060"


@pytest.mark.parametrize("link", [False, True], ids=["file", "link"])
def test_what_is_no_folder_on_the_way_is_refused_and_nothing_changes(link: bool, tmp_path: Path) -> None:
    out = tmp_path / "out"
    put(out, OLD)
    (tmp_path / "elsewhere").mkdir()
    if link:
        (out / "b").symlink_to(tmp_path / "elsewhere")
    else:
        (out / "b").write_text("mine\n")
    before = held(out)
    with pytest.raises(InputError, match="link" if link else "b is not a directory") as caught:
        plan(NEW).write(out)
    assert caught.value.code == "CKP060" and held(out) == before and not os.listdir(tmp_path / "elsewhere")


def test_a_checkout_gets_whole_files_by_rename_and_its_edits_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path, {"dispatch.py": "old\n", **FOREIGN})
    files = {path: text for path, text in NEW.items() if path.endswith(".py")}
    renamed: list[tuple[str, str]] = []
    replace = os.replace

    def record(source: str, target: Path) -> None:
        renamed.append((target.relative_to(tmp_path).as_posix(), Path(source).read_text()))
        replace(source, target)

    monkeypatch.setattr(os, "replace", record)
    plan(files, {"dispatch.py": ("old\n", "new\n")}).apply(tmp_path)
    assert renamed == [*files.items(), ("dispatch.py", "new\n")]
    assert held(tmp_path) == {**files, **FOREIGN, "dispatch.py": "new\n"}
