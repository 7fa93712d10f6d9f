# SPDX-License-Identifier: Apache-2.0
"""`porter census`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from porter.cli_common import FORMAT, guarded, manifest_option
from porter.errors import InputError


@click.command()
@click.argument("kernel")
@manifest_option("Where a kernel name is looked up.")
@click.option("--weights", "nk", metavar="NxK", help="Shape of B to compile for; default: two tiles, 32 K blocks.")
@FORMAT
@guarded
def census(kernel: str, manifest: Path, nk: str | None, form: str) -> None:
    """Count what stands in the hot loop of KERNEL, and the resources that it takes.

    KERNEL is a module, a name in the manifest, or a file of ISA text (.s).
    """
    from porter import census as counting
    from porter import display
    from porter.kernel_spec import KernelSpec
    from porter.prove import parse_nk, resolve
    from porter.toolchain import CompileRequest, KernelSource, compile_kernel

    if kernel.endswith(".s"):
        found = counting.take(_read(Path(kernel)), kernel)
    else:
        path = resolve(kernel, manifest)
        spec = KernelSpec.of_kernel_or_twin(path.stem)
        n, k = parse_nk(nk) if nk else counting.reference_nk(spec)
        compiled = compile_kernel(CompileRequest(KernelSource.from_file(path), n, k, spec.arch))
        found = counting.take(compiled.isa, spec.name, spec)
    if form == "json":
        data = {"schema": "porter/census/1", "kernels": [item.to_json() for item in found]}
        click.echo(json.dumps(data, indent=2))
    else:
        display.census(found)


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError("CKT020", f"{path}: cannot be read as text: {error}") from error
