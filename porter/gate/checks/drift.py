# SPDX-License-Identifier: Apache-2.0
"""Generated files against what porter writes from the configured inputs: `porter convert --check` for the gate."""

from __future__ import annotations

import posixpath
import time
from collections.abc import Iterator
from dataclasses import astuple
from pathlib import Path

from porter import manifest
from porter.errors import InputError, PorterError, SourceSpan, ToolchainMissing
from porter.gate.checks.kind import FilesCheck
from porter.gate.context import Context
from porter.gate.expected import Expected
from porter.gate.locate import first_difference
from porter.gate.result import Check, GateFinding, Status, ended
from porter.gate.rule import GateRule
from porter.gate.verdicts import keep, recall, verdict_key
from porter.write import output

DRIFT = GateRule(
    "CKG001",
    "drift",
    "A generated file is not what porter writes from the configured inputs.",
    "Run `porter convert` with the inputs and options of [tool.porter] and commit the result.",
)
BAD_ROW = GateRule(
    "CKG002", "bad-row", "A row of a configured input cannot be read.", "Repair the row; its own code and hint say how."
)


class Drift(FilesCheck):
    """The output folder, byte for byte."""

    NAME = "drift"
    RULES = (DRIFT, BAD_ROW)

    def run(self, context: Context) -> Iterator[Check]:
        config = context.config
        where = config.place(config.where)
        if not config.drift:
            yield Check(self.NAME, config.out, Status.LEFT_OUT, note="switched off")
            return
        if not config.inputs:
            if any(kernel.spec is not None for kernel in context.kernels):
                yield context.missing(self.NAME, config.out, "no inputs are configured", where)
            return
        start = time.monotonic()
        try:
            findings = tuple(_findings(context.expected))
        except ToolchainMissing as error:
            yield context.missing(self.NAME, config.out, error.message, where)
            return
        except PorterError as error:
            place = config.place(error.where) if error.where else where
            findings = (GateFinding(BAD_ROW.id, f"{error.message} [{error.code}]", place, key=error.code),)
        yield ended(self.NAME, config.out, findings, time.monotonic() - start)


def _findings(expected: Expected) -> list[GateFinding]:
    """Bad rows of the inputs, and every file that differs. Raises as `Expected.conversion`."""
    key = verdict_key("drift", expected.parts())
    if recall(key) is not None:
        return []
    findings = [*_bad_rows(expected), *_differences(expected)]
    if not findings:
        keep(key, True)
    return findings


def _bad_rows(expected: Expected) -> Iterator[GateFinding]:
    for row in expected.conversion.bad:
        where = expected.config.place(row.where)
        yield GateFinding(BAD_ROW.id, str(row).partition(": ")[2], where, key=row.code)


def _differences(expected: Expected) -> Iterator[GateFinding]:
    config, files = expected.config, expected.conversion.files
    folder = config.root / config.out
    drift = output.compare(folder, files)
    rows = list(_changed_rows(expected)) if manifest.FILE in drift.changed else []
    yield from rows
    for name in (*drift.missing, *drift.changed, *drift.stale):
        shown = posixpath.normpath(f"{config.out}/{name}")
        kernel = Path(name).stem if name.startswith("flydsl_") else ""
        if name in drift.missing:
            yield GateFinding(DRIFT.id, f"{shown} is missing", config.place(config.where), kernel, shown)
        elif name in drift.stale:
            yield GateFinding(DRIFT.id, "no configured row leads to this kernel any more", SourceSpan(shown, 1), kernel)
        elif name == manifest.FILE and rows:
            continue  # the rows say more
        else:
            text = _text(folder / name)
            line = first_difference(files[name], text)
            message = "differs from what porter writes, first on this line"
            key = "".join(text.splitlines()[line - 1 : line])
            yield GateFinding(DRIFT.id, message, SourceSpan(shown, line), kernel, key)


def _text(path: Path) -> str:
    """As it lies there, line ends included; nothing of what is no file."""
    return path.read_bytes().decode("utf-8", "replace") if path.is_file() else ""


def _changed_rows(expected: Expected) -> Iterator[GateFinding]:
    """Rows of the inputs that the committed manifest does not have as they are now."""
    config = expected.config
    try:
        committed = manifest.read(config.root / config.out / manifest.FILE)
    except InputError:
        return
    known = {
        (kernel.name, row.gfx, row.cu_num, row.shape, row.instance)
        for kernel in committed.kernels
        for row in kernel.rows
    }
    for item in expected.conversion.converted:
        row = item.row
        found = (row.gfx, row.cu_num, row.shape, row.kernel_name)
        if item.kept and (item.spec.name, *found) not in known:
            text = f"{row.shape} is not in the generated files as this row has it"
            key = str((row.gfx, row.cu_num, *astuple(row.shape), row.kernel_name))
            yield GateFinding(DRIFT.id, text, config.place(row.where), item.spec.name, key)
