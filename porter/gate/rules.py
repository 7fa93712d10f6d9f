# SPDX-License-Identifier: Apache-2.0
"""Every kind of failure that the gate knows, each under an id of its own; ids are never reused.

A lint rule states its own beside its check (`porter.gate.lint`); here stand the others.
"""

from __future__ import annotations

from porter.gate import lint
from porter.gate.rule import Rule

RULES = {
    rule.id: rule
    for rule in (
        *lint.stated(),
        Rule(
            "CKG001",
            "drift",
            "A generated file is not what porter writes from the configured inputs.",
            "Run `porter convert` with the inputs and options of [tool.porter] and commit the result.",
        ),
        Rule(
            "CKG002",
            "bad-row",
            "A row of a configured input cannot be read.",
            "Repair the row; its own code and hint say how.",
        ),
        Rule(
            "CKG016",
            "unreadable-kernel",
            "A kernel in scope is missing, is no Python, declares itself wrongly, or has rows that it cannot serve.",
            "Repair the file, or its entry in [tool.porter.kernels].",
        ),
        Rule("CKG020", "compile", "A kernel does not compile.", "The message is the compiler's own."),
        Rule(
            "CKG030",
            "spills",
            "A kernel spills registers.",
            "Use a smaller tile or fewer waves_per_eu; `porter inspect --candidates` shows which fit.",
        ),
        Rule("CKG031", "scratch", "A kernel uses scratch memory.", "Use a smaller tile or fewer waves_per_eu."),
        Rule("CKG032", "lds", "A kernel takes more LDS than its budget.", "Use a smaller tile, or raise the budget."),
        Rule(
            "CKG033", "vgprs", "A kernel takes more VGPRs than its budget.", "Use a smaller tile, or raise the budget."
        ),
        Rule("CKG034", "agpr-moves", "The hot loop moves AGPRs.", "Use a smaller tile or fewer waves_per_eu."),
        Rule(
            "CKG035",
            "census",
            "The hot loop grew past the committed baseline.",
            "Compare the loops with `porter census`; if it is meant, `porter ci --write-baseline` takes it over.",
        ),
        Rule(
            "CKG040",
            "values",
            "The kernel's output differs from CK's contract.",
            "The map in the log shows where. The promote must be `acc = fma(a_scale * b_scale, partial, acc)` in fp32, "
            "and a hand-written kernel must declare its layouts as they are.",
        ),
        Rule(
            "CKG041",
            "machine",
            "The machine found a fault in the kernel's code that a lucky run hides.",
            "The log names both instructions; docs/machine-checks.md explains the code.",
        ),
        Rule(
            "CKG042",
            "rounded-scales",
            "The output is that of scales rounded to powers of two.",
            "Keep the scales in fp32 and promote in software.",
        ),
        Rule(
            "CKG043",
            "packed-fp32",
            "The code holds a form of packed fp32 arithmetic that is reported to fail on the chip.",
            "Compare results on hardware, with signed data and more than once; `packed-fp32` in [tool.porter] sets how "
            "bad this is.",
            "warning",
        ),
        Rule(
            "CKG050",
            "strength",
            "A numeric mutant passes on the very data that passed the kernel, so the proof says nothing.",
            "Give data without powers of two as scales, two or more K blocks, and two or more tiles of M and of N.",
        ),
        Rule(
            "CKG051",
            "coverage",
            "proofs.json, which dispatch goes by, does not say what is proved.",
            "`porter verify` writes it anew; machine code that passed is not run again.",
        ),
        Rule(
            "CKG045",
            "surroundings",
            "A kernel's module asks for what differs between machines; the answers that were tried gave the same code.",
            "Decide by N, K and what `build` is given. Its verdict is not remembered.",
            "warning",
        ),
        Rule(
            "CKG046",
            "host",
            "The kernel's host function does not launch what was proved.",
            "The message says what it hands to the launcher; operands must arrive as SPEC's args name them.",
        ),
        Rule(
            "CKG047",
            "unconfined",
            "Kernels' modules are run without the confinement that this system lacks.",
            "Run the gate on a Linux kernel with Landlock and seccomp before it imports a stranger's kernels.",
            "note",
        ),
        Rule("CKG060", "not-run", "A check could not run.", "Make it run, or allow it by name with `allow-missing`."),
        Rule("CKG061", "nothing-checked", "The gate checked nothing.", "Name inputs or kernels in [tool.porter]."),
    )
}
