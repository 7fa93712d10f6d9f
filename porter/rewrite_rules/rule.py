# SPDX-License-Identifier: Apache-2.0
"""What a rewrite rule is, and how the rules are found."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, ClassVar

import libcst as cst

from porter.rewrite_rules.engine.flow import Tracer, Trail, Value
from porter.rewrite_rules.engine.program import Module
from porter.walk import classes

if TYPE_CHECKING:
    from porter.rewrite_rules.engine.atoms import AtomCall
    from porter.rewrite_rules.engine.encoders import Stored
    from porter.rewrite_rules.engine.plan import RewritePlan


@dataclass(frozen=True, slots=True)
class Case:
    """A piece of a kernel, as `cases.frame` completes it, and what the rule makes of it.

    name: test id; before: lines of the K loop; after: the same lines rewritten, empty where nothing changes;
    helpers, helpers_after: module-level functions in front of the kernel; imports: more imports; rows: of the MFMA, 16
    or 32; refused: the code, where the rewrite is refused; clustered: of the rewrite.
    """

    name: str
    before: str
    after: str = ""
    helpers: str = ""
    helpers_after: str = ""
    imports: str = ""
    rows: int = 16
    refused: str = ""
    clustered: bool = False


#: `helpers` of cases whose scales are encoded by a shift.
EXPONENT_CODE = """\
def code(scale):
    return scale.bitcast(fx.Int32) >> 23
"""


@dataclass(frozen=True, slots=True)
class Operand:
    """The scale of one side of a scaled MFMA. value: None where none is given; byte: op_sel, which byte is meant."""

    value: Value | None
    byte: cst.BaseExpression | int


@dataclass(frozen=True, slots=True)
class Site:
    """One scaled MFMA of the source.

    rule: who writes it; rows, k: shape of the instruction; a, b: the scales of its first and second operand;
    atom: more of it, where it is an atom's call.
    """

    rule: RewriteRule
    module: Module
    call: cst.Call
    rows: int
    k: int
    a: Operand
    b: Operand
    atom: AtomCall | None = None


@dataclass(frozen=True, slots=True)
class Source:
    """Where a rule found the fp32 behind codes in memory. write: adds the edits; trails: what held the codes."""

    write: Callable[[], None]
    trails: tuple[Trail, ...] = ()


class RewriteRule:
    """Base of every rule; a subclass in a module of this package is a rule.

    A rule finds sites and writes them, or follows scales through one kind of storage, or both.
    """

    ID: ClassVar[str]
    TITLE: ClassVar[str]
    #: An optional rule runs only where it is named.
    OPTIONAL: ClassVar[bool] = False
    #: What the rule leaves alone, what it repairs, and what it refuses: documentation and tests at once.
    VALID: ClassVar[tuple[Case, ...]] = ()
    INVALID: ClassVar[tuple[Case, ...]] = ()
    REFUSED: ClassVar[tuple[Case, ...]] = ()

    def sites(self, plan: RewritePlan) -> Iterator[Site]:
        """The scaled MFMAs of the program that this rule writes."""
        yield from ()

    def write(self, plan: RewritePlan, site: Site) -> None:
        """Add the edits that turn a site, whose scales are fp32 by now, into an unscaled MFMA and a promote."""
        raise NotImplementedError

    def step(self, tracer: Tracer, trail: Trail, value: Value) -> bool:
        """Follow a scale through storage that this rule knows; True when it did."""
        return False

    def source(self, plan: RewritePlan, value: Value, stored: Stored) -> Source | None:
        """The fp32 values behind E8M0 codes that are loaded from memory; None where the memory holds MX data."""
        return None


@cache
def all_rules() -> tuple[RewriteRule, ...]:
    """One of each rule of the package, by id; found by walking it, so a new file is a new rule."""
    return tuple(sorted((kind() for kind in classes("porter.rewrite_rules", RewriteRule)), key=lambda rule: rule.ID))
