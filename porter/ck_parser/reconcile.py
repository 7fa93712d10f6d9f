# SPDX-License-Identifier: Apache-2.0
"""kernelId against kernelName: what instance lists say about the ids of tuned rows. The name always wins."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field

from porter.ck_parser.rows import Disagreement, InstanceEntry, TunedRow
from porter.errors import SourceSpan
from porter.problem import Family


@dataclass(slots=True)
class _List:
    """The ids of one list of one kind: first entry of each id, and the ids of each name."""

    path: str
    by_id: dict[int, InstanceEntry] = field(default_factory=dict)
    ids: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))


def disagreements(rows: Iterable[TunedRow], entries: Iterable[InstanceEntry]) -> list[Disagreement]:
    """Every row whose kernelId is another kernel's, or nobody's, in a list of its kind.

    Kinds are (libtype, family) for XDL and libtype for CK-Tile, whose ids also depend on the chip: where a list is for
    a chip, only that chip's rows are held against it. An id that the list gives to an equal instance agrees.
    """
    lists = _lists(entries)
    if not lists:
        return []
    found = []
    for row in rows:
        instance = row.instance
        if instance is None or row.kernel_id is None:
            continue
        kind = _kind(instance.libtype, instance.family)
        for by_arch in lists.get(kind, {}).values():
            listed = by_arch.get(row.gfx) or by_arch.get("")
            if listed is None:
                continue
            entry = listed.by_id.get(row.kernel_id)
            if entry is None or entry.instance != instance:
                name = entry.instance.name if entry else ""
                at = entry.where if entry else SourceSpan(listed.path, 1)
                found.append(Disagreement(row, name, at, tuple(listed.ids.get(instance.name, ()))))
    return found


def _lists(entries: Iterable[InstanceEntry]) -> dict[tuple[str, str], dict[str, dict[str, _List]]]:
    """Lists by kind, then by file, then by chip.

    Entries of a file that are for no chip (its default kernels) belong to the list of each chip that the file has.
    """
    grouped: dict[tuple[str, str], dict[str, list[InstanceEntry]]] = defaultdict(lambda: defaultdict(list))
    for entry in entries:
        if entry.kernel_id is not None:
            kind = _kind(entry.instance.libtype, entry.instance.family)
            grouped[kind][entry.where.path].append(entry)
    return {kind: {path: _by_arch(path, listed) for path, listed in files.items()} for kind, files in grouped.items()}


def _by_arch(path: str, entries: list[InstanceEntry]) -> dict[str, _List]:
    lists: dict[str, _List] = {}
    for arch in {entry.arch for entry in entries if entry.arch} or {""}:
        listed = lists[arch] = _List(path)
        for entry in entries:
            if entry.arch in ("", arch):
                listed.by_id.setdefault(entry.kernel_id or 0, entry)
                listed.ids[entry.instance.name].append(entry.kernel_id or 0)
    return lists


def _kind(libtype: str, family: Family | None) -> tuple[str, str]:
    return (libtype, family.value if family else "")
