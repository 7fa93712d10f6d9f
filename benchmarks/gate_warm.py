# SPDX-License-Identifier: Apache-2.0
"""How long `porter ci` takes when nothing has changed, against the run that proved everything.

    python benchmarks/gate_warm.py TABLE.csv|FOLDER...

Prints {"kernels", "cold_seconds", "warm_seconds", "ratio"}. The kernels come from the given tables; the proof is cut to
one small shape, since only the second run is asked about. Uses a cache of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from timing import seconds

PORTER = [sys.executable, "-m", "porter"]


def run(*arguments: str) -> None:
    subprocess.run([*PORTER, *arguments], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def measure(inputs: list[Path], folder: Path) -> dict[str, object]:
    """Convert into a folder, then run the gate twice."""
    os.environ["PORTER_CACHE_DIR"] = str(folder / "cache")
    names = [str(path.resolve()) for path in inputs]
    run("convert", *names, "--out", str(folder / "generated"))
    config = folder / "pyproject.toml"
    config.write_text(f'[tool.porter]\ninputs = {json.dumps(names)}\nshapes = ["70x512x4096"]\ndata = ["general"]\n')
    kernels = json.loads((folder / "generated" / "manifest.json").read_text())["kernels"]
    cold = seconds(lambda: run("ci", "--config", str(config)), runs=1)
    warm = seconds(lambda: run("ci", "--config", str(config)))
    return {"kernels": len(kernels), "cold_seconds": cold, "warm_seconds": warm, "ratio": warm / cold}


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        print(json.dumps(measure([Path(name) for name in sys.argv[1:]], Path(scratch)), indent=2))
