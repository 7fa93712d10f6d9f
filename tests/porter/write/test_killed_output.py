# SPDX-License-Identifier: Apache-2.0
"""A killed run leaves the old folder or the new one; the next run leaves nothing else; runs at once take turns."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

from porter import manifest
from porter.export.common import MARK
from porter.write import atomic_folder, output
from porter.write.atomic_folder import swap
from tests.porter.write.killed_writer import plan, write


def generated(mark: str, *names: str) -> dict[str, str]:
    texts = {name: f"# {name} {mark}\n" for name in names}
    return {**texts, manifest.FILE: json.dumps({"files": {name: output.sha256(text) for name, text in texts.items()}})}


@dataclass(frozen=True, slots=True)
class Case:
    """What a writer leaves in three runs, and what others keep in its folder, path -> text; `kept` is in no manifest.

    links: path -> where it leads; target: as killed_writer takes it.
    """

    target: str
    old: Mapping[str, str]
    new: Mapping[str, str]
    next: Mapping[str, str]
    foreign: Mapping[str, str]
    links: Mapping[str, str]
    kept: Mapping[str, str]

    @property
    def others(self) -> dict[str, str]:
        return {**self.foreign, **self.links}

    def whole(self, files: Mapping[str, str]) -> dict[str, str]:
        """The files as they lie in a folder: an export keeps a record of them."""
        return dict(files) if self.target == "convert" else plan(self.target, dict(files)).outputs()

    def prepare(self, folder: Path) -> None:
        write(self.target, folder, dict(self.old))
        for name, text in self.foreign.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text)
        for name, place in self.links.items():
            (folder / name).symlink_to(place)
        (folder / "__init__.py").chmod(0o600)
        folder.chmod(0o750)


FLAT = Case(
    target="convert",
    old=generated("old", "a.py", "b.py", "stale.py", "gone.py") | {"same.py": "same\n"},
    new=generated("new", "a.py", "b.py", "fresh.py", "more.py") | {"same.py": "same\n"},
    next=generated("next", "a.py", "c.py"),
    foreign={"__init__.py": "hand-written\n", "notes/deep/list.txt": "foreign\n", ".gitattributes": "* linguist\n"},
    links={"notes/link": "nowhere"},
    kept={"same.py": "same\n"},
)

HEAD = f"# {MARK} 1 -- do not edit; run: porter export t\n"


def exported(mark: str, *paths: str) -> dict[str, str]:
    return {path: f"{HEAD}# {path} {mark}\n" for path in paths}


NESTED = Case(
    target="t",
    old=exported("old", "a/one.py", "a/deep/two.py", "gone/far/three.py", "stale.py")
    | exported("same", "a/same.py")
    | {"rows/x.csv": "old\n"},
    new=exported("new", "a/one.py", "a/deep/two.py", "fresh/far/three.py", "fresh/four.py")
    | exported("same", "a/same.py")
    | {"rows/y.csv": "new\n"},
    next=exported("next", "a/one.py", "c/five.py") | {"rows/y.csv": "next\n"},
    foreign={
        "__init__.py": "hand-written\n",
        "a/notes.txt": "mine\n",
        "a/other.py": HEAD.replace("export t", "export u"),
        "mine/deep/file": "mine\n",
    },
    links={"a/link": "nowhere"},
    kept={},
)

cases = pytest.mark.parametrize("case", [FLAT, NESTED], ids=["flat", "nested"])


def tree(folder: Path) -> dict[str, str]:
    """Every file below a folder but staged ones: path -> text; links as where they lead."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_text()
        for path in folder.rglob("*")
        if (path.is_symlink() or path.is_file()) and ".porter-new" not in path.parts
    }


def empty_folders(folder: Path) -> list[Path]:
    return [Path(where) for where, below, names in os.walk(folder) if not below and not names]


