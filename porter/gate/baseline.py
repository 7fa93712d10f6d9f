# SPDX-License-Identifier: Apache-2.0
"""Counts of hot loops that a repository has agreed to: a committed file, or the census of its manifest."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from msgspec import UNSET, UnsetType

from porter import manifest, records
from porter.census import KernelCensus
from porter.errors import InputError
from porter.gate.config import GateConfig
from porter.records import Amount, Record


class Counts(Record, frozen=True):
    """Counts that must not grow: instructions of the hot loop, of one wave and one trip; requests: of vector memory, of
    a workgroup and K tile, where they were counted."""

    instructions: Amount
    valu_total: Amount
    lds_reads: Amount
    lds_writes: Amount
    lds_dma: Amount
    global_loads: Amount
    scratch: Amount
    barriers: Amount
    nop_wait_states: Amount
    requests: Amount | UnsetType = UNSET

    @classmethod
    def of(cls, census: KernelCensus) -> Counts:
        """Those of a census."""
        requests = census.requests.per_k_tile if census.requests else UNSET
        return cls(**{name: getattr(census.loop, name) for name in OF_LOOP}, requests=requests)


class BaselineFile(Record, frozen=True, tag_field="schema", tag="porter/baseline/1"):
    """porter ci --write-baseline: counts of every kernel's hot loop that `porter ci` holds later ones against."""

    kernels: dict[str, Counts]


Baseline = Mapping[str, Counts]
#: Counts that stand in a loop's text.
OF_LOOP = tuple(name for name in Counts.__struct_fields__ if name != "requests")


def read_baseline(config: GateConfig) -> Baseline:
    """Kernel -> counts: from the configured file, else from the committed manifest where it has a census.

    Raises InputError CKG113 for a configured file that cannot be read.
    """
    if not config.baseline:
        return dict(_of_manifest(config.root / config.out / manifest.FILE))
    path = config.root / config.baseline
    try:
        return records.read(BaselineFile, path.read_bytes()).kernels
    except (OSError, ValueError, RecursionError) as error:
        hint = "porter ci --write-baseline writes it"
        raise InputError("CKG113", f"{path}: no baseline that can be read ({error})", config.where, hint) from error


def baseline_text(taken: Sequence[KernelCensus]) -> str:
    """The text of a baseline file."""
    kernels = {census.name: Counts.of(census) for census in sorted(taken, key=lambda item: item.name)}
    return records.text(BaselineFile(kernels)) + "\n"


def _of_manifest(path: Path) -> Iterator[tuple[str, Counts]]:
    try:
        kernels = manifest.read(path).kernels
    except InputError:
        return  # a damaged manifest is drift, or a finding of the kernels in scope
    for kernel in kernels:
        for census in kernel.census.kernels if kernel.census else ():
            yield census.name, Counts.of(census)
