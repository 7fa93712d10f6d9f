# SPDX-License-Identifier: Apache-2.0
"""`porter rule`."""

from __future__ import annotations

from collections.abc import Iterator

import click

from porter.codes import FAMILIES, RETIRED, STATED, Code, RuleOutput
from porter.commands.common import FORMAT, emit, guarded, say
from porter.errors import InputError


def codes() -> dict[str, Code]:
    """Every code of porter, sorted: those of rules and checks from where they are stated, and all others."""
    found = sorted(_codes(), key=lambda code: code.id)
    return {code.id: code for code in found}


def _codes() -> Iterator[Code]:
    import oracle.codes
    from porter.gate.rules import RULES
    from porter.rewrite_rules import all_rules
    from porter.rewrite_rules.engine.refusal import HINTS

    for table in (STATED, oracle.codes.meanings()):
        yield from (Code(name, meaning) for name, meaning in table.items())
    yield Code("CKR001", "no such rewrite rule")
    yield from (Code(rule.ID, rule.TITLE) for rule in all_rules())
    yield from (Code(name, "a rewrite is refused", hint) for name, hint in HINTS.items())
    yield from (Code(rule.id, rule.summary, rule.help) for rule in RULES.values())


def page_of(code: str) -> str:
    """The page that lists a code's family, from the repository's root."""
    return f"docs/codes/{code[:3]}.md"


@click.command()
@click.argument("code")
@FORMAT
@guarded
def rule(code: str, form: str) -> None:
    """Say what CODE means, such as CKM204: of an error, a verdict, a finding or a rule."""
    name = code.upper()
    known = codes()
    if name in RETIRED:
        raise InputError(
            "CKV007", f"{name} is not used any more", hint=RETIRED[name] and f"since 0.1.0 it is {RETIRED[name]}"
        )
    if name not in known:
        hint = f"families: {', '.join(FAMILIES)}; docs/codes lists all"
        raise InputError("CKV007", f"{code}: no such code", hint=hint)
    found = known[name]
    if form == "json":
        emit(RuleOutput(found.id, FAMILIES[found.id[:3]], found.meaning, found.help, page_of(found.id)))
        return
    say(f"{found.id}  {found.meaning}")
    if found.help:
        say(f"  help: {found.help}")
    say(f"  {FAMILIES[found.id[:3]]}; {page_of(found.id)}")
