# SPDX-License-Identifier: Apache-2.0
"""The `porter` command as tests call it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
from click.testing import CliRunner, Result

from porter.commands.main import main


def porter(*arguments: object) -> Result:
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def valid(result: Result, schema: str, repository: Path) -> dict[str, Any]:
    """What a command printed with `--format json`, held against its published schema."""
    data: dict[str, Any] = json.loads(result.stdout)
    jsonschema.validate(data, json.loads((repository / "docs" / "schemas" / f"{schema}.json").read_text()))
    return data
