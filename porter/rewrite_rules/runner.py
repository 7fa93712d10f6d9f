# SPDX-License-Identifier: Apache-2.0
"""Rewrites files: text in, outcomes out. Nothing of a file is imported or run."""

from __future__ import annotations

import difflib
import gc
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import libcst as cst

from porter.errors import InputError, SourceSpan
from porter.rewrite_rules.engine.edits import remove_unused
from porter.rewrite_rules.engine.names import RAW_SCALED, SCALED_ATOMS
from porter.rewrite_rules.engine.plan import RewritePlan
from porter.rewrite_rules.engine.program import Module, Program, names_in
from porter.rewrite_rules.engine.refusal import HINTS, RefusalError
from porter.rewrite_rules.outcome import Failed, Outcome, Refused, Rewritten, Unchanged
from porter.rewrite_rules.rule import RewriteRule, all_rules


def select_rules(ids: Iterable[str] | None = None) -> tuple[RewriteRule, ...]:
    """The rules that run: those named, or all that are not optional.

    Raises InputError CKR001 for an id that no rule has.
    """
    rules = all_rules()
    if ids is None:
        return tuple(rule for rule in rules if not rule.OPTIONAL)
    wanted = set(ids)
    unknown = sorted(wanted - {rule.ID for rule in rules})
    if unknown:
        known = ", ".join(rule.ID for rule in rules)
        raise InputError("CKR001", f"no rewrite rule {', '.join(unknown)}", hint=f"rules: {known}")
    return tuple(rule for rule in rules if rule.ID in wanted)


def rewrite_paths(
    paths: Sequence[Path], *, rules: Sequence[RewriteRule] | None = None, clustered: bool = False
) -> list[Outcome]:
    """One outcome for each file, in the order given; the files are read together, and none is written.

    Files that import each other by name are rewritten as one. A file that cannot be read or parsed is Failed.
    """
    texts: dict[str, str] = {}
    failed: dict[str, Outcome] = {}
    for path in paths:
        try:
            texts[str(path)] = path.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            failed[str(path)] = Failed(str(path), f"cannot be read: {error}")
    outcomes = rewrite_sources(texts, rules=rules, clustered=clustered)
    return [failed.get(str(path)) or outcomes[str(path)] for path in paths]


def rewrite_sources(
    texts: Mapping[str, str], *, rules: Sequence[RewriteRule] | None = None, clustered: bool = False
) -> dict[str, Outcome]:
    """Like rewrite_paths, over texts by the path that names them."""
    chosen = tuple(rules) if rules is not None else select_rules()
    outcomes: dict[str, Outcome] = {}
    modules: list[Module] = []
    with _collector_paused():
        for path, text in texts.items():
            try:
                modules.append(Module(path, text))
            except cst.ParserSyntaxError as error:
                where = SourceSpan(path, error.editor_line, error.editor_column)
                outcomes[path] = Failed(path, f"{where}: not Python: {error.message}")
            except Exception as error:  # a bug of the parser must not take the other files down
                outcomes[path] = Failed(path, f"cannot be parsed: {type(error).__name__}: {error}")
        for group in _linked(modules):
            try:
                outcomes.update(_rewrite(group, chosen, clustered))
            except RecursionError:
                outcomes.update({m.path: Failed(m.path, "nested too deeply to be followed") for m in group})
    return {path: outcomes[path] for path in texts}


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Syntax trees are hundreds of thousands of objects that all live to the end; collecting meanwhile only costs."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _linked(modules: list[Module]) -> list[list[Module]]:
    """Modules in groups that import each other."""
    group = {module.name: {module.name} for module in modules}
    for module in modules:
        for var, bindings in module.bindings.items():
            for part in module.imported(var).split(".") if bindings[0].kind == "import" else ():
                if part in group and part != module.name:
                    merged = group[module.name] | group[part]
                    for name in merged:
                        group[name] = merged
    seen: list[set[str]] = []
    for names in group.values():
        if names not in seen:
            seen.append(names)
    return [[module for module in modules if module.name in names] for names in seen]


def diff(before: str, outcome: Rewritten) -> str:
    """Unified diff from a file's text to its rewritten one."""
    lines = (before.splitlines(keepends=True), outcome.text.splitlines(keepends=True))
    return "".join(difflib.unified_diff(*lines, f"a/{outcome.path}", f"b/{outcome.path}"))


