# SPDX-License-Identifier: Apache-2.0
"""Every code of the oracle (CKM) and what it means: errors, findings of runs, hazards, the static check of waits."""

from __future__ import annotations

#: Errors: a program, a launch or an installation that cannot be used. `oracle.machine.errors` has their types.
ERRORS: dict[str, str] = {
    "CKM010": "the file cannot be read, or holds no instruction",
    "CKM011": "a line of ISA text that cannot be read",
    "CKM012": "a kernel's descriptor or metadata is damaged or missing",
    "CKM013": "the architecture is not known, or not the one asked for",
    "CKM014": "the code object is damaged, or not one for this machine",
    "CKM015": "the machine's compiled core was built from other instruction tables",
    "CKM016": "the machine's compiled core is missing or cannot be loaded",
    "CKM017": "the reference's compiled steps cannot be loaded",
    "CKM018": "an object without tables of the CK instance it was built of, or with damaged ones",
    "CKM020": "a mnemonic that the tables do not have",
    "CKM021": "operands that the instruction does not take",
    "CKM022": "a modifier that the instruction does not take, or that is not modelled",
    "CKM023": "a branch to where no instruction is",
    "CKM024": "an immediate or a counter out of range",
    "CKM025": "an instruction whose effect no document states",
    "CKM026": "register indexing past the kernel's registers",
    "CKM030": "llvm-objdump is missing, or too old",
    "CKM101": "memory that a launch cannot use",
    "CKM102": "arguments that do not fit the kernel",
    "CKM103": "a grid or block that the kernel cannot have",
    "CKM104": "more LDS, kernarg or scratch than there is",
    "CKM105": "a mode that does not exist",
    "CKM106": "a shape that CK itself does not run with this instance",
    "CKM111": "a trap, or a halt",
    "CKM112": "a jump out of the program",
    "CKM113": "a wave does not end",
    "CKM114": "a hardware register that is not modelled",
    "CKM115": "a buffer descriptor that is not modelled",
    "CKM116": "EXEC leaves out lanes that the instruction needs",
}


def meanings() -> dict[str, str]:
    """Code -> what it means, for all of them."""
    from oracle import packed_fp32
    from oracle.machine import hazards, report
    from oracle.waits import CODES, Undecided

    findings = {f"CKM{code}": title for table in (report.CODES, CODES) for code, (_, title, _) in table.items()}
    return (
        ERRORS
        | findings
        | hazards.TITLES
        | {Undecided.code: "a place that the check of waits cannot decide", packed_fp32.CODE: packed_fp32.TITLE}
    )
