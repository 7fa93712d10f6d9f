# SPDX-License-Identifier: Apache-2.0
"""`porter rewrite`."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from porter.cli_common import FORMAT, guarded


@click.command()
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True, dir_okay=False))
@click.option("--check", is_flag=True, help="Write nothing; exit 1 if a file would change.")
@click.option("--diff", "show_diff", is_flag=True, help="Write nothing; print the changes.")
@click.option("--rule", "rules", multiple=True, metavar="ID", help="Only this rule (CKR...); may be repeated.")
@click.option("--schedule", type=click.Choice(["inline", "cluster"]), default="inline", show_default=True)
@click.option("--weights", "nk", metavar="NxK", help="Compile rewritten kernels for this shape of B before writing.")
@FORMAT
@guarded
def rewrite(
    paths: tuple[Path, ...],
    check: bool,
    show_diff: bool,
    rules: tuple[str, ...],
    schedule: str,
    nk: str | None,
    form: str,
) -> None:
    """Replace native E8M0 scaling in FlyDSL kernels by a software promote in fp32.

    Files that import each other are rewritten together when all are named. What cannot be proved is refused, with the
    place and a hint, and stays as it is.
    """
    from porter import display
    from porter.prove import parse_nk
    from porter.repair import repair
    from porter.rewrite_rules import Schedule

    result = repair(paths, rules, Schedule(schedule), parse_nk(nk) if nk else None)
    if show_diff:
        click.echo(result.diff(), nl=False)
    if not (check or show_diff):
        result.write()
    if form == "json":
        click.echo(json.dumps(result.to_json(), indent=2))
    elif not show_diff:
        display.repair(result, written=not check)
    sys.exit(result.exit_code(check))
