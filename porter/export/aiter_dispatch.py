# SPDX-License-Identifier: Apache-2.0
"""The edit of aiter's `gemm_op_a8w8.py` that sends rows naming our kernels to them.

Two generations are known (docs/notes/downstream.md#aiter). In the older one the tuned row is looked up and dropped, and
CK's own table decides; in the newer one the row's libtype decides, and nothing there takes a `flydsl` row of these
chips. Both have one place in common: the look-up whose block goes on to call CK. The branch is put right behind it, and
where that place cannot be told, the file is refused.
"""

from __future__ import annotations

import ast
import io
import textwrap
import tokenize
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn, TypeAlias

import libcst as cst
import libcst.matchers as m
from libcst.metadata import MetadataWrapper, PositionProvider

from porter.errors import InputError, SourceSpan
from porter.problem import Family
from porter.write.emitter import ENTRY_POINTS

#: Where the file stands in a checkout, and the package of our kernels, as that file names it.
PATH = "aiter/ops/gemm_op_a8w8.py"
PACKAGE = ".flydsl_blockscale"

_LOOKUP = "get_CKGEMM_config"
_OPERANDS = ("XQ", "WQ", "x_scale", "w_scale", "dtype")
_RESULT = "config"
#: The name that holds our result, and the call of the branches that earlier exports wrote, which raised for a call that
#: our kernel refuses.
_PORTED, _EARLIER = "ported", "serves"
#: In the plain family's signature: the weights are the other family's.
_SHUFFLED = "isBpreshuffled"
#: Parameters that the branch may leave out: the look-up stands on the way of weights that are as the family wants
#: them, and a split of K is part of a kernel.
_LEFT_OUT = (_SHUFFLED, "splitK", "split_k")

_BY_HAND = "this generation of the file is not known; put the branch in by hand, as docs/export.md shows it"
#: Columns of aiter's black.
_WIDTH = 88
_INDENTS = "indents of blanks alone, without form feeds, were expected"

_Statement: TypeAlias = cst.BaseStatement | cst.BaseSmallStatement


@dataclass(frozen=True, slots=True)
class Edited:
    """text: the file with its branches; generations: family -> `older` or `newer` of each branch that is new, and
    `renewed` for one of an earlier export."""

    text: str
    generations: dict[Family, str]


@dataclass(frozen=True, slots=True)
class _Place:
    """A look-up: its statement, the name that holds the row afterwards, and what stands before it on the way there.

    before: the statements ahead of it, and those that it stands in.
    """

    statement: cst.SimpleStatementLine
    row: str
    dropped: bool
    before: tuple[_Statement, ...]


def edit(text: str, families: Sequence[Family], path: str = PATH) -> Edited:
    """Put a branch for each family into the file; families that have theirs are left as they are.

    A branch of an earlier export, which raises where CK could serve, is renewed.

    Raises InputError CKE003 with the file, the line and what was not understood there.
    """
    try:
        return _edit(text, families, path)
    except (RecursionError, MemoryError) as error:
        where = SourceSpan(path, _longest(text))
        message = "an expression or block is nested too deeply to be read; the longest statement begins here"
        hint = "split what is nested; or export without --aiter-root, and put the branch in as docs/export.md shows it"
        raise InputError("CKE003", message, where, hint) from error


def _edit(text: str, families: Sequence[Family], path: str) -> Edited:
    try:
        # libcst says little of where a syntax error is.
        ast.parse(text)
        wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
    except (SyntaxError, cst.ParserSyntaxError) as error:
        line = error.lineno if isinstance(error, SyntaxError) else error.raw_line
        raise InputError("CKE003", f"not Python: {error}", SourceSpan(path, line or 1)) from error
    reader = _Reader(wrapper, path)
    replaced: dict[cst.CSTNode, list[cst.BaseStatement]] = {}
    generations = {}
    for family in families:
        function = reader.function(ENTRY_POINTS[family])
        if _is_edited(function):
            earlier = _earlier(function)
            if earlier is not None:
                replaced[earlier] = [_renewed(function, earlier, reader, family)]
                generations[family] = "renewed"
            continue
        reader.check_parameters(function)
        place = reader.lookup(function)
        replaced[place.statement] = _branch(function, place, family, reader.column(place.statement))
        generations[family] = "older" if place.dropped else "newer"
    edited = wrapper.module.visit(_Insert(replaced)).code if replaced else text
    try:
        ast.parse(edited)
    except SyntaxError as error:
        reader.refuse(f"with its branch the file is not Python: {error.msg}", next(iter(replaced)), _INDENTS)
    return Edited(edited, generations)


def _longest(text: str) -> int:
    """The first line of the statement with the most tokens, of a text that is Python."""
    longest, start, count = (0, 1), 1, 0
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        start, count = (start if count else token.start[0]), count + 1
        if token.type in (tokenize.NEWLINE, tokenize.NL, tokenize.COMMENT):
            longest, count = max(longest, (count, start)), 0
    return longest[1]


