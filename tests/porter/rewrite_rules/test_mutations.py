# SPDX-License-Identifier: Apache-2.0
"""Random changes that keep a kernel's meaning: it is rewritten right, or refused; never wrong, never a traceback."""

from __future__ import annotations

import random
import re

import libcst as cst
import pytest

from porter.rewrite_rules import Refused, Rewritten, native_scaling, rewrite_sources
from porter.rewrite_rules.engine.program import names_in
from porter.toolchain import KernelSource
from tests.porter.rewrite_rules.kernels import REPAIRED, compiled, execute, problem_for

MUTANTS = 200
SAMPLE = range(0, MUTANTS, 20)  # what `make test` runs; `make proof` runs all
ALONE = [path for path in REPAIRED if not list(path.parent.glob("_*.py"))]


@pytest.mark.parametrize("seed", SAMPLE)
def test_mutant_of_the_sample(seed):
    judge(seed)


@pytest.mark.proof
@pytest.mark.parametrize("seed", [seed for seed in range(MUTANTS) if seed not in SAMPLE])
def test_mutant(seed):
    judge(seed)


def test_most_mutants_are_rewritten():
    outcomes = [rewrite_sources({"kernel.py": mutant(seed)})["kernel.py"] for seed in range(1, 25)]
    assert sum(isinstance(outcome, Rewritten) for outcome in outcomes) >= 20


def judge(seed):
    outcome = rewrite_sources({"kernel.py": mutant(seed)})["kernel.py"]
    if isinstance(outcome, Refused):
        assert outcome.hint and outcome.location.line
        return
    assert isinstance(outcome, Rewritten), outcome
    kernel = compiled(KernelSource("kernel", outcome.text))
    assert not native_scaling(kernel.isa)
    run = execute(kernel, problem_for(kernel.spec, "general"))
    assert run.comparison.equal, run.comparison
    assert not run.findings


def mutant(seed):
    """A fixture after one to four changes; the same for the same seed."""
    rng = random.Random(seed)
    text = ALONE[seed % len(ALONE)].read_text()
    for _ in range(rng.randint(1, 4)):
        text = rng.choice([renamed, aliased, swapped, spelled_constant, split, lifted_constant])(text, rng)
    return text


def renamed(text, rng):
    """Another name for one local variable or helper."""
    tree = cst.parse_module(text)
    keywords = {m.group(1) for m in re.finditer(r"[(,]\s*(\w+)=", text)} | set(re.findall(r"\.(\w+)", text))
    protected = keywords | {"SPEC", "build", "C", "A", "B", "XS", "WS", "M", "N", "K", "self", "launch", "stream"}
    names = sorted({name for statement in simple(tree) for name in targets(statement)} - protected)
    if not names:
        return text
    old = rng.choice(names)
    new = f"{old}_{rng.randint(0, 99)}"
    docstrings = {match.span() for match in re.finditer(r'""".*?"""', text, re.DOTALL)}

    def replace(match):
        inside = any(start <= match.start() < end for start, end in docstrings)
        return match.group(0) if inside else new

    return re.sub(rf"(?<![\w.\"]){old}(?![\w\"])", replace, text)


def aliased(text, rng):
    """`y = expression` becomes `y_0 = expression; y = y_0`."""

    def change(statement):
        assign = statement.body[0]
        name = targets(statement)[0]
        first = assign.with_changes(targets=[cst.AssignTarget(cst.Name(f"{name}_value"))])
        second = cst.parse_statement(f"{name} = {name}_value")
        return [statement.with_changes(body=[first]), second]

    return edit_one(text, rng, lambda s: len(targets(s)) == 1 and in_function(text, s), change)


def split(text, rng):
    """`a, b = x, y` becomes two statements, where x and y do not read a or b."""

    def fits(statement):
        assign = statement.body[0]
        pair = isinstance(assign.value, cst.Tuple) and isinstance(assign.targets[0].target, cst.Tuple)
        return pair and not set(targets(statement)) & names_in([assign.value])

    def change(statement):
        assign = statement.body[0]
        lines = []
        for target, value in zip(assign.targets[0].target.elements, assign.value.elements, strict=True):
            bare = target.value.with_changes(lpar=[], rpar=[])
            line = cst.SimpleStatementLine([cst.Assign([cst.AssignTarget(bare)], value.value)])
            lines.append(line)
        return [lines[0].with_changes(leading_lines=statement.leading_lines), *lines[1:]]

    return edit_one(text, rng, fits, change)


