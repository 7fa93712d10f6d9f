# SPDX-License-Identifier: Apache-2.0
"""The results that `porter verify --format json` wrote, as the report shows them."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from porter import records
from porter.errors import InputError
from porter.proof.outcome import CaseOutput, KernelOutput, VerifyOutput
from porter.report.model import Proof, ProofRow, TileMap

#: A map of `oracle.compare` in a detail: the run, the map's own sentence, and its rows.
_TILE_MAP = re.compile(r"(?P<title>[^\n]+):\n(?P<caption>\d+x\d+ tiles: [^\n]+)\n(?P<rows>[.1-9#]+(?:\n[.1-9#]+)*)")


def read(path: Path) -> tuple[dict[str, tuple[Proof, ...]], str]:
    """Kernel name -> its proofs, one for each shape of B, and the sha256 of the file.

    Raises InputError: CKH001 unreadable or not JSON, CKH003 not what `porter verify` writes.
    """
    hint = "porter verify --format json > verify.json writes it"
    try:
        content = path.read_bytes()
        found = records.read(VerifyOutput, content)
    except OSError as error:
        raise InputError("CKH001", f"{path}: cannot read: {error.strerror}", hint=hint) from error
    except (msgspec.ValidationError, records.OtherForm) as error:
        raise InputError("CKH003", f"{path}: not what porter verify writes: {error}", hint=hint) from error
    except (ValueError, RecursionError) as error:
        raise InputError("CKH001", f"{path}: not JSON: {error}", hint=hint) from error
    proofs: dict[str, list[Proof]] = {}
    for kernel in found.kernels:
        proofs.setdefault(kernel.name, []).append(_proof(kernel))
    return {name: tuple(items) for name, items in proofs.items()}, hashlib.sha256(content).hexdigest()


def _proof(kernel: KernelOutput) -> Proof:
    runs: dict[tuple[int, str], list[ProofRow]] = {}
    for case in kernel.cases:
        runs.setdefault((case.m, case.data), []).append(_run(case))
    rows = tuple(_worst(rows) for rows in runs.values())
    maps = [_TILE_MAP.fullmatch(detail) for detail in kernel.details]
    return Proof(
        n=kernel.n,
        k=kernel.k,
        # Never better than its runs: a proof without a run, or with a failed one, is none.
        proved=kernel.proved and not kernel.error and bool(rows) and all(row.proved for row in rows),
        error=kernel.error,
        rows=rows,
        maps=tuple(_tile_maps([match for match in maps if match], kernel.name)),
        details=tuple(detail for detail, match in zip(kernel.details, maps, strict=True) if not match),
        padding=kernel.padding,
    )


def _run(case: CaseOutput) -> ProofRow:
    first = case.first_mismatch
    shown = ""
    if first is not None:
        values = f"got {first.actual}, expected {first.expected}, {first.ulp} ULP"
        shown = f"({first.m}, {first.n}): {values} ({case.mode})"
    return ProofRow(
        kind=case.kind,
        m=case.m,
        data=case.data,
        runs=1,
        mismatches=case.mismatches,
        max_ulp=case.max_ulp,
        findings=case.findings,
        # Never better than its own numbers.
        proved=case.proved and not case.mismatches and not case.findings,
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
