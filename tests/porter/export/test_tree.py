# SPDX-License-Identifier: Apache-2.0
"""A tree is replaced at once: at every step of the writer the folder is the old one or the new one."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from porter.errors import InputError
from porter.export import tree
from porter.export.common import MARK, Plan

HEAD = f"# {MARK} 1 -- do not edit; run: porter export t\n"
OLD = {"a/one.py": f"{HEAD}old\n", "a/gone.py": HEAD, "t.patch": "old\n", "rows/x.csv": "old\n"}
NEW = {"a/one.py": f"{HEAD}new\n", "b/two.py": f"{HEAD}new\n", "rows/y.csv": "new\n"}
FOREIGN = {"a/notes.txt": "mine\n", "mine/deep/file": "mine\n", "a/other.py": HEAD.replace("export t", "export u")}


def held(folder: Path) -> dict[str, str]:
    return {p.relative_to(folder).as_posix(): p.read_text() for p in folder.rglob("*") if p.is_file()}


def plan(files: dict[str, str]) -> Plan:
    tables = {path: text for path, text in files.items() if path.endswith(".csv")}
    return Plan("t", {path: text for path, text in files.items() if path not in tables}, {}, tables)


def put(folder: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)


def test_old_exports_go_and_what_is_somebodys_stays(tmp_path: Path) -> None:
    out = tmp_path / "out"
    put(out, {**OLD, **FOREIGN})
    plan(NEW).write(out)
    assert held(out) == {**NEW, **FOREIGN}
    assert os.listdir(tmp_path) == ["out"]


class Killed(BaseException):
    """What no handler of the writer's may catch for good."""


STEPS = ("mkdtemp", "rename", "link", "fsync", "_exchange")


@pytest.mark.parametrize("exists", [True, False])
def test_a_stop_at_any_step_leaves_the_old_or_the_new(
    exists: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every system call of the writer is in turn the last one, before it and after it has run."""
    stopped = set()
    for after in (False, True):
        for last in range(1, 40):
            out = tmp_path / f"{after}{last}" / "out"
            if exists:
                put(out, {**OLD, **FOREIGN})
            count = 0

            def stop(name: str, real: object, after: bool = after, last: int = last) -> object:
                def call(*arguments: object, **keywords: object) -> object:
                    nonlocal count
                    count += 1
                    if count == last and not after:
                        raise Killed(name)
                    result = real(*arguments, **keywords)  # type: ignore[operator]
                    if count == last and after:
                        raise Killed(name)
                    return result

                return call

            with monkeypatch.context() as patch:
                for place, name in ((tree.tempfile, "mkdtemp"), (tree, "_exchange")):
                    patch.setattr(place, name, stop(name, getattr(place, name)))
                for name in ("rename", "link", "fsync"):
                    patch.setattr(tree.os, name, stop(name, getattr(os, name)))
                try:
                    plan(NEW).write(out)
                except Killed as killed:
                    stopped.add(str(killed))
            found = held(out) if out.exists() else None
            kept = FOREIGN if exists else {}
            assert found in ({**OLD, **FOREIGN} if exists else None, {**NEW, **kept})
    assert stopped == set(STEPS) - ({"rename"} if exists else {"link", "_exchange"})


def test_a_system_without_an_exchange_renames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tree.ctypes, "CDLL", lambda name: object())
    out = tmp_path / "out"
    put(out, {**OLD, **FOREIGN})
    plan(NEW).write(out)
    assert held(out) == {**NEW, **FOREIGN} and os.listdir(tmp_path) == ["out"]


def test_a_folder_that_cannot_be_written_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="cannot write") as caught:
        plan(NEW).write(tmp_path / "file" / "out")
    assert caught.value.code == "CKP060"
