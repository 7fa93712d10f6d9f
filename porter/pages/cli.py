# SPDX-License-Identifier: Apache-2.0
"""docs/cli.md from the commands themselves: `python -m porter.pages.cli FILE` writes it."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from porter.commands.main import main

PAGE = "docs/cli.md"

_HEAD = f"""\
<!-- Written by `python -m porter.pages.cli {PAGE}`; a test compares. Change the commands, not this page. -->

# Commands

KERNEL is a path to a generated module or a name in the manifest. With `--format json` a command prints one JSON object
([schemas.md](schemas.md)) and nothing else on standard output; errors go to standard error with a code, a place and a
hint; those of the command line itself, such as an unknown option, say what was expected and have none.
`PORTER_CACHE_DIR` moves the cache of compiled kernels, `PORTER_DEBUG=1` shows the traceback of an internal error.
"""


def page() -> str:
    """docs/cli.md: every command, groups before their commands."""
    return "\n".join([_HEAD, *_command(main, click.Context(main, info_name="porter"), 2)])


def _command(command: click.Command, context: click.Context, depth: int) -> Iterator[str]:
    subcommands = command.commands if isinstance(command, click.Group) else {}
    usage = " ".join([context.command_path, *command.collect_usage_pieces(context)])
    yield from (f"{'#' * depth} {context.command_path}", "", "```", usage, "```", "")
    yield from (inspect.cleandoc(command.help or "").replace("\b", "").strip(), "")
    options = [item for item in command.params if isinstance(item, click.Option)]
    yield from ("| option | |", "|---|---|")
    for option in options:
        for names, words in filter(None, [option.get_help_record(context)]):
            yield f"| `{_cell(names)}` | {_cell(words)} |"
    yield ""
    for name in sorted(subcommands):
        yield from _command(subcommands[name], click.Context(subcommands[name], context, name), depth + 1)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page(), encoding="utf-8")
