# SPDX-License-Identifier: Apache-2.0
"""What a person names, as objects to build: kernelNames, ids of aiter's lists, and tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from porter.ck_objects.source import Request
from porter.ck_objects.tree import TILE_SCALES, CkTree
from porter.ck_parser import CkInstance, CkTileInstance, XdlInstance, parse_kernel_name, read_files
from porter.ck_parser.quoting import quote
from porter.errors import InputError
from porter.problem import Family, GemmShape

_ID = re.compile(r"(plain|bpreshuffle):(-?\d+)")


def requests(named: Iterable[str], tree: CkTree, arch: str) -> tuple[list[Request], list[str]]:
    """Objects for what is named, each once, and a note for each that cannot be built.

    named: a kernelName, `plain:7` or `bpreshuffle:-1` for an id of the lists beside CK, or a table, whose rows say the
    chip and, by their shapes, whether padding is needed. A name or id gives the padded object, which runs any shape
    that the instance can. Raises InputError: CKB005 for an unknown id, CKP for what cannot be read, and that of
    `refusal` where nothing is left to build.
    """
    found: dict[Request, None] = {}
    refused: dict[str, InputError] = {}
    for argument in named:
        for instance, chip, shape in _instances(argument, tree, arch):
            if isinstance(instance, XdlInstance):
                found.setdefault(Request(instance, chip, padded=shape is None or padding(instance, shape)))
            else:
                refused.setdefault(instance.name, refusal(instance, tree))
    if refused and not found:
        raise next(iter(refused.values()))
    return list(found), [f"{error.message} [{error.code}]" for error in refused.values()]


def refusal(instance: CkTileInstance, tree: CkTree) -> InputError:
    """Why one of CK-Tile's is not built: CKB010 where CK has no such kernel, else CKB006: porter has no text."""
    if tree.tile_scales_both:
        return InputError("CKB006", f"{instance.name}: porter builds CK's XDL instances, not CK-Tile's")
    return InputError(
        "CKB010",
        f"{instance.name}: this CK's CK-Tile scales A or B by blocks, not both: no QuantType::ABQuantGrouped in "
        f"{TILE_SCALES}",
        hint="a CK of 2026 has it; the amd-aiter wheel has not",
    )


def padding(instance: XdlInstance, shape: GemmShape) -> bool:
    """Whether aiter takes the padded kernel for a shape (its gen_instances.py: the tile does not divide M, N and K)."""
    return any(size % tile for size, tile in zip((shape.m, shape.n, shape.k), instance.tile_mnk, strict=True))


def _instances(argument: str, tree: CkTree, arch: str) -> Iterator[tuple[CkInstance, str, GemmShape | None]]:
    listed = _ID.fullmatch(argument)
    if listed:
        yield by_id(tree, Family(listed[1]), int(listed[2])), arch, None
    elif Path(argument).exists():
        read = read_files([argument], arch=arch)
        yield from ((row.instance, row.gfx, row.shape) for row in read.rows if row.instance)
        yield from ((entry.instance, entry.arch or arch, None) for entry in read.instances)
    else:
        kernel = parse_kernel_name(argument)
        if not isinstance(kernel, CkInstance):
            raise InputError("CKB005", f"{quote(argument)} is no instance of Composable Kernel")
        yield kernel, arch, None


def by_id(tree: CkTree, family: Family, number: int) -> XdlInstance:
    """An instance of aiter's list of a family. Raises InputError CKB005."""
    listed = {
        entry.kernel_id: entry.instance
        for entry in tree.instances
        if isinstance(entry.instance, XdlInstance) and entry.instance.family is family
    }
    if number not in listed:
        known = ", ".join(str(known) for known in sorted(i for i in listed if i is not None))
        hint = f"ids there: {known}" if listed else "there are no lists beside this CK: give the kernelName"
        raise InputError("CKB005", f"no {family.value} instance with id {number} beside {tree.root}", hint=hint)
    return listed[number]
