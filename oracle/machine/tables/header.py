# SPDX-License-Identifier: Apache-2.0
"""core/abi.h: the opcodes, numbers and records that Python and the C core share, and the digest that compares them."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

from . import OPCODES
from .layout import ENUMERATIONS, LAYOUTS, Layout
from .records import Documented


def digest() -> str:
    """SHA-256, in hex, of everything whose change asks for a new core: opcodes in order, numbers, layouts."""
    described = [
        *OPCODES,
        *(f"{tag}.{m.name}={m.value}" for tag, (_, numbers, _) in ENUMERATIONS.items() for m in numbers),
        *(f"{layout.name}.{f.name}:{f.c.type}[{f.c.length}]@{f.offset}" for layout in LAYOUTS for f in layout.fields),
    ]
    return hashlib.sha256("\n".join(described).encode()).hexdigest()


def header() -> str:
    """Text of core/abi.h."""
    lines = [
        "/* SPDX-License-Identifier: Apache-2.0 */",
        "/* Written by `python oracle/machine/tables` from the tables in that folder; do not edit. */",
        "#ifndef ABI_H",
        "#define ABI_H",
        "#include <stddef.h>",
        "#include <stdint.h>",
        "",
        "typedef uint8_t u8;",
        "typedef uint16_t u16;",
        "typedef uint32_t u32;",
        "typedef uint64_t u64;",
        "typedef int8_t i8;",
        "typedef int16_t i16;",
        "typedef int32_t i32;",
        "typedef int64_t i64;",
        "",
        "/* Of all that follows; `binding.py` compares it with its own at import. */",
        f'#define ABI_DIGEST "{digest()}"',
        *(
            line
            for tag, (prefix, numbers, count) in ENUMERATIONS.items()
            for line in _enum(tag, prefix, numbers, count)
        ),
        *(line for layout in LAYOUTS for line in _record(layout)),
        "",
        "enum opcode {",
        *(f"    OP_{name}," for name in OPCODES),
        "    OPCODE_COUNT",
        "};",
        "#define OPCODE_NAMES \\",
        *(f'    "{name}", \\' for name in OPCODES),
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _enum(tag: str, prefix: str, numbers: type[Documented], count: str) -> Iterator[str]:
    yield ""
    yield f"/* {_summary(numbers.__doc__)} */"
    yield f"enum {tag} {{"
    for member in numbers:
        yield f"    {prefix}{member.name} = {member.value}," + (f" /* {member.comment} */" if member.comment else "")
    if count:
        yield f"    {count}"
    yield "};"


def _record(layout: Layout) -> Iterator[str]:
    yield ""
    yield f"/* {_summary(layout.comment)} */"
    yield "typedef struct {"
    for field in layout.fields:
        array = f"[{field.c.length}]" if field.c.length else ""
        yield f"    {field.c.type} {field.name}{array};" + (f" /* {field.c.comment} */" if field.c.comment else "")
    yield f"}} {layout.name};"
    for field in layout.fields:
        yield f'_Static_assert(offsetof({layout.name}, {field.name}) == {field.offset}, "{layout.name}.{field.name}");'
    yield f'_Static_assert(sizeof({layout.name}) == {layout.size}, "{layout.name}");'


def _summary(text: str | None) -> str:
    return " ".join((text or "").split())
