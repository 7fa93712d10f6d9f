# SPDX-License-Identifier: Apache-2.0
"""The base of every JSON file and output: a frozen record, from which the text and the published schema both follow.

A record is declared beside what makes it. It is filled from an object that has attributes of the same names (`made`),
so nothing is listed twice. A dataclass may stand inside a record where its fields are what the output says.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Annotated, Any, TypeVar, cast

import msgspec
from msgspec import Meta

from porter.problem import TARGETS

#: A number of things, a size that is never 0, a real quantity, a chip, and the hex digits of a sha256.
Count = Annotated[int, Meta(ge=0)]
Size = Annotated[int, Meta(ge=1)]
Amount = Annotated[float, Meta(ge=0)]
Arch = Annotated[str, Meta(pattern=f"^({'|'.join(TARGETS)})$")]
Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON object of exactly these members. That of a whole file or output has its schema's name as tag."""


class Shown(str):
    """Text of something that is no text in memory: a place, a path."""


R = TypeVar("R", bound=Record)

#: Longer lines of a file are broken where they can be.
COLUMNS = 120


def made(record: type[R], *sources: object, **members: object) -> R:
    """A record of these members; the others are attributes of the same names of the first source that has one.

    What stands inside is made in the same way, from attributes alone.
    """
    found: dict[str, object] = {}
    for field in msgspec.structs.fields(record):
        where = next((source for source in sources if hasattr(source, field.name)), None)
        if field.name in members or where is not None:
            found[field.encode_name] = members[field.name] if field.name in members else getattr(where, field.name)
    return msgspec.convert(found, record, from_attributes=True, dec_hook=lambda _, value: Shown(value))


class OtherForm(ValueError):
    """JSON whose `schema` is another."""


class _Form(msgspec.Struct):
    schema: str = ""


def form(content: bytes) -> str:
    """What the `schema` member of a JSON file says, empty where it has none. Raises ValueError, RecursionError."""
    return msgspec.json.decode(content, type=_Form).schema


def read(record: type[R], content: bytes) -> R:
    """A record with a tag, from the JSON of a file.

    Raises OtherForm, ValueError, RecursionError with what was expected and where: another form, no JSON, a damaged
    member.
    """
    if (found := form(content)) != name(record):
        raise OtherForm(f"the schema is {found!r}, expected {name(record)!r}")
    return msgspec.json.decode(content, type=record)


def plain(record: object) -> Any:
    """The record as dicts, lists, texts and numbers."""
    return msgspec.to_builtins(record, enc_hook=str)


def text(record: object) -> str:
    """The record as JSON, a member a line, in ASCII; without a line feed at the end."""
    return json.dumps(plain(record), indent=2)


def laid_out(value: Any, indent: str = "") -> str:
    """JSON whose objects and lists are broken where they do not fit into a line; a list that starts with a number is
    never broken."""
    line = json.dumps(value)
    row = isinstance(value, list | tuple) and value and isinstance(value[0], int)
    if not isinstance(value, dict | list | tuple) or row or len(indent) + len(line) <= COLUMNS:
        return line
    inner = indent + " "
    if isinstance(value, dict):
        parts = [f"{json.dumps(key)}: {laid_out(item, inner)}" for key, item in value.items()]
        return "{\n" + ",\n".join(inner + part for part in parts) + f"\n{indent}}}"
    return "[\n" + ",\n".join(inner + laid_out(item, inner) for item in value) + f"\n{indent}]"


def name(record: type[Record]) -> str:
    """`porter/verify/1`: what the record's `schema` member says."""
    return cast(str, record.__struct_config__.tag)


def schema(record: type[Record]) -> dict[str, Any]:
    """JSON Schema, draft 2020-12, of a whole file or output, its parts under $defs.

    It is closed, and says what is always there: a default is left out only by records that omit defaults. The record's
    docstring is `title: description`.
    """
    (_,), parts = msgspec.json.schema_components([record], schema_hook=lambda _: {"type": "string"})
    omitting = {each.__name__ for each in below(Record) if each.__struct_config__.omit_defaults}
    for part_name, part in parts.items():
        if "properties" in part:
            part["additionalProperties"] = False
        if part_name not in omitting:
            defaults = [name for name, member in part.get("properties", {}).items() if "default" in member]
            part["required"] = [*part.get("required", ()), *defaults]
    top = parts.pop(record.__name__)
    title, _, description = " ".join(top.pop("description").split()).partition(": ")
    head = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "description": description[0].upper() + description[1:],
    }
    if record.__struct_config__.tag_field == "schema":
        top["properties"]["schema"] = {"const": name(record)}
    return {**head, **top, **head, **({"$defs": parts} if parts else {})}


def below(record: type[Record]) -> Iterator[type[Record]]:
    """Every record that is derived from this one."""
    for each in record.__subclasses__():
        yield each
        yield from below(each)
