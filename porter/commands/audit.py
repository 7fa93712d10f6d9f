# SPDX-License-Identifier: Apache-2.0
"""`porter audit`."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import ARCH, FORMAT, PLACES, emit, guarded, say

if TYPE_CHECKING:
    from porter.predict.audit import AuditOutput, Finding


def calibration_option(command: click.decorators.FC) -> click.decorators.FC:
    """--calibration, the models to go by."""
    return click.option(
        "--calibration",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Models that porter predict --fit wrote; default: those fitted to aiter's tables.",
    )(command)


@click.command()
@click.argument("tables", nargs=-1, required=True, type=click.Path(path_type=Path))
@calibration_option
@ARCH
@click.option("--strict", is_flag=True, help="Exit 1 when a row looks mistuned.")
@click.option("--verbose", "-v", is_flag=True, help="Show every row.")
@FORMAT
@guarded
def audit(
    tables: tuple[Path, ...], calibration: Path | None, arch: str, strict: bool, verbose: bool, form: str
) -> None:
    """Find rows of tuned tables that look mistuned: slower than models, twins or larger shapes say.

    The times are the tables' own; a finding says that a row deserves another measurement, and why.
    """
    from porter.ck_parser import read_files
    from porter.predict import calibration as calibrations
    from porter.predict.audit import audit as run

    models = calibrations.read(calibration) if calibration else calibrations.read()
    found = run(read_files(tables, arch=arch), models)
    if form == "json":
        emit(found)
    else:
        show(found, verbose)
    sys.exit(found.exit_code(strict))


def show(found: AuditOutput, verbose: bool) -> None:
    """The findings of each code, the worst first."""
    from porter.codes import STATED

    by_code: dict[str, list[Finding]] = {}
    for finding in found.findings:
        by_code.setdefault(finding.code, []).append(finding)
    for code, findings in sorted(by_code.items()):
        say(f"{len(findings)} x {STATED[code]} [{code}]")
        for item in findings if verbose else findings[:PLACES]:
            shape = f"{item.m}x{item.n}x{item.k}"
            say(f"  {item.path}:{item.line}: {shape} {item.us:g} us measured, {item.other:.1f} us {item.what}")
        if not verbose and len(findings) > PLACES:
            say(f"  and {len(findings) - PLACES} more: -v")
    rows = len({(finding.path, finding.line) for finding in found.findings})
    say(f"porter audit: {rows} of {found.rows} measured rows look mistuned; a model judged {found.judged} of them")
