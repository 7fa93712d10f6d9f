# SPDX-License-Identifier: Apache-2.0
"""`porter doctor`."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from porter.commands.common import FORMAT, console, emit, guarded
from porter.errors import ExitCode

if TYPE_CHECKING:
    from porter.toolchain import ToolStatus


@click.command()
@FORMAT
@guarded
def doctor(form: str) -> None:
    """Say which tools are here, and how to get those that are not."""
    from porter.ck_objects import tree
    from porter.records import made
    from porter.toolchain import find_tools
    from porter.toolchain.tools import DoctorOutput

    tools = [*find_tools(), tree.status()]
    if form == "json":
        emit(made(DoctorOutput, tools=tools))
    else:
        show(tools)
    missing = any(tool.required and not tool.found for tool in tools)
    sys.exit(ExitCode.TOOLCHAIN_MISSING if missing else ExitCode.GOOD)


def show(statuses: Sequence[ToolStatus]) -> None:
    """`porter doctor` as text."""
    from rich.table import Table

    table = Table()
    for column in ("tool", "found", "needed for", "how to get it"):
        table.add_column(column, overflow="fold")
    for status in statuses:
        how = "" if status.found else status.how
        found = status.found or ("missing" if status.required else "not here (optional)")
        table.add_row(status.name, found, status.needed_for, how)
    console().print(table)