class _Reader:
    """Finds places in one file, and says where it did not find them."""

    def __init__(self, wrapper: MetadataWrapper, path: str) -> None:
        self._module = wrapper.module
        self._positions = wrapper.resolve(PositionProvider)
        self._path = path

    def function(self, name: str) -> cst.FunctionDef:
        found = [node for node in self._module.body if isinstance(node, cst.FunctionDef) and node.name.value == name]
        if len(found) != 1:
            what = f"{len(found)} functions named {name}" if found else f"no function {name}"
            self.refuse(what, found[1] if found else None, "one at the top level was expected")
        return found[0]

    def check_parameters(self, function: cst.FunctionDef) -> None:
        """Raises InputError CKE003 where the branch would lack an operand, or leave out what the caller asks for."""
        parameters = _parameters(function)
        missing = [operand for operand in _OPERANDS if operand not in parameters]
        if missing:
            self.refuse(
                f"{function.name.value} has no parameter {', '.join(missing)}",
                function,
                f"expected {', '.join(_OPERANDS)}",
            )
        for name, parameter in parameters.items():
            if name not in (*_OPERANDS, "out", *_LEFT_OUT):
                what = f"{function.name.value} has a parameter {name}, which the branch would drop"
                self.refuse(what, parameter, f"expected {', '.join(_OPERANDS)} and out")

    def lookup(self, function: cst.FunctionDef) -> _Place:
        name = function.name.value
        places = list(_lookups(function.body, f"{name}_ck", ()))
        if not places:
            self.refuse(
                f"{name} has no call of {_LOOKUP} whose block goes on to call {name}_ck", function, "one was expected"
            )
        if len(places) > 1:
            self.refuse(
                f"{name} has {len(places)} calls of {_LOOKUP} that go on to call {name}_ck",
                places[1].statement,
                "one was expected",
            )
        place = places[0]
        if not place.row:
            self.refuse(f"{name} keeps the row in something other than a name", place.statement, "a name was expected")
        if place.dropped and m.findall(function, m.Name(_RESULT)):
            self.refuse(f"{name} drops the row, yet has a name {_RESULT} of its own", place.statement, "one of the two")
        asked = any(m.findall(node, m.Name(_SHUFFLED)) for node in place.before)
        if _SHUFFLED in _parameters(function) and not asked:
            self.refuse(f"{name} does not ask for {_SHUFFLED} before the row", place.statement, "an if was expected")
        if m.findall(function, m.Name(_PORTED)):
            self.refuse(f"{name} has a name {_PORTED} of its own", place.statement, "none was expected")
        return place

    def column(self, node: cst.CSTNode) -> int:
        return self._positions[node].start.column

    def refuse(self, what: str, node: cst.CSTNode | None, expected: str) -> NoReturn:
        """Raises InputError CKE003 at a node."""
        line = self._positions[node].start.line if node is not None else 1
        raise InputError("CKE003", f"{what}; {expected}", SourceSpan(self._path, line), _BY_HAND)


def _parameters(function: cst.FunctionDef) -> dict[str, cst.Param]:
    """Every parameter by name, those that collect others among them."""
    params = function.params
    stars = (star for star in (params.star_arg, params.star_kwarg) if isinstance(star, cst.Param))
    return {
        param.name.value: param for param in (*params.posonly_params, *params.params, *params.kwonly_params, *stars)
    }


def _lookups(block: cst.BaseSuite, kernel: str, before: tuple[_Statement, ...]) -> Iterator[_Place]:
    """The look-ups of a block and of the blocks in it, whose own block goes on to call `kernel`."""
    if not isinstance(block, cst.IndentedBlock):
        return
    for index, statement in enumerate(block.body):
        ahead = (*before, *block.body[:index])
        if isinstance(statement, cst.SimpleStatementLine):
            later = block.body[index + 1 :]
            call = m.Call(func=m.Name(_LOOKUP))
            alone = m.SimpleStatementLine(body=[m.Expr(value=call) | m.Assign(value=call)])
            if m.matches(statement, alone) and any(m.findall(node, m.Call(func=m.Name(kernel))) for node in later):
                yield _place(statement, ahead)
        for inner in _blocks(statement):
            yield from _lookups(inner, kernel, (*ahead, statement))


def _blocks(statement: cst.CSTNode) -> Iterator[cst.BaseSuite]:
    """The blocks of a compound statement, but for those of functions and classes."""
    for child in statement.children:
        if isinstance(child, cst.BaseSuite):
            yield child
        elif isinstance(child, (cst.If, cst.Else, cst.ExceptHandler, cst.Finally)):
            yield from _blocks(child)


def _place(statement: cst.SimpleStatementLine, before: tuple[_Statement, ...]) -> _Place:
    small = statement.body[0]
    if isinstance(small, cst.Expr):
        return _Place(statement, _RESULT, True, before)
    target = small.targets[0].target if isinstance(small, cst.Assign) and len(small.targets) == 1 else None
    return _Place(statement, target.value if isinstance(target, cst.Name) else "", False, before)


