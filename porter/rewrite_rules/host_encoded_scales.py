# SPDX-License-Identifier: Apache-2.0
"""CKR107: scales that the host function converts to E8M0 before the launch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import libcst as cst

from porter.rewrite_rules.engine.encoders import Encoding, Stored, spelling
from porter.rewrite_rules.engine.flow import Trail, Value
from porter.rewrite_rules.engine.lanes import fragment_contents
from porter.rewrite_rules.engine.names import short
from porter.rewrite_rules.engine.plan import RewritePlan
from porter.rewrite_rules.engine.program import Function, Module, element_at
from porter.rewrite_rules.engine.refusal import RefusalError
from porter.rewrite_rules.rule import RewriteRule, Source

#: Bytes of an fp32, which take the place of one byte of E8M0.
WIDER = 4


class HostEncodedScales(RewriteRule):
    """A host function hands fp32 scales to a kernel that loads fp32.

    What: a wrapper that converts fp32 scale tensors to one E8M0 byte each (`float8_e8m0fnu`, exponent bits, log2) and
    passes their pointers to the kernel of the same files, which loads the bytes through register fragments. Wrapper,
    pointer types, descriptors, copy atoms, loads and `SPEC` change together.

    Why: the codes have lost the mantissas before the kernel starts; no change of the kernel alone brings them back.

    Example: `xs = x_scale.to(torch.float8_e8m0fnu).view(torch.uint8)` becomes `xs = x_scale`, and
    `from_c_void_p(fx.Int8, xs.data_ptr())`, `BufferCopy8b()` and `make_rmem_tensor(1, fx.Int8)` their fp32 forms.
    A kernel whose files show no conversion has MX data and is left alone.

    Numeric effect: the kernel reads the scales that the caller gave, not their powers of two. Callers that pass codes
    themselves, past the wrapper, have to pass fp32 from now on.

    Source: OCP MX, E8M0; sglang#39193, fp32 scales in a kernel that takes powers of two (25 % off, silently).
    """

    ID = "CKR107"
    TITLE = "scales converted on the host"

    def source(self, plan: RewritePlan, value: Value, stored: Stored) -> Source | None:
        """The host's fp32 tensors behind a load of codes, None where no host code of the program makes them."""
        load = _load(plan, stored.leaf.value)
        if load is None:
            return None
        found = [_host(plan, buffer) for buffer in load.buffers]
        if not any(host.encoded for host in found):
            return None
        for buffer, host in zip(load.buffers, found, strict=True):
            if host.other is not None or not host.encoded:
                raise RefusalError("CKR213", host.other or buffer.made, "the kernel is also given codes from elsewhere")
        if load.width != 1 or stored.byte != 0:
            raise RefusalError(
                "CKR213", load.fragment, "packed E8M0 codes are loaded here; one byte a scale is handled"
            )
        node = spelling(plan.program, value, stored.leaf)
        if node is None:
            raise RefusalError("CKR208", value.node, "the loaded code is not read next to its use")

        def write() -> None:
            plan.edits[value.module.path].replace(value.node, node)
            _write_load(plan, load)
            for host in found:
                _write_host(plan, host)
            plan.note(value.module, self)

        return Source(write, tuple(trail for host in found for trail in host.trails))


@dataclass(frozen=True, slots=True)
class _Buffer:
    """A descriptor, `make_buffer_ptr(param, num_records_bytes=...)`, over a kernel's pointer parameter."""

    module: Module
    made: cst.Call
    kernel: Function
    param: cst.Param


@dataclass(frozen=True, slots=True)
class _Load:
    """A copy of codes into a fragment: `copy(atom, make_view(buffer + index, ...), fragment)`."""

    module: Module
    fragment: cst.Call
    copy: cst.Call
    atom: cst.Call
    buffers: tuple[_Buffer, ...]
    width: int


@dataclass(slots=True)
class _Host:
    """What host code passes for a kernel parameter: pointers made, and the conversions behind them."""

    pointers: list[tuple[Module, cst.Call]] = field(default_factory=list)
    encoded: list[tuple[Value, Encoding]] = field(default_factory=list)
    trails: list[Trail] = field(default_factory=list)
    spec: list[tuple[Module, cst.Dict]] = field(default_factory=list)
    other: cst.BaseExpression | None = None


