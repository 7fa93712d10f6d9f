# SPDX-License-Identifier: Apache-2.0
"""From the sites of a program to its edits, or to the reason why there are none."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from enum import Enum

import libcst as cst

from porter.rewrite_rules.engine import promote
from porter.rewrite_rules.engine.edits import Edits, edited, parenthesized
from porter.rewrite_rules.engine.encoders import Constant, Encoding, Judgement, Leaf, Stored, judge, spelling
from porter.rewrite_rules.engine.flow import Tracer, Trail, Value
from porter.rewrite_rules.engine.lanes import UNIFORM, lane_modulus
from porter.rewrite_rules.engine.names import short
from porter.rewrite_rules.engine.program import ANY, Module, Path, Program, Var, index_of, subscript
from porter.rewrite_rules.engine.refusal import RefusalError
from porter.rewrite_rules.rule import Operand, RewriteRule, Site, Source


class Kind(Enum):
    """What a scale operand is."""

    ZERO = "none, or a literal 0"
    ONE = "pinned to 1.0"
    ENCODED = "E8M0 codes of fp32 values"
    STORED = "E8M0 codes in memory"


@dataclass(slots=True)
class Scale:
    """One side's scale, judged. wide: what arrives at the MFMA will be a list of four, of which op_sel takes one."""

    operand: Operand
    kind: Kind
    trail: Trail = field(default_factory=Trail)
    judged: list[tuple[Value, Judgement | Source]] = field(default_factory=list)
    lanes: int = UNIFORM
    wide: bool = False

    @property
    def trails(self) -> list[Trail]:
        """The kernel's trail, and the host's behind it."""
        return [self.trail, *(trail for _, j in self.judged if isinstance(j, Source) for trail in j.trails)]