def _branch(function: cst.FunctionDef, place: _Place, family: Family, column: int) -> list[cst.BaseStatement]:
    """The look-up, with its row kept, and the branch behind it; black-clean at their column."""
    row = place.row
    lookup: cst.BaseStatement = place.statement
    if place.dropped:
        small = cst.ensure_type(place.statement.body[0], cst.Expr)
        kept = cst.parse_statement(_wrapped(f"{row} = ", cst.ensure_type(small.value, cst.Call), "", column))
        lookup = kept.with_changes(
            leading_lines=place.statement.leading_lines, trailing_whitespace=place.statement.trailing_whitespace
        )
    branch = _attempt(function, place, family, column).with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    return [lookup, cst.parse_statement(f"from {PACKAGE} import by_row\n"), branch]


def _attempt(
    function: cst.FunctionDef, place: _Place, family: Family, column: int
) -> cst.SimpleStatementLine | cst.BaseCompoundStatement:
    """The branch: our result where there is one, else on to CK."""
    row = place.row
    arguments = ", ".join((row, "XQ, WQ, x_scale, w_scale, dtype", *_out(function, place)))
    lines = [
        f"{_wrapped(f'{_PORTED} = ', _call(f'by_row.attempt({arguments})'), '', column + 4)}",
        f"if {_PORTED} is not None:",
        f"    return {_PORTED}",
    ]
    # Where the row was dropped nothing asks for it again: CK's own table decides what serves instead.
    if not place.dropped:
        lines.append(f"{row} = None  # as for a shape without a row")
    test = _wrapped("if ", _call(f'by_row.names_kernel({row}, "{family.value}")'), ":", column)
    return cst.parse_statement("\n".join([test, textwrap.indent("\n".join(lines), "    "), ""]))


def _call(text: str) -> cst.Call:
    return cst.ensure_type(cst.parse_expression(text), cst.Call)


def _wrapped(head: str, call: cst.Call, tail: str, column: int) -> str:
    """A statement around a call as black writes it there: on one line, its arguments on one, or each on its own."""
    code = cst.Module([]).code_for_node
    line = f"{head}{code(call)}{tail}"
    if "\n" in line or column + len(line) <= _WIDTH:
        return line
    arguments = [code(argument.with_changes(comma=cst.MaybeSentinel.DEFAULT)) for argument in call.args]
    inner = "    " + ", ".join(arguments) + "\n"
    if column + len(inner.rstrip()) > _WIDTH:
        inner = "".join(f"    {argument},\n" for argument in arguments)
    return f"{head}{code(call.func)}(\n{inner}){tail}"


def _out(function: cst.FunctionDef, place: _Place) -> Iterator[str]:
    """The keyword that hands the output over: the caller's where there is one, else the buffer made above."""
    if "out" in _parameters(function):
        yield "out=out"
        return
    made = m.Assign(targets=[m.AssignTarget(m.Name("Y"))])
    for statement in place.before:
        if isinstance(statement, cst.SimpleStatementLine) and any(m.matches(small, made) for small in statement.body):
            yield "out=Y"
            return


def _is_edited(function: cst.FunctionDef) -> bool:
    module = cst.parse_statement(f"from {PACKAGE} import by_row\n")
    imports = m.findall(function, m.ImportFrom())
    return any(node.deep_equals(cst.ensure_type(module, cst.SimpleStatementLine).body[0]) for node in imports)


def _earlier(function: cst.FunctionDef) -> cst.If | None:
    """The branch that an earlier export put into an edited function; None where it is today's, or somebody's own."""
    named = m.Call(func=m.Attribute(value=m.Name("by_row"), attr=m.Name("names_kernel")))
    branches = [node for node in m.findall(function, m.If()) if m.findall(cst.ensure_type(node, cst.If).test, named)]
    served = m.Call(func=m.Attribute(value=m.Name("by_row"), attr=m.Name(_EARLIER)))
    if len(branches) != 1 or not m.findall(branches[0], served):
        return None
    return cst.ensure_type(branches[0], cst.If)


def _renewed(function: cst.FunctionDef, earlier: cst.If, reader: _Reader, family: Family) -> cst.BaseStatement:
    """Today's branch in the place of an earlier one."""
    place = reader.lookup(function)
    if not m.findall(earlier, m.Assign()):
        place = replace(place, dropped=True)
    branch = _attempt(function, place, family, reader.column(earlier))
    return branch.with_changes(leading_lines=earlier.leading_lines)


class _Insert(cst.CSTTransformer):
    def __init__(self, replaced: dict[cst.CSTNode, list[cst.BaseStatement]]) -> None:
        self._replaced = replaced

    def leave_SimpleStatementLine(
        self, original_node: cst.SimpleStatementLine, updated_node: cst.SimpleStatementLine
    ) -> cst.BaseStatement | cst.FlattenSentinel[cst.BaseStatement]:
        statements = self._replaced.get(original_node)
        return updated_node if statements is None else cst.FlattenSentinel(statements)

    def leave_If(self, original_node: cst.If, updated_node: cst.If) -> cst.BaseStatement:
        (statement,) = self._replaced.get(original_node, [updated_node])
        return statement
