# SPDX-License-Identifier: Apache-2.0
"""A killed run leaves the old folder or the new one; the next run leaves nothing else; runs at once take turns."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from porter import atomic_folder, output

FOREIGN = {"__init__.py": "hand-written\n", "notes/deep/list.txt": "foreign\n", ".gitattributes": "* linguist\n"}


def generated(mark: str, *names: str) -> dict[str, str]:
    texts = {name: f"# {name} {mark}\n" for name in names}
    manifest = {"files": {name: output.sha256(text) for name, text in texts.items()}}
    return {**texts, output.MANIFEST: json.dumps(manifest)}


OLD = generated("old", "a.py", "b.py", "stale.py", "gone.py") | {"same.py": "same\n"}
NEW = generated("new", "a.py", "b.py", "fresh.py", "more.py") | {"same.py": "same\n"}
NEXT = generated("next", "a.py", "c.py")


def tree(folder: Path) -> dict[str, str]:
    """Every file below a folder but those of a journal: path -> text; links as where they lead."""
    return {
        str(path.relative_to(folder)): os.readlink(path) if path.is_symlink() else path.read_text()
        for path in folder.rglob("*")
        if (path.is_symlink() or path.is_file()) and ".porter-journal" not in path.parts
    }


def prepare(folder: Path) -> None:
    output.write(folder, OLD)
    for name, text in FOREIGN.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / "notes" / "link").symlink_to("nowhere")
    (folder / "__init__.py").chmod(0o600)
    folder.chmod(0o750)


def killed(tmp_path: Path, number: int, in_place: bool = False, exists: bool = True) -> tuple[list[Path], list[str]]:
    """Run the writer once for every step; the folders around each `out`, and where each stands: old, new or mixed."""
    start = tmp_path / "start"
    start.mkdir()
    foreign = {**FOREIGN, "notes/link": "nowhere"} if exists else {}
    if exists:
        prepare(start / "out")
    (tmp_path / "new.json").write_text(json.dumps(NEW))
    arguments = [str(tmp_path), str(int(number)), str(int(in_place)), str(tmp_path / "new.json")]
    subprocess.run([sys.executable, "-m", "tests.porter.killed_writer", *arguments], check=True, timeout=300)
    places = sorted((path for path in tmp_path.iterdir() if path.name.isdigit()), key=lambda path: int(path.name))
    states = []
    for place in places:
        found = tree(place / "out")
        old = {**OLD, **foreign} if exists else {}
        states.append("old" if found == old else "new" if found == {**NEW, **foreign} else f"mixed: {sorted(found)}")
    return places, states


def check_next_run(place: Path, foreign: dict[str, str]) -> None:
    output.write(place / "out", NEXT)
    found = tree(place / "out")
    # `same.py` is in no manifest, so nobody removes it.
    found.pop("same.py", None)
    assert found == {**NEXT, **foreign}
    assert os.listdir(place) == ["out"]
    assert not [path for path in (place / "out").rglob("*") if "porter-" in path.name]


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_kill_at_any_step_leaves_the_old_or_the_new_folder(number: int, tmp_path: Path) -> None:
    places, states = killed(tmp_path, number)
    assert len(places) > 20
    turn = states.index("new")
    assert turn > 0 and states == ["old"] * turn + ["new"] * (len(states) - turn)
    for place in places:
        out = place / "out"
        assert (out.stat().st_mode & 0o777, (out / "__init__.py").stat().st_mode & 0o777) == (0o750, 0o600)
        check_next_run(place, {**FOREIGN, "notes/link": "nowhere"})
        assert (out.stat().st_mode & 0o777, (out / "__init__.py").stat().st_mode & 0o777) == (0o750, 0o600)


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_a_kill_while_the_folder_is_made_leaves_none_or_all_of_it(number: int, tmp_path: Path) -> None:
    places, states = killed(tmp_path, number, exists=False)
    assert {"old", "new"} == set(states)
    for place, state in zip(places, states, strict=True):
        assert (place / "out").exists() == (state == "new")
        check_next_run(place, {})


def test_in_place_an_interrupt_waits_until_all_files_are_there(tmp_path: Path) -> None:
    _, states = killed(tmp_path, signal.SIGINT, in_place=True)
    assert {"old", "new"} == set(states)


def test_in_place_the_next_run_completes_a_killed_one(tmp_path: Path) -> None:
    places, states = killed(tmp_path, signal.SIGKILL, in_place=True)
    assert {state.partition(":")[0] for state in states} == {"old", "mixed", "new"}
    seen = set()
    for place in places:
        with atomic_folder.locked(place / "out") as real:
            found = tree(real)
        seen.add("stale.py" in found)
        assert found in ({**OLD, **FOREIGN, "notes/link": "nowhere"}, {**NEW, **FOREIGN, "notes/link": "nowhere"})
        check_next_run(place, {**FOREIGN, "notes/link": "nowhere"})
    assert seen == {True, False}


def test_the_folder_is_exchanged_or_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "out"
    prepare(out)
    first = out.stat().st_ino
    output.write(out, NEW)
    second = out.stat().st_ino
    assert second != first
    monkeypatch.chdir(out / "notes")
    output.write(out, OLD)
    assert out.stat().st_ino == second
    assert tree(out) == {**OLD, **FOREIGN, "notes/link": "nowhere"}


def refuse(*_: object, **__: object) -> None:
    raise OSError(38, "not here")


@pytest.mark.parametrize("missing", ["porter.atomic_folder._exchange", "os.link"])
def test_without_what_a_swap_needs_the_files_are_replaced_in_place(
    missing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    prepare(tmp_path / "out")
    monkeypatch.setattr(missing, refuse)
    output.write(tmp_path / "out", NEW)
    assert tree(tmp_path / "out") == {**NEW, **FOREIGN, "notes/link": "nowhere"}
    assert os.listdir(tmp_path) == ["out"]


def test_a_linked_folder_stays_a_link(tmp_path: Path) -> None:
    prepare(tmp_path / "real" / "out")
    (tmp_path / "link").symlink_to(tmp_path / "real" / "out")
    output.write(tmp_path / "link", NEW)
    assert (tmp_path / "link").is_symlink()
    assert tree(tmp_path / "real" / "out") == {**NEW, **FOREIGN, "notes/link": "nowhere"}
    assert (os.listdir(tmp_path / "real"), sorted(os.listdir(tmp_path))) == (["out"], ["link", "real"])


def test_what_somebody_saves_meanwhile_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out, exchange = tmp_path / "out", atomic_folder._exchange
    prepare(out)

    def save_first(one: Path, other: Path) -> None:
        for name in ("__init__.py", "notes/added.txt"):
            (out / "half-saved").write_text("saved late\n")
            (out / "half-saved").rename(out / name)
        exchange(one, other)

    monkeypatch.setattr(atomic_folder, "_exchange", save_first)
    output.write(out, NEW)
    late = {"__init__.py": "saved late\n", "notes/added.txt": "saved late\n", "notes/link": "nowhere"}
    assert tree(out) == {**NEW, **FOREIGN, **late}


def test_a_journal_cannot_name_files_outside_the_folder(tmp_path: Path) -> None:
    victim = tmp_path / "victim"
    victim.write_text("v")
    journal = tmp_path / "out" / ".porter-journal"
    journal.mkdir(parents=True)
    (journal / "commit.json").write_text(json.dumps({"write": [], "remove": {"../victim": output.sha256("v")}}))
    with pytest.raises(output.InputError, match="names files outside"):
        output.write(tmp_path / "out", NEW)
    assert victim.read_text() == "v"


WRITER = """
import json, sys
from pathlib import Path
from porter import output
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
