# SPDX-License-Identifier: Apache-2.0
"""The report as one HTML text: no file, font or script beside it, and nothing that changes from run to run."""

from __future__ import annotations

import base64
import hashlib
import re
from functools import cache
from typing import TYPE_CHECKING

from porter.report import pictures, shape_map
from porter.report.hot_loop import KINDS
from porter.report.model import Report, Verdict

if TYPE_CHECKING:
    import jinja2
    from markupsafe import Markup

#: Rows that a long list shows; the page says how many more the manifest has.
MOST_LISTED = 40


def render(report: Report) -> str:
    """The whole page. Everything that comes from files is escaped, and no script but the page's own may run."""
    environment = _environment()
    style = environment.get_template("style.css.jinja").render()
    script = environment.get_template("script.js.jinja").render()
    return environment.get_template("page.html.jinja").render(
        report=report,
        verdicts=Verdict,
        shapes=shape_map.draw((kernel.spec.name, kernel.shapes) for kernel in report.kernels),
        map_size=(shape_map.WIDTH, shape_map.HEIGHT),
        kinds=KINDS,
        most_listed=MOST_LISTED,
        style=_own(style),
        script=_own(script),
        style_digest=_digest(style),
        script_digest=_digest(script),
    )


def _digest(text: str) -> str:
    """As a Content-Security-Policy names the only style or script that it allows."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def _own(text: str) -> Markup:
    from markupsafe import Markup

    return Markup(text)


def _breakable(text: str) -> Markup:
    """Text that may break after `_` and `/`, so that long names fit narrow screens."""
    from markupsafe import Markup

    return Markup("<wbr>").join(re.split("(?<=[_/])", text))


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("porter", "templates/report"),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters["breakable"] = _breakable
    environment.filters["loop_strip"] = lambda code: pictures.loop_strip(code, KINDS)
    environment.filters["tile_layers"] = pictures.tile_layers
    return environment
