# SPDX-License-Identifier: Apache-2.0
"""The long proof: every distinct kernel that the real tables ask for, over its shape classes and all its (N, K).

Runs on equal machine code are remembered, so a second run of `make proof` repeats nothing.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from porter.conversion.convert import Options, convert
from porter.proof.plan import Request, plan
from porter.proof.verify import run
from tests.porter.kernels import compiled

pytestmark = pytest.mark.proof


def test_every_ck_row_converts_and_every_kernel_is_proved(real_data: Path, tmp_path: Path) -> None:
    conversion = convert(sorted((real_data / "aiter").glob("*.csv")), Options())
    reasons = {row.code for row in conversion.unsupported}
    assert reasons <= {"CKP040"}, "every ck and cktile row converts; the others are other libraries' rows"
    assert len(conversion.kernels) > 30
    for name, text in conversion.files.items():
        (tmp_path / name).write_text(text)
    work = plan(Request((), tmp_path / "manifest.json"))
    failed = []
    for job in work.jobs:
        isa = compiled(job.spec, job.work.n, job.work.k, job.path.read_text()).isa
        for field in ("vgpr_spill_count", "sgpr_spill_count", "private_segment_fixed_size"):
            if set(re.findall(rf"\.{field}:\s+(\d+)", isa)) != {"0"}:
                failed.append(f"{job.spec.name} N={job.work.n} K={job.work.k}: {field}")
    outcome = run(work)
    failed += [f"{k.name} N={k.n} K={k.k}: {k.error or k.details[:1]}" for k in outcome.kernels if not k.proved]
    assert not failed, "\n".join(failed)
    listed = {(item.spec.name, item.row.shape.n, item.row.shape.k) for item in conversion.converted if item.kept}
    proved = {(kernel.name, kernel.n, kernel.k) for kernel in outcome.kernels}
    assert listed <= proved and len(listed) > 400
