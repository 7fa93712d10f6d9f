# SPDX-License-Identifier: Apache-2.0
"""The machine: executes compiled gfx950 and gfx942 code on a CPU and checks every hazard on the way.

    program = load("kernel.s")
    memory = Memory()
    c = memory.place(output, "C")
    a = memory.place(x, "A", writable=False)
    report = program.launch(grid=(16, 8), block=(256,), kernarg=[c, a, 1024], memory=memory, mode=Mode(checks=True))

`load` takes ISA text (FlyDSL, LLVM, llvm-objdump) or a code object. `Memory` holds numpy arrays; stores are seen in
them. `Mode` says how loads land, which buffer-range rule holds, in which order waves run, and what is checked. `Report`
has findings (codes CKM2##), counters and time; it is the same for any number of threads. Workgroups run one at a time a
thread: programs that wait for another workgroup do not end. Nothing here knows what a kernel computes.
"""

from __future__ import annotations

from .errors import DisassemblerMissing, ExecutionError, LaunchError, MachineError, ProgramError
from .memory import Memory, Region
from .metadata import Argument, Descriptor, Kernel
from .program import BUFFER_RANGES, LANDINGS, ORDERS, Mode, Program, Value, load
from .report import Cause, Counters, Finding, Party, Report, Requests, Severity, causes

__all__ = [
    "BUFFER_RANGES",
    "LANDINGS",
    "ORDERS",
    "Argument",
    "Cause",
    "Counters",
    "Descriptor",
    "DisassemblerMissing",
    "ExecutionError",
    "Finding",
    "Kernel",
    "LaunchError",
    "MachineError",
    "Memory",
    "Mode",
    "Party",
    "Program",
    "ProgramError",
    "Region",
    "Report",
    "Requests",
    "Severity",
    "Value",
    "causes",
    "load",
]
