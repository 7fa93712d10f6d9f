# SPDX-License-Identifier: Apache-2.0
"""The results that `porter verify --format json` wrote, as the report shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from porter.report.json_input import Document, Node, load
from porter.report.model import Proof, ProofRow, TileMap

#: A map of `oracle.compare` in a detail: the run, the map's own sentence, and its rows.
_TILE_MAP = re.compile(r"(?P<title>[^\n]+):\n(?P<caption>\d+x\d+ tiles: [^\n]+)\n(?P<rows>[.1-9#]+(?:\n[.1-9#]+)*)")


def read(path: Path) -> tuple[dict[str, tuple[Proof, ...]], str]:
    """Kernel name -> its proofs, one for each shape of B, and the sha256 of the file.

    Raises InputError: CKH001 unreadable or not JSON, CKH003 not what `porter verify` writes.
    """
    document = Document(path, "porter/verify/1", "CKH003", "porter verify --format json > verify.json writes it")
    top, digest = load(document)
    proofs: dict[str, list[Proof]] = {}
    for node in top["kernels"].items():
        proofs.setdefault(node["name"].text(), []).append(_proof(node))
    return {name: tuple(items) for name, items in proofs.items()}, digest


def _proof(node: Node) -> Proof:
    runs: dict[tuple[int, str], list[ProofRow]] = {}
    for case in node["cases"].items():
        row = _run(case)
        runs.setdefault((row.m, row.data), []).append(row)
    rows = tuple(_worst(rows) for rows in runs.values())
    details = [item.text() for item in node["details"].items()]
    maps = [_TILE_MAP.fullmatch(detail) for detail in details]
    error, padding = node["error"].text(), node.get("padding")
    return Proof(
        n=node["n"].number(1),
        k=node["k"].number(1),
        # Never better than its runs: a proof without a run, or with a failed one, is none.
        proved=node["proved"].flag() and not error and bool(rows) and all(row.proved for row in rows),
        error=error,
        rows=rows,
        maps=tuple(_tile_maps([match for match in maps if match], node["name"].text())),
        details=tuple(detail for detail, match in zip(details, maps, strict=True) if not match),
        padding=tuple(item.number() for item in padding.items()) if padding else (),
    )


def _run(case: Node) -> ProofRow:
    first = case["first_mismatch"]
    shown = ""
    if first.value is not None:
        values = f"got {first['actual'].value!r}, expected {first['expected'].value!r}, {first['ulp'].number()} ULP"
        shown = f"({first['m'].number()}, {first['n'].number()}): {values} ({case['mode'].text()})"
    kind = case.get("class")
    return ProofRow(
        kind=kind.text() if kind else "",
        m=case["m"].number(1),
        data=case["data"].text(),
        runs=1,
        mismatches=case["mismatches"].number(),
        max_ulp=case["max_ulp"].number(),
        findings=case["findings"].number(),
        # Never better than its own numbers.
        proved=case["proved"].flag() and not case["mismatches"].number() and not case["findings"].number(),
        first=shown,
    )


def _worst(rows: Sequence[ProofRow]) -> ProofRow:
    worst = max(rows, key=lambda row: (row.mismatches, row.findings))
    return ProofRow(
        kind=worst.kind,
        m=worst.m,
        data=worst.data,
        runs=len(rows),
        mismatches=worst.mismatches,
        max_ulp=max(row.max_ulp for row in rows),
        findings=max(row.findings for row in rows),
        proved=all(row.proved for row in rows),
        first=worst.first,
    )


def _tile_maps(matches: Sequence[re.Match[str]], name: str) -> Iterator[TileMap]:
    """Every map once: runs in other modes of the machine differ in the same places as a rule."""
    titles: dict[tuple[str, str], list[str]] = {}
    for match in matches:
        titles.setdefault((match["caption"], match["rows"]), []).append(match["title"].removeprefix(f"{name} "))
    for (caption, rows), runs in titles.items():
        yield TileMap(runs[0], len(runs) - 1, caption, tuple(rows.split("\n")))
