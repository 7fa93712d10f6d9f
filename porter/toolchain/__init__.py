# SPDX-License-Identifier: Apache-2.0
"""The only room that knows how FlyDSL is driven: source text and a target in, machine code out, one child a kernel."""

from porter.toolchain.compile import (
    CExport,
    CompiledKernel,
    CompileRequest,
    KernelSource,
    compile_kernel,
    compile_many,
    record_host,
)
from porter.toolchain.launch import Launch
from porter.toolchain.tools import ToolStatus, find_linker, find_objcopy, find_tools, flydsl_version

__all__ = [
    "CExport",
    "CompileRequest",
    "CompiledKernel",
    "KernelSource",
    "Launch",
    "ToolStatus",
    "compile_kernel",
    "compile_many",
    "find_linker",
    "find_objcopy",
    "find_tools",
    "flydsl_version",
    "record_host",
]