def _load(plan: RewritePlan, value: Value) -> _Load | None:
    """The load behind `fragment.load()[i]`."""
    node, module = value.node, value.module
    call = node.value if isinstance(node, cst.Subscript) else node
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return None
    holder = call.func.value
    var = module.var(holder) if isinstance(holder, cst.Name) else None
    made = [element_at(b.node, b.path) for b in module.bindings.get(var, ()) if not b.at] if var is not None else []
    fragment = made[0] if len(made) == 1 else None
    if not isinstance(fragment, cst.Call) or short(module.qualified(fragment.func)) != "make_rmem_tensor":
        return None
    contents = fragment_contents(value, fragment)
    if contents is None or contents.stored or len(contents.copied) != 1:
        return None
    copies = [c for c in module.calls if len(c.args) > 1 and c.args[1].value is contents.copied[0]]
    view = contents.copied[0]
    if len(copies) != 1 or not isinstance(view, cst.Call) or short(module.qualified(view.func)) != "make_view":
        return None
    atom = _only_call(plan, Value(module, copies[0].args[0].value, (), value.context), "make_copy_atom")
    pointer = view.args[0].value
    while isinstance(pointer, cst.BinaryOperation):
        pointer = pointer.left
    buffers = _buffers(plan, Value(module, pointer, (), ()))
    if atom is None or not buffers:
        return None
    kind = short(module.qualified(fragment.args[1].value))
    return _Load(module, fragment, copies[0], atom, buffers, {"Int8": 1, "Uint8": 1}.get(kind, WIDER))


def _only_call(plan: RewritePlan, value: Value, name: str) -> cst.Call | None:
    terminals = plan.tracer.trace(value).terminals
    only = terminals[0].node if len(terminals) == 1 else None
    module = terminals[0].module if terminals else value.module
    return only if isinstance(only, cst.Call) and short(module.qualified(only.func)) == name else None


def _buffers(plan: RewritePlan, value: Value) -> tuple[_Buffer, ...]:
    """Every descriptor that a pointer may be, when all are over parameters of kernels."""
    found: list[_Buffer] = []
    for terminal in plan.tracer.trace(value).terminals:
        node, module = terminal.node, terminal.module
        if not isinstance(node, cst.Call) or short(module.qualified(node.func)) != "rocdl.make_buffer_ptr":
            return ()
        pointer = node.args[0].value
        var = module.var(pointer) if isinstance(pointer, cst.Name) else None
        binding = module.bindings[var][0] if var is not None else None
        kernel = module.function_of(binding.node) if binding is not None and binding.kind == "param" else None
        if kernel is None or binding is None or not isinstance(binding.node, cst.Param):
            return ()
        found.append(_Buffer(module, node, kernel, binding.node))
    return tuple(found)


def _host(plan: RewritePlan, buffer: _Buffer) -> _Host:
    host = _Host()
    for launcher, param in _launchers(plan, buffer.kernel, buffer.param):
        position = launcher.params.index(param)
        host.spec += _spec_entries(launcher.module, position)
        for module, pointer in _passed(plan, launcher, position):
            _follow_pointer(plan, module, pointer, host)
    return host


def _launchers(plan: RewritePlan, kernel: Function, param: cst.Param) -> Iterator[tuple[Function, cst.Param]]:
    """The launchers that hand one of their parameters on as the kernel's."""
    for call in plan.program.call_sites(kernel) or ():
        module = plan.program.module(call)
        argument = plan.program.argument(kernel, call, param)
        var = module.var(argument) if isinstance(argument, cst.Name) else None
        for binding in module.bindings[var] if var is not None else ():
            launcher = module.function_of(binding.node) if isinstance(binding.node, cst.Param) else None
            if launcher is not None and isinstance(binding.node, cst.Param):
                yield launcher, binding.node


def _passed(plan: RewritePlan, launcher: Function, position: int) -> Iterator[tuple[Module, cst.BaseExpression]]:
    """What host code passes at a position of a launcher: when it calls it, or compiles it."""
    for module in plan.program.modules:
        for call in module.calls:
            args = [arg.value for arg in call.args if arg.keyword is None and not arg.star]
            if short(module.qualified(call.func)) == "compiler.compile" and args:
                reached, args = plan.program.functions_of(module, args[0]), args[1:]
            else:
                reached = plan.program.callees(call)
            if any(function is launcher for function in reached) and position < len(args):
                yield module, args[position]


def _follow_pointer(plan: RewritePlan, module: Module, pointer: cst.BaseExpression, host: _Host) -> None:
    for terminal in plan.tracer.trace(Value(module, pointer)).terminals:
        call = terminal.node
        name = short(terminal.module.qualified(call.func)) if isinstance(call, cst.Call) else ""
        if not isinstance(call, cst.Call) or name != "compiler.from_c_void_p" or len(call.args) != 2:
            host.other = terminal.node
            continue
        host.pointers.append((terminal.module, call))
        address = call.args[1].value
        if isinstance(address, cst.Name) and address.value == "None":
            continue  # a placeholder to compile with
        if isinstance(address, cst.Call) and isinstance(address.func, cst.Attribute):
            trail = plan.tracer.trace(Value(terminal.module, address.func.value, (), terminal.context))
            host.trails.append(trail)
            for tensor in trail.terminals:
                judged = plan.judge(tensor)
                if isinstance(judged, Encoding) and len(judged.leaves) == 1 and judged.bytes[0] is not None:
                    host.encoded.append((tensor, judged))
                else:
                    host.other = tensor.node
        else:
            host.other = address


