# SPDX-License-Identifier: Apache-2.0
"""`porter predict`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import ARCH, FORMAT, console, emit, guarded, progress, say

if TYPE_CHECKING:
    from porter.predict.calibration import CalibrationFile


@click.command()
@click.argument("inputs", nargs=-1, required=True)
@click.option("--fit", is_flag=True, help="INPUTS are tuned tables: fit a model to every kernel of CK's in them.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="With --fit: where the models are written, as JSON."
)
@ARCH
@FORMAT
@guarded
def predict(inputs: tuple[str, ...], fit: bool, out: Path | None, arch: str, form: str) -> None:
    """Fit models of what CK's kernels cost, from the times in tuned tables.

    Errors are of shapes of B that a fit had not seen; intervals hold 80 % of the fits to shapes drawn at random.
    """
    from porter.ck_parser import read_files
    from porter.predict import calibration
    from porter.predict.fit import groups

    if not fit:
        raise click.UsageError("--fit is all that there is yet")
    found = read_files(inputs, arch=arch)
    with progress("kernels fitted", form, len(groups(found.rows))) as step:
        fitted = calibration.fit(found, lambda rows: step(""))
    if out is not None:
        calibration.write(out, fitted)
    if form == "json":
        emit(fitted)
    else:
        show(fitted, out)


def show(fitted: CalibrationFile, out: Path | None) -> None:
    """A row for each kernel, the one with most rows first."""
    from rich.table import Table

    table = Table()
    table.add_column("kernel", overflow="fold")
    for column in ("chip", "rows", "(N, K)", "launch us", "fix us", "slope us", "TB/s", "rest", "unseen", "p90"):
        table.add_column(column, justify="right")
    for model in fitted.kernels:
        figures = (model.launch, model.fix, model.slope, model.bandwidth, model.rest)
        table.add_row(
            model.kernel,
            f"{model.gfx} {model.cu_num}",
            *map(str, (model.rows, model.shapes_of_b)),
            *(f"{figure.value:.3g}" for figure in figures),
            *(f"{error:.1%}" for error in (model.errors.median, model.errors.p90)),
        )
    console().print(table)
    rows = sum(model.rows for model in fitted.kernels)
    written = f", written to {out}" if out else ""
    say(f"porter predict --fit: {len(fitted.kernels)} kernels fitted to {rows} measured rows{written}")
