# SPDX-License-Identifier: Apache-2.0
"""`porter ci`: the gate in front of a main branch."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import FORMAT, console, emit, guarded, progress

if TYPE_CHECKING:
    from porter.gate.result import Check, GateResult

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.option(
    "--config",
    "path",
    type=_FILE,
    default="pyproject.toml",
    show_default=True,
    help="File with [tool.porter]; all paths in it are relative to its folder.",
)
@click.option("--changed-since", metavar="REF", help="Prove only kernels that differ from a git revision.")
@click.option("--no-drift", is_flag=True, help="Do not compare generated files with what porter would write.")
@click.option("--jobs", type=click.IntRange(min=1), help="Threads of the machine and compiling processes.")
@click.option("--sarif", type=_FILE, help="Write findings as SARIF 2.1.0.")
@click.option("--junit", type=_FILE, help="Write checks as JUnit XML.")
@click.option("--write-baseline", is_flag=True, help="Compile all kernels, write the census baseline, and stop.")
@FORMAT
@guarded
def ci(
    path: Path,
    changed_since: str | None,
    no_drift: bool,
    jobs: int | None,
    sarif: Path | None,
    junit: Path | None,
    write_baseline: bool,
    form: str,
) -> None:
    """Check generated and hand-written kernels: drift, lint, compiling, budget, proof, and the proof's strength.

    What is checked stands in [tool.porter]. Exit code 1 for any finding, for any check that could not run and is not
    allowed to be missing, and for a run that checked nothing. On GitHub Actions it annotates and writes a summary.
    """
    from msgspec.structs import replace

    from porter.errors import InputError
    from porter.gate.changed import Revision
    from porter.gate.config import read_config
    from porter.gate.outputs import github
    from porter.gate.outputs import junit as junit_form
    from porter.gate.outputs import sarif as sarif_form
    from porter.gate.run import Gate
    from porter.write import output

    config = read_config(path)
    if no_drift:
        config = replace(config, drift=False)
    revision = Revision(config, changed_since) if changed_since else None
    annotate = os.environ.get("GITHUB_ACTIONS") == "true"
    if write_baseline and not config.baseline:
        raise InputError("CKG114", f"{path}: [tool.porter] names no baseline", config.where, 'add baseline = "..."')
    with progress("checks", form) as step:
        gate = Gate(config, revision, jobs or os.cpu_count() or 1, lambda check: step(_news(check)))
        baseline = gate.baseline() if write_baseline else ""
        result = None if write_baseline else gate.run()
    if result is None:
        output.replace_file(config.root / config.baseline, baseline)
        click.echo(f"porter ci: baseline written to {config.root / config.baseline}")
        return
    if form == "json":
        emit(result.output)
    else:
        for command in github.commands(result) if annotate else ():
            click.echo(command)
        show(result, annotate)
    # Files last: what was found is said even where one of them cannot be written.
    if sarif is not None:
        output.replace_file(sarif, sarif_form.text(result))
    if junit is not None:
        output.replace_file(junit, junit_form.text(result))
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if annotate and summary:
        github.append_summary(result, Path(summary))
    sys.exit(result.exit_code)


def show(result: GateResult, github: bool = False) -> None:
    """Print the log: coloured on a terminal, plain elsewhere."""
    from rich.text import Text

    from porter.gate.outputs.log import lines

    for line in lines(result, github):
        console().print(Text(line.text, style=line.style), soft_wrap=True)


def _news(check: Check) -> str:
    """A line for each check that took time."""
    return f"{check.name} {check.subject}: {check.status.value}" if check.seconds >= 0.1 else ""