def _spec_entries(module: Module, position: int) -> list[tuple[Module, cst.Dict]]:
    """The entry of `SPEC["args"]` at a position."""
    for statement in module.tree.body:
        for small in statement.body if isinstance(statement, cst.SimpleStatementLine) else ():
            if not isinstance(small, cst.Assign) or not isinstance(small.value, cst.Dict):
                continue
            target = small.targets[0].target
            args = _entry(small.value, "args") if isinstance(target, cst.Name) and target.value == "SPEC" else None
            if isinstance(args, cst.List) and position < len(args.elements):
                entry = args.elements[position].value
                return [(module, entry)] if isinstance(entry, cst.Dict) else []
    return []


def _entry(made: cst.Dict, key: str) -> cst.BaseExpression | None:
    return next((element.value for element in made.elements if _key(element) == key), None)


def _key(element: cst.BaseDictElement) -> str:
    key = element.key if isinstance(element, cst.DictElement) else None
    return str(key.evaluated_value) if isinstance(key, cst.SimpleString) else ""


def _write_load(plan: RewritePlan, load: _Load) -> None:
    module = load.module
    edits = plan.edits[module.path]
    if load.fragment in edits.edits:
        return
    others = [
        call
        for call in module.calls
        if call is not load.copy
        and short(module.qualified(call.func)) == "copy"
        and _only_call(plan, Value(module, call.args[0].value), "make_copy_atom") is load.atom
    ]
    if others:
        raise RefusalError("CKR213", others[0], "the copy atom of the codes also copies something else")
    fx = plan.fx(module, load.fragment)
    edits.add(load.fragment, lambda node: node)
    edits.put(load.fragment.args[1].value, f"{fx}.Float32")
    edits.put(load.atom.args[0].value, f"{fx}.rocdl.BufferCopy32b()")
    edits.put(load.atom.args[1].value, f"{fx}.Float32")
    for buffer in load.buffers:
        _write_buffer(plan, buffer)


def _write_buffer(plan: RewritePlan, buffer: _Buffer) -> None:
    module, edits = buffer.module, plan.edits[buffer.module.path]
    for arg in buffer.made.args[1:]:
        size = arg.value

        def wider(node: cst.CSTNode) -> cst.CSTNode:
            text = module.code(node)
            return cst.parse_expression(f"{WIDER} * {text if text.isidentifier() else f'({text})'}")

        if size not in edits.edits:
            edits.add(size, wider)


def _write_host(plan: RewritePlan, host: _Host) -> None:
    for module, pointer in host.pointers:
        kind = pointer.args[0].value
        if kind not in plan.edits[module.path].edits:
            plan.edits[module.path].put(kind, f"{plan.fx(module, pointer)}.Float32")
    for value, encoding in host.encoded:
        edits = plan.edits[value.module.path]
        if value.node in edits.edits:
            continue
        node = spelling(plan.program, value, encoding.leaves[0])
        if node is None:
            raise RefusalError("CKR208", value.node, "the fp32 tensor behind this conversion has no name here")
        if _makes_contiguous(plan, value.node):
            text = value.module.code(node)
            edits.put(value.node, f"{text}.contiguous()" if isinstance(node, cst.Name) else f"({text}).contiguous()")
        else:
            edits.replace(value.node, node)
    for module, entry in host.spec:
        if entry not in plan.edits[module.path].edits:
            plan.edits[module.path].add(entry, _fp32_argument)


def _makes_contiguous(plan: RewritePlan, node: cst.CSTNode) -> bool:
    """Whether a conversion also lays its tensor out anew, which has to stay."""
    if isinstance(node, cst.Call):
        if isinstance(node.func, cst.Attribute) and node.func.attr.value == "contiguous":
            return True
        if any(_makes_contiguous(plan, returned) for f in plan.program.callees(node) for returned in f.returns):
            return True
    return any(_makes_contiguous(plan, child) for child in node.children)


def _fp32_argument(node: cst.CSTNode) -> cst.CSTNode:
    """`{"name": ..., "kind": "pointer", "dtype": ..., "encoding": "e8m0"}` -> dtype fp32, no encoding."""
    assert isinstance(node, cst.Dict)
    kept = [
        element.with_changes(value=cst.SimpleString('"fp32"')) if _key(element) == "dtype" else element
        for element in node.elements
        if _key(element) != "encoding"
    ]
    kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    return node.with_changes(elements=kept)
