# SPDX-License-Identifier: Apache-2.0
"""Packed fp32 arithmetic of a text, by which halves of its sources it takes, and the form that hardware may get wrong.

gfx950 is reported to lose the low lane of `v_pk_fma_f32` with `op_sel:[0,1,0]` now and then: compilers have stopped
emitting it (rocMLIR#2459, merged), and a post-scale of that kind was seen wrong and made scalar (sglang#28685,
rocm-libraries#8639).
Nobody has published why, and no execution on a CPU can show it, so all that is done here is to name it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from oracle.machine.report import Finding, Party, Severity
from oracle.machine.text import Line, read

CODE = "CKM281"
TITLE = "packed fp32 form that hardware may get wrong"
#: Chip -> forms, with whatever op_sel_hi.
REPORTED = {"gfx950": frozenset({"v_pk_fma_f32 op_sel:[0,1,0]"})}

_ARITHMETIC = frozenset({"v_pk_add_f32", "v_pk_fma_f32", "v_pk_mul_f32"})
#: Modifier -> what each of its bits is where nothing is written.
_USUAL = {"op_sel": "0", "op_sel_hi": "1"}


def form(line: Line) -> str:
    """Mnemonic and operand selection, as LLVM writes them: without what is usual. Empty for any other instruction."""
    if line.mnemonic not in _ARITHMETIC:
        return ""
    bits = {name: re.findall(r"\d", value) for name, _, value in (text.partition(":") for text in line.modifiers)}
    kept = [
        f"{name}:[{','.join(bits[name])}]" for name, usual in _USUAL.items() if set(bits.get(name, usual)) != {usual}
    ]
    return " ".join([line.mnemonic, *kept])


def forms(lines: Iterable[Line]) -> dict[str, int]:
    """How often each form stands in the lines, the most frequent first."""
    counts = Counter(filter(None, map(form, lines)))
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def reported(isa: str, arch: str) -> tuple[Finding, ...]:
    """CKM281 of low severity, one for each form of an ISA text that is reported to fail on `arch`, at its first
    instruction. Raises MachineError for text that cannot be read."""
    doubtful = REPORTED.get(arch, frozenset())
    squeezed = isa.replace(" ", "")
    if not any(name.partition(" ")[2] in squeezed for name in doubtful):
        return ()
    places: dict[str, list[Line]] = {}
    for line in read(isa).lines:
        name = form(line).partition(" op_sel_hi")[0]
        if name in doubtful:
            places.setdefault(name, []).append(line)
    return tuple(_finding(name, arch, found) for name, found in places.items())


def _finding(name: str, arch: str, found: list[Line]) -> Finding:
    first = found[0]
    where = Party(first.text, first.number, first.pc or 0, 0, 0)
    text = f"{name}: {arch} is reported to lose its low lane now and then, which no run on a CPU shows"
    return Finding(CODE, Severity.LOW, TITLE, text, where, None, 0, len(found))
