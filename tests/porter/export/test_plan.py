# SPDX-License-Identifier: Apache-2.0
"""What an export leaves in a folder and in a checkout; tests/porter/write/test_killed_output.py kills it on the way."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from porter.errors import InputError
from porter.export.common import MARK, ExportPlan

HEAD = f"# {MARK} 1 -- do not edit; run: porter export t\n"
OLD = {"a/one.py": f"{HEAD}old\n", "a/gone.py": HEAD, "left/gone.py": HEAD, "t.patch": "old\n", "rows/x.csv": "old\n"}
NEW = {"a/one.py": f"{HEAD}new\n", "b/two.py": f"{HEAD}new\n", "rows/y.csv": "new\n"}
FOREIGN = {"a/notes.txt": "mine\n", "mine/deep/file": "mine\n", "a/other.py": HEAD.replace("export t", "export u")}


def held(folder: Path) -> dict[str, str]:
    """Every file but the record of an export."""
    paths = [path for path in folder.rglob("*") if path.is_file() and not path.name.startswith(".porter-export-")]
    return {path.relative_to(folder).as_posix(): path.read_text() for path in paths}


def plan(files: dict[str, str], edited: dict[str, tuple[str, str]] | None = None) -> ExportPlan:
    tables = {path: text for path, text in files.items() if path.endswith(".csv")}
    return ExportPlan("t", {path: text for path, text in files.items() if path not in tables}, edited or {}, tables)


def old_export(folder: Path) -> None:
    plan({path: text for path, text in OLD.items() if not path.endswith(".patch")}, {"x": ("1\n", "2\n")}).write(folder)


def put(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def test_old_exports_go_and_what_is_somebodys_stays(tmp_path: Path) -> None:
    out = tmp_path / "out"
    old_export(out)
    put(out, FOREIGN)
    (out / "a" / "link").symlink_to("nowhere")
    (tmp_path / ".out.porter-left-by-a-killed-run").mkdir()
    plan(NEW).write(out)
    assert held(out) == {**NEW, **FOREIGN} and (out / "a" / "link").is_symlink()
    assert sorted(os.listdir(out)) == [".porter-export-t.json", "a", "b", "mine", "rows"]
    assert os.listdir(tmp_path) == ["out"]


@pytest.mark.parametrize("path", ["rows/y.csv", "t.patch", "rows/deep/list.txt", "rows/x.csv"])
def test_a_table_or_patch_of_somebody_else_is_never_replaced_or_removed(path: str, tmp_path: Path) -> None:
    put(tmp_path, {path: "mine\n"})
    try:
        plan(NEW, {"x": ("1\n", "2\n")}).write(tmp_path)
    except InputError as error:
        assert error.code == "CKE004" and path in ("rows/y.csv", "t.patch")
    assert held(tmp_path)[path] == "mine\n"


def test_an_edited_table_is_in_the_way(tmp_path: Path) -> None:
    plan(NEW).write(tmp_path)
    (tmp_path / "rows" / "y.csv").write_text("edited\n")
    with pytest.raises(InputError, match="in the way") as caught:
        plan({**NEW, "rows/y.csv": "newer\n"}).write(tmp_path)
    assert caught.value.code == "CKE004" and held(tmp_path)["rows/y.csv"] == "edited\n"


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
