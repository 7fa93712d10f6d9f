# SPDX-License-Identifier: Apache-2.0
"""What every command of `porter` shares: the output form, and how errors become exit codes."""

from __future__ import annotations

import functools
import os
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import NoReturn, ParamSpec, TypeVar

import click

from porter.errors import ExitCode, PorterError

P = ParamSpec("P")
R = TypeVar("R")

FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True, help="Output form."
)


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
