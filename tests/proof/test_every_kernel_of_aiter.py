# SPDX-License-Identifier: Apache-2.0
"""The long proof: every distinct kernel that the real tables ask for, at three M and two shapes of B. `make proof`.

Compilations are cached, so a second run repeats only the executions.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from porter import prove
from porter.convert import Options, convert
from tests.porter.kernels import compiled

pytestmark = pytest.mark.proof


def test_every_ck_row_converts_and_every_kernel_is_proved(real_data: Path, tmp_path: Path) -> None:
    conversion = convert(sorted((real_data / "aiter").glob("*.csv")), Options())
    reasons = {row.code for row in conversion.unsupported}
    assert reasons <= {"CKP040"}, "every ck and cktile row converts; the others are other libraries' rows"
    assert len(conversion.kernels) > 30
    for name, text in conversion.files.items():
        (tmp_path / name).write_text(text)
    plan = prove.plan((), tmp_path / "manifest.json", ("exact", "general", "cancel"), (), (), 2, 180.0)
    failed = []
    for job in plan.jobs:
        isa = compiled(job.spec, job.n, job.k, job.path.read_text()).isa
        for field in ("vgpr_spill_count", "sgpr_spill_count", "private_segment_fixed_size"):
            if set(re.findall(rf"\.{field}:\s+(\d+)", isa)) != {"0"}:
                failed.append(f"{job.spec.name} N={job.n} K={job.k}: {field}")
    outcome = prove.run(plan)
    failed += [f"{k.name} N={k.n} K={k.k}: {k.error or k.details[:1]}" for k in outcome.kernels if not k.proved]
    assert not failed, "\n".join(failed)
    assert len(outcome.kernels) == 2 * len(conversion.kernels)
