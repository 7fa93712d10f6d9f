# SPDX-License-Identifier: Apache-2.0
"""What every command of `porter` shares: options, the console, and how errors become exit codes."""

from __future__ import annotations

import contextlib
import functools
import os
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, ParamSpec, TypeVar

import click

from porter.errors import ExitCode, InputError, PorterError
from porter.problem import ShapePattern

if TYPE_CHECKING:
    from rich.console import Console

    from porter.ck_parser import Unsupported
    from porter.records import Record

P = ParamSpec("P")
R = TypeVar("R")

#: Places listed for each reason unless --verbose.
PLACES = 3

FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output form."
)

ARCH = click.option("--arch", default="gfx950", show_default=True, help="Chip of instances that name none.")


LAYOUT = click.option(
    "--layout", type=click.Choice(["plain", "bpreshuffle"]), help="Family of kernels that nothing else tells."
)


class _Shape(click.ParamType):  # type: ignore[type-arg] # generic in click's stubs alone before 8.4
    """`MxNxK` as ShapePattern; `needs` says which of its parts must be given, and which may not."""

    name = "MxNxK"

    def __init__(self, needs: str = "") -> None:
        self.needs = needs

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> ShapePattern:
        if isinstance(value, ShapePattern):
            return value
        try:
            shape = ShapePattern.parse(value)
        except InputError as error:
            self.fail(str(error), param, ctx)
        if self.needs and shape.nk is None:
            self.fail(f"{value!r} leaves N and K open [CKV004]", param, ctx)
        if self.needs == "nk" and shape.m is not None:
            self.fail(f"{value!r} gives an M, which this does not depend on: write -xNxK [CKV004]", param, ctx)
        if self.needs == "mnk" and shape.m is None:
            self.fail(f"{value!r} leaves M open [CKV004]", param, ctx)
        return shape


#: One spelling of a shape on every command line: any part may be open, B alone, and all of it.
SHAPE, SHAPE_OF_B, WHOLE_SHAPE = _Shape(), _Shape("nk"), _Shape("mnk")


def manifest_option(purpose: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """--manifest of a command that takes kernels by name; purpose: its help."""
    return click.option(
        "--manifest",
        type=click.Path(path_type=Path, dir_okay=False),
        default="generated/manifest.json",
        show_default=True,
        help=purpose,
    )


def guarded(command: Callable[P, R]) -> Callable[P, R]:
    """Turn an error into its text on stderr and its exit code; an unexpected one is our bug, exit code 4."""

    @functools.wraps(command)
    def wrapper(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return command(*args, **kwargs)
        except PorterError as error:
            click.echo(f"porter: error: {error}", err=True)
            sys.exit(error.exit_code)
        except (click.ClickException, click.exceptions.Exit, click.Abort, BrokenPipeError):
            raise
        except KeyboardInterrupt:  # click would exit with 1, which says that there are findings
            click.echo("porter: interrupted", err=True)
            sys.exit(ExitCode.INTERRUPTED)
        except ImportError as error:
            if error.name not in ("oracle.machine._core", "oracle.reference._exact"):
                _internal(error)
            click.echo(f"porter: error: {error}", err=True)
            sys.exit(ExitCode.TOOLCHAIN_MISSING)
        except Exception as error:
            _internal(error)

    return wrapper


def _internal(error: Exception) -> NoReturn:
    if os.environ.get("PORTER_DEBUG"):
        traceback.print_exc()
    click.echo(
        f"porter: internal error: {type(error).__name__}: {error}\n"
        "  This is a bug in porter. Please report it with the command line; PORTER_DEBUG=1 shows where.",
        err=True,
    )
    sys.exit(ExitCode.INTERNAL)


@functools.cache
def console() -> Console:
    """Where all text output goes."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=False)
    if not console.is_terminal:
        # A log has no width: never cut a kernel's name there.
        console = Console(highlight=False, width=200)
    return console


def emit(output: Record) -> None:
    """What `--format json` prints."""
    from porter import records

    click.echo(records.text(output))


def say(text: str) -> None:
    """One piece of text, as it is."""
    console().print(text, markup=False, soft_wrap=True)


@contextlib.contextmanager
def progress(what: str, form: str, total: int | None = None) -> Iterator[Callable[[str], None]]:
    """A bar on stderr while something long goes on, with its news above; nothing unless the output is text.

    Yields what to call after every step, with a line of news or nothing to say. Without a terminal there is no bar.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True, quiet=form != "text", markup=False, highlight=False)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as bar:
        task = bar.add_task(what, total=total, visible=False)

        def step(news: str) -> None:
            bar.update(task, advance=1, visible=True)
            if news:
                console.print(news, soft_wrap=True)

        yield step


def unsupported(rows: Iterable[Unsupported], verbose: bool, most_first: bool) -> None:
    """Rows by reason, the most frequent first or in the order of the input; three places each unless `verbose`."""
    grouped: dict[tuple[str, str], list[str]] = {}
    hints: dict[tuple[str, str], str] = {}
    for row in rows:
        grouped.setdefault((row.code, row.reason), []).append(str(row.where))
        hints.setdefault((row.code, row.reason), row.hint)
    reasons = sorted(grouped.items(), key=lambda item: -len(item[1])) if most_first else grouped.items()
    for (code, reason), places in reasons:
        shown = places if verbose else places[:PLACES]
        more = f" and {len(places) - len(shown)} more" if len(shown) < len(places) else ""
        hint = f"\n  hint: {hints[code, reason]}" if hints[code, reason] else ""
        say(f"unsupported: {len(places)} x {reason} [{code}]\n  at {', '.join(shown)}{more}{hint}")