class RewritePlan:
    """The rewrite of one program."""

    def __init__(self, program: Program, rules: Sequence[RewriteRule], selected: set[str], clustered: bool) -> None:
        """rules: all there are, which judge; selected: ids of those that may write; clustered: write promotes behind
        the last MFMA of the loop nest, not beside their MFMA."""
        self.program = program
        self.rules = rules
        self.selected = selected
        self.clustered = clustered
        self.edits = {module.path: Edits(module) for module in program.modules}
        self.used: dict[str, set[str]] = {module.path: set() for module in program.modules}
        self._kept: list[tuple[Module, cst.Call, str]] = []
        self.written: list[Site] = []
        self._sites: dict[cst.CSTNode, Site] = {}
        self.scales: dict[cst.Call, tuple[Scale, Scale]] = {}
        self.tracer = Tracer(program, tuple(rule.step for rule in rules), self._ends)
        self._judged: dict[tuple[int, tuple[int, ...]], Judgement | None] = {}
        self._replaced: dict[cst.BaseExpression, bool] = {}

    def run(self) -> None:
        """Judge every site, then write all or raise RefusalError."""
        sites = [site for rule in self.rules for site in rule.sites(self)]
        sites.sort(key=lambda site: (site.module.path, site.module.order(site.call)))
        for site in sites:
            self._sites[site.call] = site
            self.scales[site.call] = self._scale(site.a), self._scale(site.b)
        chosen = [site for site in sites if self._wanted(site)]
        for site in chosen:
            self._check_lanes(site)
            self._check_order(site)
        self._check_carriers([trail for site in chosen for scale in self.scales[site.call] for trail in scale.trails])
        for site in chosen:
            for scale in self.scales[site.call]:
                self._decode(scale)
        for site in chosen:
            writer = self._writer(site)
            writer.write(self, site)
            self.note(site.module, writer)
            self.written.append(site)

    @property
    def sites(self) -> Iterable[Site]:
        """Every site, in the order of the text."""
        return self._sites.values()

    def site(self, call: cst.CSTNode) -> Site | None:
        """The site that a call is, if it is one."""
        return self._sites.get(call)

    def note(self, module: Module, rule: RewriteRule) -> None:
        """Remember that a rule took part in a file; refuse when it is needed and was not selected."""
        if rule.ID not in self.selected:
            raise RefusalError("CKR211", module.tree, f"rule {rule.ID} ({rule.TITLE}) is needed and not selected")
        self.used[module.path].add(rule.ID)

    def keep(self, module: Module, call: cst.Call, why: str) -> None:
        """Remember why a scaled MFMA is left alone."""
        self._kept.append((module, call, why))

    def reasons(self, module: Module) -> tuple[str, ...]:
        """Why scaled MFMAs of a file are left alone, in the order of the file."""
        kept = sorted(((m.span(call).line, why) for m, call, why in self._kept if m is module))
        return tuple(dict.fromkeys(f"line {line}: {why}" for line, why in kept))

    def fx(self, module: Module, at: cst.CSTNode) -> str:
        """The file's name for flydsl.expr where `at` stands."""
        for var, bindings in module.bindings.items():
            if bindings[0].kind == "import" and module.imported(var) == "flydsl.expr":
                scope = module.scope(at)
                if scope is not None and module.var_at(scope, var.name) == var:
                    return var.name
        raise RefusalError("CKR215", at, "flydsl.expr has no name here, which the promote needs")

    def factor(self, site: Site, texts: Sequence[str] = ()) -> str:
        """The fp32 vector that a site's partial result is multiplied with.

        texts: how each side's scale is written at the site, where that is not its operand.
        """
        fx, edits = self.fx(site.module, site.call), self.edits[site.module.path]
        scales = self.scales[site.call]
        factors = [
            self._by_row(site, scale, texts[i] if texts else self._text(site, scale), side=i)
            for i, scale in enumerate(scales)
            if scale.kind is Kind.ENCODED
        ]
        product = " * ".join(factors)
        by_row = scales[0].kind is Kind.ENCODED and scales[0].lanes != UNIFORM
        if by_row:
            name, text = promote.row_scales(fx, site.rows)
            edits.helpers[name] = text
            return product
        return promote.filled(fx, site.rows, product)

    def _by_row(self, site: Site, scale: Scale, text: str, side: int) -> str:
        """A lane holds results of several rows: the first operand's scale, where it differs by row, has to move."""
        if side == 0 and scale.lanes != UNIFORM:
            return f"{promote.row_scales('fx', site.rows)[0]}({text})"
        return text

    def _text(self, site: Site, scale: Scale) -> str:
        operand = scale.operand
        assert operand.value is not None
        edits = self.edits[site.module.path]
        node = edited(edits, operand.value.node)
        simple = isinstance(node, cst.Name | cst.Call | cst.Subscript | cst.Attribute)
        text = site.module.code(node if simple or node.lpar else parenthesized(node))
        if scale.wide:
            byte = operand.byte if isinstance(operand.byte, int) else site.module.code(operand.byte)
            text += f"[{byte}]"
        return text

    def _ends(self, value: Value) -> bool:
        judged = self.judge(value)
        return isinstance(judged, Encoding) and all(spelling(self.program, value, leaf) for leaf in judged.leaves)

    def judge(self, value: Value) -> Judgement | None:
        """What an expression is as a scale, remembered."""
        key = (id(value.node), tuple(id(call) for _, call in value.context))
        if key not in self._judged:
            self._judged[key] = judge(self.program, value)
        return self._judged[key]

    def _scale(self, operand: Operand) -> Scale:
        if operand.value is None:
            return Scale(operand, Kind.ZERO)
        trail = self.tracer.trace(operand.value)
        judged: list[tuple[Value, Judgement | Source]] = []
        kinds: set[Kind] = set()
        for terminal in trail.terminals:
            judgement = self._source(terminal)
            if judgement is None:
                what = terminal.module.code(terminal.node).strip().splitlines()[0]
                raise RefusalError("CKR202", terminal.node, f"`{what}` reaches a scale operand and is not understood")
            judged.append((terminal, judgement))
            kinds.add(self._kind(operand, terminal, judgement))
        if Kind.ENCODED in kinds and kinds <= {Kind.ENCODED, Kind.ONE}:
            kinds = {Kind.ENCODED}
        if len(kinds) != 1:
            said = " and ".join(sorted(kind.value for kind in kinds)) or "nothing that can be followed"
            raise RefusalError("CKR202", operand.value.node, f"the scale is {said}, depending on the way taken")
        scale = Scale(operand, kinds.pop(), trail, judged)
        if scale.kind is Kind.ENCODED:
            self._shape(scale)
        return scale

    def _source(self, terminal: Value) -> Judgement | Source | None:
        """The judgement, or the fp32 that a rule finds behind codes in memory."""
        judgement = self.judge(terminal)
        if isinstance(judgement, Stored):
            if not _is_load(judgement.leaf.value):
                return None
            found = (rule.source(self, terminal, judgement) for rule in self.rules)
            return next((source for source in found if source is not None), judgement)
        return judgement

    def _kind(self, operand: Operand, terminal: Value, judgement: Judgement | Source) -> Kind:
        if isinstance(judgement, Encoding | Source):
            return Kind.ENCODED
        if isinstance(judgement, Stored):
            return Kind.STORED
        selected = [operand.byte] if isinstance(operand.byte, int) else [0, 1, 2, 3]
        codes = {judgement.bits >> (8 * byte) & 0xFF for byte in selected}
        if codes == {127}:
            return Kind.ONE
        if judgement.bits == 0:
            return Kind.ZERO
        code = judgement.bits & 0xFF
        raise RefusalError("CKR205", terminal.node, f"a constant scale that is not 1.0 (E8M0 code {code})")

    def _shape(self, scale: Scale) -> None:
        """Whether leaves arrive alone or in fours, and whether op_sel meets one in either case."""
        encodings = [(value, j) for value, j in scale.judged if isinstance(j, Encoding)]
        scale.wide = any(len(j.leaves) > 1 for _, j in encodings)
        byte = scale.operand.byte
        for value, encoding in encodings:
            selected = [encoding.bytes[byte]] if isinstance(byte, int) else list(encoding.bytes)
            if None in selected:
                at = byte if isinstance(byte, int) else encoding.bytes.index(None)
                raise RefusalError("CKR202", value.node, f"byte {at}, which op_sel takes, is no exponent code here")
            if scale.wide and len(encoding.leaves) == 1:
                raise RefusalError("CKR202", value.node, "one exponent here, several packed on another way")
        if scale.wide and (scale.trail.types or len(encodings) != len(scale.judged)):
            raise RefusalError(
                "CKR213", encodings[0][0].node, "packed exponents are stored; four fp32 do not fit there"
            )

    def _wanted(self, site: Site) -> bool:
        a, b = self.scales[site.call]
        kinds = {a.kind, b.kind}
        if kinds <= {Kind.ZERO}:
            self.keep(site.module, site.call, "no scale is set, the MFMA is unscaled")
            return False
        if kinds == {Kind.ONE}:
            writer = self._writer(site)
            if writer.ID in self.selected:
                return True
            self.keep(site.module, site.call, f"both scales are pinned to 1.0; rule {writer.ID} drops them")
            return False
        if kinds & {Kind.ZERO}:
            missing = "first" if a.kind is Kind.ZERO else "second"
            raise RefusalError(
                "CKR201",
                site.call,
                f"the {missing} operand's scale is left at 0 beside a set one: E8M0 code 0 is 2^-127, not 1.0",
            )
        if kinds <= {Kind.STORED, Kind.ONE}:
            self.keep(site.module, site.call, "the scales are E8M0 codes in memory (MX data), which it applies exactly")
            return False
        if site.rule.ID not in self.selected:
            self.keep(site.module, site.call, f"rule {site.rule.ID}, which would rewrite it, is not selected")
            return False
        if Kind.STORED in kinds:
            raise RefusalError("CKR202", site.call, "one scale is an fp32 value, the other E8M0 codes in memory")
        if Kind.ONE in kinds:
            self._check_product(site, a if a.kind is Kind.ENCODED else b)
        return True

    def _writer(self, site: Site) -> RewriteRule:
        """The site's own rule, or the optional one where both scales are 1.0."""
        pinned = all(scale.kind is Kind.ONE for scale in self.scales[site.call])
        return next(rule for rule in self.rules if rule.OPTIONAL) if pinned else site.rule

    def _check_product(self, site: Site, scale: Scale) -> None:
        for value, judgement in scale.judged:
            for leaf in judgement.leaves if isinstance(judgement, Encoding) else ():
                source = next((s.node for s in reversed(leaf.spellings)), value.node)
                if not (isinstance(source, cst.BinaryOperation) and isinstance(source.operator, cst.Multiply)):
                    raise RefusalError("CKR205", site.call, "one side alone is scaled, not by a product of two scales")

    def _check_lanes(self, site: Site) -> None:
        for scale in self.scales[site.call]:
            if scale.kind is not Kind.ENCODED or scale.operand.value is None:
                continue
            scale.lanes = lane_modulus(self.program, scale.operand.value)
            if scale.lanes > site.rows:
                raise RefusalError(
                    "CKR203",
                    scale.operand.value.node,
                    f"this scale is not shown to be equal in all lanes of an operand row (lane % {site.rows}): "
                    "it may hold one scale per 1x32 block",
                )

    def _check_order(self, site: Site) -> None:
        for loop in site.module.parents(site.call):
            walked = loop.iter if isinstance(loop, cst.For) else None
            if not isinstance(walked, cst.Call):
                continue
            name = short(site.module.qualified(walked.func))
            step = walked.args[2].value if name in ("range", "range_constexpr") and len(walked.args) > 2 else None
            judged = self.judge(Value(site.module, step)) if step is not None else None
            if name == "reversed" or (isinstance(judged, Constant) and judged.bits >> 31):
                raise RefusalError("CKR216", walked, "a loop around the MFMA runs downwards")

    def _check_carriers(self, trails: list[Trail]) -> None:
        """Whatever holds an encoded scale must hold nothing else and be read for nothing else."""
        nodes = {node for trail in trails for node in trail.nodes}
        bound = {binding for trail in trails for binding in trail.bound}
        carriers: dict[Var, set[Path]] = {}
        for trail in trails:
            for var, paths in trail.carriers.items():
                carriers.setdefault(var, set()).update(paths)
        for trail in trails:
            for var, module in trail.owners.items():
                for read in module.reads[var]:
                    meant = bound.intersection(id(binding) for binding in module.reaching(read, var))
                    if meant and read not in nodes and not _harmless(module, read, carriers[var]):
                        raise RefusalError("CKR204", read, f"`{var.name}`, an encoded scale, is also read here")
                self._check_arguments(module, var, nodes)
            for function in trail.entered:
                for call in self.program.call_sites(function) or ():
                    if call not in nodes:
                        raise RefusalError("CKR204", call, f"`{function.name}` also gives an encoded scale here")
            for name in trail.fields:
                self._check_field(name, nodes)

    def _check_arguments(self, module: Module, var: Var, nodes: set[cst.CSTNode]) -> None:
        for owner, binding in self.program.bindings(module, var):
            function = owner.function_of(binding.node) if binding.kind == "param" else None
            for call in (self.program.call_sites(function) or ()) if function else ():
                assert function is not None and isinstance(binding.node, cst.Param)
                argument = self.program.argument(function, call, binding.node)
                if argument is not None and argument not in nodes:
                    raise RefusalError("CKR204", call, f"`{function.name}` is also called here, with other values")

    def _check_field(self, name: str, nodes: set[cst.CSTNode]) -> None:
        for module in self.program.modules:
            for read in module.attributes.get(name, ()):
                if read not in nodes and self.program.field_values(module, read):
                    raise RefusalError("CKR204", read, f"`.{name}`, an encoded scale, is also read here")

    def _decode(self, scale: Scale) -> None:
        """Let the fp32 values themselves travel where their exponent codes did."""
        if scale.kind is not Kind.ENCODED:
            return
        for value, judgement in scale.judged:
            if value.node in self._replaced:
                if self._replaced[value.node] != scale.wide:
                    raise RefusalError("CKR213", value.node, "used both whole and by byte")
                continue
            self._replaced[value.node] = scale.wide
            edits = self.edits[value.module.path]
            if isinstance(judgement, Constant):
                edits.put(value.node, f"{self.fx(value.module, value.node)}.Float32(1.0)")
            elif isinstance(judgement, Source):
                judgement.write()
            elif isinstance(judgement, Encoding) and scale.wide:
                self._unpack(value, judgement)
            elif isinstance(judgement, Encoding):
                self._substitute(value, judgement.leaves[0])
        for kind in scale.trail.types:
            self._to_float(kind)
        for rule in self.rules:
            if rule.ID in scale.trail.rules:
                for value in scale.trail.terminals:
                    self.note(value.module, rule)

    def _spelled(self, value: Value, leaf: Leaf) -> cst.BaseExpression:
        node = spelling(self.program, value, leaf)
        if node is None:
            raise RefusalError("CKR208", value.node, "the fp32 value behind this code has no name that holds here")
        return node

    def _substitute(self, value: Value, leaf: Leaf) -> None:
        edits, node = self.edits[value.module.path], self._spelled(value, leaf)
        if not leaf.bits:
            edits.replace(value.node, node)
            return
        fx = self.fx(value.module, value.node)

        def as_float(_: cst.CSTNode) -> cst.CSTNode:
            source = edited(edits, node)
            simple = isinstance(source, cst.Name | cst.Call | cst.Subscript | cst.Attribute) or bool(source.lpar)
            code = value.module.code(source if simple else parenthesized(source))
            return cst.parse_expression(f"{code}.bitcast({fx}.Float32)")

        edits.add(value.node, as_float)

    def _unpack(self, value: Value, encoding: Encoding) -> None:
        edits = self.edits[value.module.path]
        nodes = [self._spelled(value, leaf) for leaf in encoding.bytes if leaf is not None]
        if any(leaf is not None and leaf.bits for leaf in encoding.bytes) or len(nodes) != 4:
            raise RefusalError("CKR213", value.node, "fewer than four fp32 values are packed here")
        edits.add(value.node, lambda _: cst.List([cst.Element(edited(edits, node)) for node in nodes]))

    def _to_float(self, kind: cst.BaseExpression) -> None:
        module = self.program.module(kind)
        name = short(module.qualified(kind))
        new = {"T.i32": "f32", "Int32": "Float32", "Uint32": "Float32", "Int8": "Float32", "Uint8": "Float32"}.get(name)
        edits = self.edits[module.path]
        if kind in edits.edits:
            return
        if new is None:
            raise RefusalError("CKR213", kind, f"`{module.code(kind)}` stands for the type of an encoded scale")
        if isinstance(kind, cst.Attribute):
            edits.add(kind, lambda node: node.with_changes(attr=cst.Name(new)))
        else:
            edits.put(kind, f"{self.fx(module, kind)}.{new}")


def _is_load(value: Value) -> bool:
    """Whether an expression reads memory, or registers that were filled from it."""
    node = value.node.value if isinstance(value.node, cst.Subscript) else value.node
    if not isinstance(node, cst.Call):
        return False
    name = short(value.module.qualified(node.func))
    if isinstance(node.func, cst.Attribute) and node.func.attr.value == "load" and not name:
        return True
    return name in ("ptr_load", "make_rmem_tensor") or name.endswith("buffer_load")


def _harmless(module: Module, read: cst.Name, paths: set[Path]) -> bool:
    """Whether a read takes another element than those that hold scales, or only the length."""
    parent = module.parent(read)
    if isinstance(parent, cst.Arg):
        call = module.parent(parent)
        return isinstance(call, cst.Call) and module.qualified(call.func) == "builtins.len"
    if isinstance(parent, cst.Subscript):
        index = subscript(parent)
        at = ANY if index is None else index_of(index)
        return at != ANY and all(path and path[0] not in (at, ANY) for path in paths)
    # What a container is given is followed as what it holds.
    return isinstance(parent, cst.Attribute) and parent.attr.value in ("append", "store", "insert", "extend")
