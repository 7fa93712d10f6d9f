# SPDX-License-Identifier: Apache-2.0
"""`porter twins`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import FORMAT, emit, guarded, manifest_option, say

if TYPE_CHECKING:
    from porter.kernel_spec import KernelSpec
    from porter.measure.twins import Twin


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
    from porter.kernel_spec import KernelSpec
    from porter.measure.twins import TwinsOutput, write
    from porter.measure.twins import twins as run
    from porter.proof.kernels import resolve
    from porter.records import made

    spec = KernelSpec.parse(resolve(kernel, manifest).stem)
    written = run(spec)
    write(out, written)
    if form == "json":
        emit(made(TwinsOutput, kernel=spec.name, out=str(out), twins=written))
    else:
        show(spec, written, out)


def show(spec: KernelSpec, made: Sequence[Twin], out: Path) -> None:
    """`porter twins` as text: a line for every twin."""
    for twin in made:
        say(f"{twin.kind:18} {twin.what}")
    say(f"porter twins: {len(made)} twins of {spec.name} written to {out}; for measurements, not for use")
