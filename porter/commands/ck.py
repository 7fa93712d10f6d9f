# SPDX-License-Identifier: Apache-2.0
"""`porter ck`."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from porter.commands.common import ARCH, FORMAT, P, R, emit, guarded, progress, say
from porter.errors import ExitCode


def ck_option(command: Callable[P, R]) -> Callable[P, R]:
    """--ck, where CK's source lies."""
    return click.option(
        "--ck",
        "ck_source",
        metavar="PATH",
        envvar="PORTER_CK",
        help="CK's source: a checkout of it or of aiter, or the amd-aiter wheel.  [env: PORTER_CK]",
    )(command)


@click.group()
def ck() -> None:
    """Composable Kernel's own kernels: build them without ROCm."""


@ck.command()
@click.argument("instances", nargs=-1, required=True)
@ck_option
@ARCH
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default="build/ck",
    show_default=True,
    help="Folder for the objects.",
)
@click.option("--keep-denormals", is_flag=True, help="As CK's own build has it; aiter's flushes fp32 denormals.")
@click.option("--jobs", type=click.IntRange(min=1), help="Builds at once; default: what CPUs and free memory allow.")
@click.option("--timeout", type=float, default=900.0, show_default=True, help="Seconds a build may take.")
@FORMAT
@guarded
def build(
    instances: tuple[str, ...],
    ck_source: str | None,
    arch: str,
    out: Path,
    keep_denormals: bool,
    jobs: int | None,
    timeout: float,
    form: str,
) -> None:
    """Compile CK's own kernels to code objects, for the device alone, with a stock clang.

    INSTANCE is a kernelName, an id of aiter's lists such as plain:7, or a table. What was built before is taken from
    the cache. Beside each object lies a file that says what made it.
    """
    from dataclasses import replace

    from porter.ck_objects import build as building
    from porter.ck_objects import tree
    from porter.ck_objects.resolve import requests

    source = tree.find(ck_source)
    wanted, notes = requests(instances, source, arch)
    wanted = [replace(request, keep_denormals=keep_denormals) for request in wanted]
    with progress("building", form, len(wanted)) as step:
        results = building.build(wanted, source, out, jobs, timeout, lambda ended: step(ended.news))
    failed = sum(isinstance(result, building.Failed) for result in results)
    if form == "json":
        emit(building.output(results, notes))
    else:
        for note in notes:
            say(f"not built: {note}")
        state = f", {failed} FAILED" if failed else ""
        say(f"porter ck build: {len(results) - failed} objects in {out}{state}")
    sys.exit(ExitCode.FINDINGS if failed else ExitCode.GOOD)