def killed(
    tmp_path: Path, case: Case, number: int, in_place: bool = False, exists: bool = True
) -> tuple[list[Path], list[str]]:
    """Run the writer once for every step; the folders around each `out`, and where each stands: old, new or mixed."""
    start = tmp_path / "start"
    start.mkdir()
    others = case.others if exists else {}
    if exists:
        case.prepare(start / "out")
    (tmp_path / "new.json").write_text(json.dumps(case.new))
    arguments = [str(tmp_path), str(int(number)), str(int(in_place)), str(tmp_path / "new.json"), case.target]
    subprocess.run([sys.executable, "-m", "tests.porter.write.killed_writer", *arguments], check=True, timeout=300)
    places = sorted((path for path in tmp_path.iterdir() if path.name.isdigit()), key=lambda path: int(path.name))
    states = []
    for place in places:
        found = tree(place / "out")
        old = {**case.whole(case.old), **others} if exists else {}
        new = {**case.whole(case.new), **others}
        states.append("old" if found == old else "new" if found == new else f"mixed: {found}")
    return places, states


def check_next_run(place: Path, case: Case, others: Mapping[str, str], in_place: bool = False) -> None:
    out = place / "out"
    write(case.target, out, dict(case.next))
    found = tree(out)
    for name in case.kept:
        found.pop(name, None)
    assert found == {**case.whole(case.next), **others}
    assert os.listdir(place) == ["out"]
    litter = {path.name for path in out.rglob("*") if "porter-" in path.name} - set(case.whole(case.next))
    # A kill in place may leave a folder that it has just emptied.
    assert not litter and (in_place or not empty_folders(out))


@cases
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_kill_at_any_step_leaves_the_old_or_the_new_folder(number: int, case: Case, tmp_path: Path) -> None:
    places, states = killed(tmp_path, case, number)
    assert len(places) > 20
    turn = states.index("new")
    assert turn > 0 and states == ["old"] * turn + ["new"] * (len(states) - turn)
    for place in places:
        out = place / "out"
        assert (out.stat().st_mode & 0o777, (out / "__init__.py").stat().st_mode & 0o777) == (0o750, 0o600)
        check_next_run(place, case, case.others)
        assert (out.stat().st_mode & 0o777, (out / "__init__.py").stat().st_mode & 0o777) == (0o750, 0o600)


@cases
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_kill_while_the_folder_is_made_leaves_none_or_all_of_it(number: int, case: Case, tmp_path: Path) -> None:
    places, states = killed(tmp_path, case, number, exists=False)
    assert {"old", "new"} == set(states)
    for place, state in zip(places, states, strict=True):
        assert (place / "out").exists() == (state == "new")
        check_next_run(place, case, {})


@cases
def test_in_place_an_interrupt_waits_until_all_files_are_there(case: Case, tmp_path: Path) -> None:
    _, states = killed(tmp_path, case, signal.SIGINT, in_place=True)
    assert {"old", "new"} == set(states)


@cases
def test_in_place_the_same_run_again_puts_a_killed_one_right(case: Case, tmp_path: Path) -> None:
    places, states = killed(tmp_path, case, signal.SIGKILL, in_place=True)
    assert {state.partition(":")[0] for state in states} == {"old", "mixed", "new"}
    for place in places:
        write(case.target, place / "out", dict(case.new))
        assert tree(place / "out") == {**case.whole(case.new), **case.others}
        check_next_run(place, case, case.others, in_place=True)


def test_the_folder_is_exchanged_or_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    FLAT.prepare(out)
    first = out.stat().st_ino
    output.write(out, dict(FLAT.new))
    second = out.stat().st_ino
    assert second != first
    monkeypatch.chdir(out / "notes")
    output.write(out, dict(FLAT.old))
    assert out.stat().st_ino == second
    assert tree(out) == {**FLAT.old, **FLAT.others}


def refuse(*_: object, **__: object) -> None:
    raise OSError(38, "not here")


