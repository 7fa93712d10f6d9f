# SPDX-License-Identifier: Apache-2.0
"""Seconds and memory to read CK tables, as a ratio to Python's csv module over the same files in the same process.

python benchmarks/reading.py FILE.csv...
"""

from __future__ import annotations

import csv
import json
import resource
import sys
import time
from pathlib import Path

from porter.ck_parser import read_files
from porter.conversion.convert import Options, convert


def main() -> None:
    paths = [Path(argument) for argument in sys.argv[1:]]
    seconds = {}
    for name, work in (
        ("csv", lambda: [list(csv.reader(path.open(newline=""))) for path in paths]),
        ("read", lambda: read_files(paths)),
        ("convert", lambda: convert(paths, Options())),
    ):
        start = time.perf_counter()
        work()
        seconds[name] = time.perf_counter() - start
    result = {
        "rows": read_files(paths).data_rows,
        "seconds": seconds,
        "read_to_csv": seconds["read"] / seconds["csv"],
        "convert_to_csv": seconds["convert"] / seconds["csv"],
        "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }
    print(json.dumps(result, indent=2))


if __name__ == "__main__":
    main()
