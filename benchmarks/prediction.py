# SPDX-License-Identifier: Apache-2.0
"""How well models of times do on shapes of B that they had not seen: python benchmarks/prediction.py TUNED.csv...

Prints JSON: rows, median and p90 of the relative errors over kernels with 40 rows or more, and the same of each kernel.
"""

from __future__ import annotations

import json
import sys

import numpy as np

from porter.ck_parser import read_files
from porter.predict.fit import ENOUGH, fit, groups


def main(files: list[str]) -> None:
    found = [model for model in fit(groups(read_files(files).rows)) if len(model.of.rows) >= ENOUGH]
    errors = np.concatenate([model.errors for model in found])
    kernels = [
        {
            "gfx": model.of.gfx,
            "cu_num": model.of.cu_num,
            "kernel": model.of.instance.name,
            "rows": len(model.of.rows),
            "median": round(model.median, 4),
            "p90": round(model.p90, 4),
        }
        for model in found
    ]
    median, p90 = np.quantile(errors, (0.5, 0.9))
    print(json.dumps({"rows": len(errors), "median": round(median, 4), "p90": round(p90, 4), "kernels": kernels}))


if __name__ == "__main__":
    main(sys.argv[1:])