@cases
@pytest.mark.parametrize("missing", ["porter.write.atomic_folder.swap._exchange", "os.link"])
def test_without_what_a_swap_needs_the_files_are_replaced_in_place(
    missing: str, case: Case, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case.prepare(tmp_path / "out")
    monkeypatch.setattr(missing, refuse)
    write(case.target, tmp_path / "out", dict(case.new))
    assert tree(tmp_path / "out") == {**case.whole(case.new), **case.others} and not empty_folders(tmp_path / "out")
    assert os.listdir(tmp_path) == ["out"]


def test_a_linked_folder_stays_a_link(tmp_path: Path) -> None:
    FLAT.prepare(tmp_path / "real" / "out")
    (tmp_path / "link").symlink_to(tmp_path / "real" / "out")
    output.write(tmp_path / "link", dict(FLAT.new))
    assert (tmp_path / "link").is_symlink()
    assert tree(tmp_path / "real" / "out") == {**FLAT.new, **FLAT.others}
    assert (os.listdir(tmp_path / "real"), sorted(os.listdir(tmp_path))) == (["out"], ["link", "real"])


@pytest.mark.parametrize(
    ("case", "saved"),
    [
        (FLAT, ("__init__.py", "notes/added.txt", "notes/a.py")),
        # `gone/far` is removed; `one.py` is the name of a file that is written, in another folder.
        (NESTED, ("__init__.py", "gone/far/added.txt", "mine/one.py", "one.py")),
    ],
    ids=["flat", "nested"],
)
def test_what_somebody_saves_meanwhile_is_kept(
    case: Case, saved: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, exchange = tmp_path / "out", swap._exchange
    case.prepare(out)

    def save_first(one: Path, other: Path) -> None:
        for path in saved:
            (out / "half-saved").write_text("saved late\n")
            (out / "half-saved").rename(out / path)
        exchange(one, other)

    monkeypatch.setattr(swap, "_exchange", save_first)
    write(case.target, out, dict(case.new))
    assert tree(out) == {**case.whole(case.new), **case.others, **dict.fromkeys(saved, "saved late\n")}


@pytest.mark.parametrize("in_place", [False, True], ids=["swapped", "in place"])
def test_folders_are_made_and_emptied_ones_go_but_no_others(
    in_place: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    files = {"a/b/c/stale": b"s", "a/b/kept": b"k", "x/y/stale": b"s"}
    atomic_folder.change(out, files, [])
    (out / "empty").mkdir()
    (out / "a" / "b").chmod(0o700)
    if in_place:
        monkeypatch.setattr(swap, "_exchange", refuse)
    atomic_folder.change(out, {"m/n/new": b"n"}, ["a/b/c/stale", "x/y/stale"])
    assert tree(out) == {"a/b/kept": "k", "m/n/new": "n"} and (out / "m" / "n" / "new").stat().st_mode & 0o777 == 0o644
    assert sorted(os.listdir(out)) == ["a", "empty", "m"] and os.listdir(out / "a" / "b") == ["kept"]
    assert (out / "a" / "b").stat().st_mode & 0o777 == 0o700


WRITER = """
import json, sys
from pathlib import Path
from porter.write import output
folder, mark = Path(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
sys.stdin.readline()
for _ in range(40):
    names = [f"{mark}{i}.py" for i in range(12)] + ["both.py"]
    texts = {name: f"# {name} {mark}\\n" for name in names}
    texts["manifest.json"] = json.dumps({"files": {name: output.sha256(text) for name, text in texts.items()}})
    output.write(folder, texts)
"""


def test_runs_at_once_leave_one_whole_result(tmp_path: Path) -> None:
    out = tmp_path / "out"
    command = [sys.executable, "-c", WRITER, str(out)]
    writers = [
        subprocess.Popen([*command, mark], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for mark in "xyz"
    ]
    for writer in writers:
        assert writer.stdout is not None and writer.stdout.readline() == "ready\n"
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=120)
        assert writer.returncode == 0
    found = tree(out)
    mark = found["both.py"].split()[-1]
    assert set(found) == {*(f"{mark}{i}.py" for i in range(12)), "both.py", "manifest.json"}
    assert all(text == f"# {name} {mark}\n" for name, text in found.items() if name != "manifest.json")
    assert os.listdir(tmp_path) == ["out"]
