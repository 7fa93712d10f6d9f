# SPDX-License-Identifier: Apache-2.0
"""The `porter` command: its group and its errors. Every decision is made in the rooms below."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator

import click

from porter import __version__
from porter.walk import modules


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="porter")
def main() -> None:
    """Port CK fp8 block-scale GEMMs to FlyDSL for MI355X, and prove every kernel on a CPU.

    Exit codes: 0 good, 1 findings, 2 bad input or usage, 3 a tool is missing, 4 a bug in porter, 130 interrupted.
    """
    # A name that the terminal's encoding cannot show must not end a run.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _commands() -> Iterator[click.Command]:
    """The command of every module beside this one, which has the module's name."""
    for module in modules("porter.commands"):
        for value in vars(module).values():
            if isinstance(value, click.Command) and value.name == module.__name__.rpartition(".")[2].replace("_", "-"):
                yield value


for command in _commands():
    if command is not main:
        main.add_command(command)