def swapped(text, rng):
    """Two neighbouring assignments that do not touch each other change places."""
    tree = cst.parse_module(text)
    found = []

    class Finder(cst.CSTVisitor):
        def visit_IndentedBlock(self, node):
            for one, two in zip(node.body, node.body[1:], strict=False):
                if is_assignment(one) and is_assignment(two):
                    wrote_one, wrote_two = set(targets(one)), set(targets(two))
                    apart = not wrote_one & names_in([two]) and not wrote_two & names_in([one])
                    if apart and not {"append", "store", "copy"} & names_in([one, two]):
                        found.append((one, two))

    tree.visit(Finder())
    if not found:
        return text
    one, two = rng.choice(found)

    class Swap(cst.CSTTransformer):
        def on_leave(self, original, updated):
            return two if original is one else one if original is two else updated

    return tree.visit(Swap()).code


def spelled_constant(text, rng):
    """A number in another spelling."""
    spellings = {
        "23": ["(20 + 3)", "0x17"],
        "0xFF": ["255", "(1 << 8) - 1"],
        "255": ["0xFF"],
        "0x400000": ["4194304", "(1 << 22)"],
        "128": ["(1 << 7)", "0x80"],
        "127": ["0x7F"],
        "16": ["(8 + 8)"],
    }
    places = [m for m in re.finditer(r"(?<![\w.])(23|0xFF|255|0x400000|127)(?![\w.])", text) if not in_string(text, m)]
    if not places:
        return text
    place = rng.choice(places)
    return text[: place.start()] + f"({rng.choice(spellings[place.group()])})" + text[place.end() :]


def lifted_constant(text, rng):
    """A number becomes a module constant."""
    places = [m for m in re.finditer(r"(?<![\w.])(23|0xFF|255|0x400000|127)(?![\w.])", text) if not in_string(text, m)]
    if not places:
        return text
    place = rng.choice(places)
    name = f"LIFTED_{text.count('LIFTED_')}"
    text = text[: place.start()] + name + text[place.end() :]
    # In front of every other constant, which may be where the number stood.
    first = min(at for at in (text.find("\nLIFTED_"), text.find("\nSPEC = ")) if at >= 0)
    return f"{text[:first]}\n{name} = {place.group()}{text[first:]}"


def in_string(text, match):
    line = text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
    return (
        line.count('"') % 2 == 1
        or "#" in line
        or any(doc.start() <= match.start() < doc.end() for doc in re.finditer(r'""".*?"""', text, re.DOTALL))
    )


def simple(tree):
    found = []

    class Finder(cst.CSTVisitor):
        def visit_SimpleStatementLine(self, node):
            if is_assignment(node):
                found.append(node)

    tree.visit(Finder())
    return found


def is_assignment(statement):
    line = isinstance(statement, cst.SimpleStatementLine) and len(statement.body) == 1
    return line and isinstance(statement.body[0], cst.Assign) and bool(targets(statement))


def targets(statement):
    """Names that an assignment sets; none where it sets parts of something."""
    assign = statement.body[0]
    if not isinstance(assign, cst.Assign) or len(assign.targets) != 1:
        return []
    target = assign.targets[0].target
    if isinstance(target, cst.Name):
        return [target.value]
    if isinstance(target, cst.Tuple) and all(isinstance(e.value, cst.Name) for e in target.elements):
        return [element.value.value for element in target.elements]
    return []


def in_function(text, statement):
    return "SPEC" not in targets(statement)


def edit_one(text, rng, fits, change):
    tree = cst.parse_module(text)
    candidates = [statement for statement in simple(tree) if fits(statement)]
    if not candidates:
        return text
    chosen = rng.choice(candidates)

    class Edit(cst.CSTTransformer):
        def on_leave(self, original, updated):
            return cst.FlattenSentinel(change(original)) if original is chosen else updated

    return tree.visit(Edit()).code