def native_scaling(isa: str) -> list[tuple[int, str]]:
    """(line number, text) of every scaled MFMA in ISA text: what a rewritten kernel must not compile to."""
    lines = enumerate(isa.splitlines(), start=1)
    return [(number, line.strip()) for number, line in lines if line.lstrip().startswith("v_mfma_scale_")]


def _rewrite(modules: list[Module], rules: tuple[RewriteRule, ...], clustered: bool) -> dict[str, Outcome]:
    program = Program(modules)
    plan = RewritePlan(program, all_rules(), {rule.ID for rule in rules}, clustered)
    try:
        plan.run()
        texts = {m.path: plan.edits[m.path].apply() for m in modules if plan.edits[m.path]}
    except RefusalError as refusal:
        return _refused(program, refusal)
    try:
        after = {m.path: Module(m.path, texts[m.path]) if m.path in texts else m for m in modules}
        broken = _remaining(list(after.values()), plan) if texts else ""
    except cst.ParserSyntaxError as error:
        after, broken = {}, f"the rewritten text is not Python: {error.message}"
    if texts and not broken:
        texts = {m.path: remove_unused(m, after[m.path]) for m in modules if m.path in texts}
        _drop_unimported(program, texts)
        texts = {m.path: _formatted(m, texts[m.path]) for m in modules if m.path in texts}
    outcomes: dict[str, Outcome] = {}
    for module in modules:
        path = module.path
        if path not in texts:
            outcomes[path] = Unchanged(path, plan.reasons(module) or (_nothing(program, module),))
        elif broken:
            outcomes[path] = Failed(path, broken)
        else:
            sites = tuple(module.span(site.call) for site in plan.written if site.module is module)
            used = tuple(sorted(plan.used[path]))
            outcomes[path] = Rewritten(path, texts[path], used, sites, plan.reasons(module))
    return outcomes


def _remaining(after: list[Module], plan: RewritePlan) -> str:
    """The check of the source after a rewrite: the same rules must find nothing left to do; else what they find."""
    again = RewritePlan(Program(after), plan.rules, plan.selected, plan.clustered)
    try:
        again.run()
    except RefusalError as refusal:
        return f"the rewritten text is refused: {refusal.why} [{refusal.code}]"
    left = [str(site.module.span(site.call)) for site in again.written]
    return f"scaled MFMAs remain after the rewrite: {', '.join(left)}" if left else ""


def _drop_unimported(program: Program, texts: dict[str, str]) -> None:
    """Helpers that only other files used, and no longer do, go from the files they stand in."""
    for module in program.modules:
        others = [other for other in program.modules if other is not module]
        imported = {
            found[1].name
            for other in others
            for var in other.bindings
            if (found := program.sibling(other.imported(var))) is not None and found[0] is module
        }
        if not imported:
            continue
        named = names_in([cst.parse_module(texts[o.path]) if o.path in texts else o.tree for o in others])
        lost = imported - named
        if lost:
            now = Module(module.path, texts.get(module.path, module.text))
            texts[module.path] = remove_unused(module, now, lost)


def _refused(program: Program, refusal: RefusalError) -> dict[str, Outcome]:
    """A refusal holds for every file of a program: none is rewritten without the others."""
    where = program.module(refusal.node).span(refusal.node)
    hint = HINTS[refusal.code]
    return {m.path: Refused(m.path, refusal.code, where, refusal.why, hint) for m in program.modules}


def _nothing(program: Program, module: Module) -> str:
    """Why a file without a site has none, as far as it shows."""
    names = {name.rpartition(".")[2] for name in (*RAW_SCALED, *SCALED_ATOMS)}
    if any(name in module.text for name in names):
        return "a scaled MFMA is named, but none is called here"
    imported = {name for var in module.bindings if (name := module.imported(var)).startswith(".")}
    missing = sorted(name for name in imported if program.sibling(name) is None)
    note = f"; it imports {', '.join(missing)}, which was not given" if missing else ""
    return f"no scaled MFMA in this file{note}"


def _formatted(module: Module, text: str) -> str:
    """A file that was clean under black stays so where black is installed; any other keeps its own style."""
    try:
        import black
    except ImportError:
        return text
    for length in (120, 88):
        mode = black.Mode(line_length=length)
        if black.format_str(module.text, mode=mode) == module.text:
            return black.format_str(text, mode=mode)
    return text
