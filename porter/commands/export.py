# SPDX-License-Identifier: Apache-2.0
"""`porter export`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from porter.commands.common import FORMAT, emit, guarded, manifest_option, say

if TYPE_CHECKING:
    from porter.export.common import ExportPlan


@click.group()
def export() -> None:
    """Write kernels as aiter, MSLK or Primus-Turbo load them."""


def _shared(command: Callable[..., None]) -> Callable[..., None]:
    """The options of every export."""
    for option in reversed(
        (
            manifest_option("The kernels to export."),
            click.option(
                "--out",
                type=click.Path(path_type=Path, file_okay=False),
                help="Folder for the files and the patch.  [default: build/export/TARGET]",
            ),
            click.option("--dry-run", is_flag=True, help="Write nothing; list every file."),
            click.option(
                "--copyright", "copyright_line", default="", metavar="LINE", help="Copyright line of the headers."
            ),
            FORMAT,
        )
    ):
        command = option(command)
    return command


@export.command()
@_shared
@click.option(
    "--aiter-root",
    "root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="Your checkout, whose dispatch and tuned tables the patch edits.",
)
@click.option(
    "--bench",
    type=click.Path(path_type=Path, dir_okay=False),
    help="CSV with kernelName, M, N, K and us that you measured; porter never invents a time.",
)
@click.option(
    "--replace",
    type=click.Choice(["faster", "all"]),
    default="faster",
    show_default=True,
    help="Rows of the checkout to replace: where the bench file has a lower us, or all of the same key.",
)
@click.option(
    "--names",
    type=click.Choice(["own", "peer"]),
    default="own",
    show_default=True,
    help="kernelName of the rows: porter's, or that of a peer tuner's grammar where one fits.",
)
@click.option("--diff", "show_diff", is_flag=True, help="Write nothing; print the patch.")
@click.option("--apply", "do_apply", is_flag=True, help="Write into the checkout instead of --out.")
@guarded
def aiter(
    manifest: Path,
    out: Path | None,
    dry_run: bool,
    copyright_line: str,
    form: str,
    root: Path | None,
    bench: Path | None,
    replace: str,
    names: str,
    show_diff: bool,
    do_apply: bool,
) -> None:
    """Kernel modules, CSV rows, the tuner's instance table, and a patch of aiter's dispatch.

    The checkout is only read, unless --apply is given. `git apply` takes the patch at its root.
    """
    from porter.export import common
    from porter.export.aiter import Options, plan

    if (do_apply or show_diff) and root is None:
        raise click.UsageError(f"{'--apply' if do_apply else '--diff'} needs --aiter-root")
    made = plan(common.load(manifest), Options(root, bench, replace == "all", names == "peer", copyright_line))
    _finish(made, root if do_apply else None, out, dry_run, show_diff, form)


@export.command()
@_shared
@guarded
def mslk(manifest: Path, out: Path | None, dry_run: bool, copyright_line: str, form: str) -> None:
    """A package with MSLK's f8f8bf16_groupwise and f8f8bf16_blockwise, and their scale layouts."""
    from porter.export import common
    from porter.export.mslk import plan

    _finish(plan(common.load(manifest), copyright_line), None, out, dry_run, False, form)


@export.command()
@_shared
@guarded
def primus(manifest: Path, out: Path | None, dry_run: bool, copyright_line: str, form: str) -> None:
    """A package with Primus-Turbo's gemm_fp8_blockwise_flydsl_kernel, forward (NT), and its scale layouts."""
    from porter.export import common
    from porter.export.primus import plan

    _finish(plan(common.load(manifest), copyright_line), None, out, dry_run, False, form)


def _finish(
    plan: ExportPlan, checkout: Path | None, out: Path | None, dry_run: bool, show_diff: bool, form: str
) -> None:

    folder = checkout or out or Path("build") / "export" / plan.target
    written = not (dry_run or show_diff)
    if written:
        if checkout is None:
            plan.write(folder)
        else:
            plan.apply(checkout)
    if form == "json":
        emit(plan.output(folder, written))
    elif show_diff:
        click.echo(plan.patch, nl=False)
    else:
        show(plan, folder, written, applied=checkout is not None)


def show(result: ExportPlan, folder: Path, written: bool, applied: bool) -> None:
    """Every file, the rows by what became of them, the notes, and one last sentence."""
    files = [*result.files, *result.edited] if applied else list(result.outputs())
    for path in files:
        say(f"{folder / path}")
    for verdict, count in sorted(Counter(row.verdict for row in result.rows).items()):
        say(f"rows: {count} {verdict}")
    for note in result.notes:
        say(f"note: {note}")
    if not applied and result.edited:
        edited = ", ".join(sorted(result.edited))
        say(f"note: copy the files into the checkout, then git apply {result.patch_name} there; it edits {edited}")
    say(f"porter export {result.target}: {len(files)} files{'' if written else ', none written'}")
