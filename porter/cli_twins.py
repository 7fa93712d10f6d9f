# SPDX-License-Identifier: Apache-2.0
"""`porter twins`."""

from __future__ import annotations

import json
from pathlib import Path

import click

from porter.cli_common import FORMAT, guarded, manifest_option


@click.command()
@click.argument("kernel")
@manifest_option("Where a kernel name is looked up.")
@click.option("--out", type=click.Path(path_type=Path, file_okay=False), default="build/twins", show_default=True)
@FORMAT
@guarded
def twins(kernel: str, manifest: Path, out: Path, form: str) -> None:
    """Write measurement-only siblings of KERNEL: promote-free, unscaled, other orders, no loads. Not for use.

    KERNEL is a module or a name in the manifest. Benchmarks call a twin's build(N, K); its host function refuses, and
    dispatch never names it.
    """
    from porter import display
    from porter.kernel_spec import KernelSpec
    from porter.prove import resolve
    from porter.twins import twins as run
    from porter.twins import write

    spec = KernelSpec.parse(resolve(kernel, manifest).stem)
    made = run(spec)
    write(out, made)
    if form == "json":
        listed = [{"kind": twin.kind, "name": twin.name, "what": twin.what} for twin in made]
        data = {"schema": "porter/twins/1", "kernel": spec.name, "out": str(out), "twins": listed}
        click.echo(json.dumps(data, indent=2))
    else:
        display.twins(spec, made, out)
