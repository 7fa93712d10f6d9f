# SPDX-License-Identifier: Apache-2.0
"""The kernel for one row of CK text: the first candidate of its recipe that nothing refuses."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from porter.ck_parser import TunedRow, Unsupported, XdlInstance
from porter.kernel_spec import Contract, KernelSpec
from porter.problem import TARGETS, Family, GemmShape
from porter.select import recipes
from porter.select.legality import Reason, legality

#: A shape that every portable instance serves, for the verdict on one whose shape is not known.
PROBE = GemmShape(4096, 4096, 4096)
_UNMEASURED: Mapping[KernelSpec, tuple[Reason, ...]] = {}


@dataclass(frozen=True, slots=True)
class Converted:
    """A row and the kernel that serves it.

    spec: the first candidate of the recipe that is legal and that the guard did not refuse; kept: False for a duplicate
    key that lost to another row; measured: candidates before it that the guard refused, a sentence each, which are
    among the notes too.
    """

    row: TunedRow
    recipe: recipes.Recipe
    spec: KernelSpec
    notes: tuple[str, ...]
    kept: bool = True
    measured: tuple[str, ...] = ()


def choose(row: TunedRow, measured: Mapping[KernelSpec, tuple[Reason, ...]] = _UNMEASURED) -> Converted | Unsupported:
    """The kernel for one row: the first legal candidate of its recipe, or why there is none.

    measured: what the guard says of kernels that were compiled; one with a reason is passed over.
    """
    if row.gfx not in TARGETS:
        known = ", ".join(TARGETS)
        return _refuse(row, "CKS150", f"{row.gfx} is not a chip that porter knows ({known})")
    scale_block_m, contract = 1, row.contract.order
    if isinstance(row.instance, XdlInstance):
        scale_block_m = row.instance.scale_block_mnk[0]
        if row.instance.scale_block_mnk[1:] != (128, 128):
            blocks = "x".join(map(str, row.instance.scale_block_mnk))
            return _refuse(row, "CKS151", f"scale blocks of {blocks} are not ScaleBlockM x 128 x 128")
        if row.instance.tile_mnk[2] < row.instance.scale_block_mnk[2]:
            return _refuse(
                row,
                "CKS152",
                f"KPerBlock {row.instance.tile_mnk[2]} is smaller than ScaleBlockK {row.instance.scale_block_mnk[2]}: "
                "CK's own kernel of such an instance computes wrong results",
                "name another instance; MSLK disabled the test of such a kernel (docs/notes/ck.md#order-of-operations)",
            )
    # What another library tuned says nothing of our K slices; an untuned row says nothing at all.
    kbatch = row.kbatch if row.instance is not None else None
    choice = _recipe(row.shape, row.gfx, row.family, scale_block_m, contract, kbatch)
    first: tuple[Reason, ...] = ()
    illegal: list[str] = []
    spilled: list[str] = []
    for candidate in choice.candidates:
        spec = candidate.spec
        before = legality(spec, row.shape, TARGETS[row.gfx])
        reasons = before or measured.get(spec, ())
        if not reasons:
            notes = (*_notes(row, choice, spec), *illegal, *spilled)
            return Converted(row, choice, spec, notes, measured=tuple(spilled))
        first = first or reasons
        if before:
            illegal.append(f"{spec.name} does not serve this shape: {'; '.join(reason.text for reason in before)}")
        else:
            spilled.append(f"{spec.name} is refused as compiled: {'; '.join(map(str, reasons))}")
    return _refuse(row, first[0].code, "; ".join(reason.text for reason in first), first[0].hint)


def _notes(row: TunedRow, recipe: recipes.Recipe, spec: KernelSpec) -> Iterator[str]:
    yield from row.notes
    if row.instance is not None:
        yield from recipes.kbatch_notes(row.kbatch, spec)


def _refuse(row: TunedRow, code: str, reason: str, hint: str = "") -> Unsupported:
    return Unsupported(code, reason, row.where, hint, row.kernel_name)


@cache
def _recipe(
    shape: GemmShape, gfx: str, family: Family, scale_block_m: int, contract: Contract, kbatch: int | None
) -> recipes.Recipe:
    return recipes.choose(shape, TARGETS[gfx], family, scale_block_m=scale_block_m, contract=contract, kbatch=kbatch)
