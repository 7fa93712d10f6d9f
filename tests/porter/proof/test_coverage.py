# SPDX-License-Identifier: Apache-2.0
"""proofs.json, and what dispatch makes of it."""

from __future__ import annotations

import importlib
import itertools
import json
import sys
import warnings
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from porter.kernel_spec import KernelSpec
from porter.problem import Family, GemmShape, ShapePattern
from porter.proof.coverage import record
from porter.proof.outcome import CaseOutcome, KernelOutcome, Outcome
from porter.proof.plan import Job, ProofPlan, Request, plan
from porter.proof.shapes import Depth, Run, Work, recipe_nks
from porter.proof.verify import prove_job
from porter.runtime._proofs import digest, digest_of
from porter.write import emitter
from porter.write.dispatch import Row
from porter.write.dispatch import files as dispatch_files
from tests.porter.command import porter
from tests.porter.kernels import written
from tests.porter.manifests import manifest_of
from tests.porter.specs import DECODE, EIGHT_WAVE, FOUR_WAVE_PLAIN

_folders = itertools.count()
LISTED = (640, 512)
CODE = "0" * 64


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of two kernels with dispatch and a manifest that maps one shape to the first."""
    package = tmp_path / f"proved_{next(_folders)}"
    package.mkdir()
    written(DECODE, package)
    written(FOUR_WAVE_PLAIN, package)
    n, k = LISTED
    row = Row("gfx950", 256, Family.PLAIN, GemmShape(8, n, k), DECODE)
    for name, text in dispatch_files([DECODE, FOUR_WAVE_PLAIN], [row], "0").items():
        (package / name).write_text(text)
    (package / "manifest.json").write_text(manifest_of({DECODE: [(8, n, k)], FOUR_WAVE_PLAIN: ()}))
    return package


def loaded(folder: Path) -> Any:
    """The folder's dispatch, read anew."""
    sys.path.insert(0, str(folder.parent))
    try:
        for name in [name for name in sys.modules if name.split(".")[0] == folder.name]:
            del sys.modules[name]
        importlib.invalidate_caches()
        return importlib.import_module(f"{folder.name}.dispatch")
    finally:
        sys.path.remove(str(folder.parent))


def work_of(folder: Path, *kernels: str, **options: Any) -> ProofPlan:
    return plan(Request(kernels, folder / "manifest.json", **options))


def outcome_of(work: ProofPlan, proved: bool = True) -> Outcome:
    """What a run of the plan would say, without running it."""
    return Outcome(
        tuple(
            KernelOutcome(
                *(job.spec.name, job.work.n, job.work.k),
                tuple(CaseOutcome(m, "exact", "late", 0, 0, 0, None, proved, 0.0) for m in job.work.ms),
                *("", (), 0.0, CODE),
                padding=job.work.padding,
            )
            for job in work.jobs
        )
    )


def gap(folder: Path, n: int, k: int) -> str:
    text: str = loaded(folder).choose("gfx950", 256, "plain", 8, n, k).gap
    return text


def test_what_is_proved_has_no_gap_and_everything_else_says_why(folder: Path) -> None:
    assert "proofs.json says nothing" in gap(folder, *LISTED)
    work = work_of(folder, DECODE.name)
    record(work, outcome_of(work))
    assert gap(folder, *LISTED) == ""
    assert "is not proved for N = 704, K = 512" in gap(folder, 704, 512)
    entry = json.loads((folder / "proofs.json").read_text())["kernels"][DECODE.name]
    assert entry["shapes"]["640x512"] == CODE and 1 in entry["rows"]


def test_an_edited_kernel_or_support_file_is_another_text(folder: Path) -> None:
    work = work_of(folder, DECODE.name)
    for name in (f"{DECODE.name}.py", "_shim.py", "_host.py", "_another.py"):
        record(work, outcome_of(work))
        assert gap(folder, *LISTED) == ""
        with (folder / name).open("a") as stream:
            stream.write("# edited\n")
        assert "another text" in gap(folder, *LISTED)


def test_a_kernels_text_is_what_is_written_with_it(folder: Path) -> None:
    names = (f"{DECODE.name}.py", *emitter.support_files())
    assert digest(folder, DECODE.name) == digest_of({name: (folder / name).read_bytes() for name in names})


def test_what_no_kernel_imports_is_no_part_of_its_text(folder: Path) -> None:
    work = work_of(folder, DECODE.name)
    record(work, outcome_of(work))
    for name in ("_proofs.py", "_regimes.py", "dispatch.py", "__init__.py", f"{FOUR_WAVE_PLAIN.name}.py"):
        with (folder / name).open("a") as stream:
            stream.write("# edited\n")
    assert gap(folder, *LISTED) == ""


def test_a_failed_kernel_loses_its_entry_and_others_keep_theirs(folder: Path) -> None:
    for kernel in (DECODE.name, FOUR_WAVE_PLAIN.name):
        work = work_of(folder, kernel)
        record(work, outcome_of(work))
    assert set(json.loads((folder / "proofs.json").read_text())["kernels"]) == {DECODE.name, FOUR_WAVE_PLAIN.name}
    work = work_of(folder, DECODE.name)
    record(work, outcome_of(work, proved=False))
    assert set(json.loads((folder / "proofs.json").read_text())["kernels"]) == {FOUR_WAVE_PLAIN.name}


@pytest.mark.parametrize(
    "options",
    [
        {"quick": True},
        {"data_sets": ("exact",)},
        {"shapes": (ShapePattern(1, None),)},
        {"shapes": (ShapePattern(None, (640, 512)),)},
    ],
)
def test_a_proof_of_some_shapes_covers_nothing(options: dict[str, Any], folder: Path) -> None:
    work = work_of(folder, DECODE.name, **options)
    record(work, outcome_of(work))
    assert not (folder / "proofs.json").exists()


def test_a_kernel_of_another_folder_gets_no_entry(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    work = work_of(folder, str(written(DECODE, tmp_path / "elsewhere")))
    record(work, outcome_of(work))
    assert json.loads((folder / "proofs.json").read_text())["kernels"] == {}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"kernels": 3}', '{"kernels": {"%s": 3}}', "\N{BLACK SQUARE}"])
def test_a_damaged_file_proves_nothing(content: str, folder: Path) -> None:
    (folder / "proofs.json").write_text(content.replace("%s", DECODE.name), encoding="utf-8")
    assert "proofs.json says nothing" in gap(folder, *LISTED)


def call(module: Any, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Call through dispatch with tensors of an unproved shape; the kernels that ran."""
    import torch

    ran: list[str] = []
    kernel = SimpleNamespace(HOST=SimpleNamespace(run=lambda *_: ran.append("ran")))
    monkeypatch.setattr(module, "load", lambda choice: kernel)
    monkeypatch.setattr(module, "_device", lambda device: ("gfx950", 256))
    scales = torch.empty(8, 4), torch.empty(6, 4)
    module.gemm_a8w8_blockscale(torch.empty(8, 512), torch.empty(704, 512), *scales)
    return ran


def test_dispatch_warns_once_of_an_unproved_shape_and_runs_it(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = loaded(folder)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert [call(module, monkeypatch) for _ in range(3)] == [["ran"]] * 3
    (warning,) = caught
    assert "proofs.json says nothing" in str(warning.message)


def test_padded_rows_are_proved_by_their_strides(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Strides are compiled in: a proof without padding says nothing of rows with it, nor one of 256 bytes of 512."""
    import torch

    n, k = LISTED
    monkeypatch.setenv("PORTER_STRICT", "1")

    def called(pad_x: int, pad_w: int) -> str:
        """What dispatch refuses with, or nothing."""
        module = loaded(folder)
        kernel = SimpleNamespace(HOST=SimpleNamespace(run=lambda *_: None))
        monkeypatch.setattr(module, "load", lambda choice: kernel)
        monkeypatch.setattr(module, "_device", lambda device: ("gfx950", 256))
        XQ, WQ = torch.empty(8, k + pad_x)[:, :k], torch.empty(n, k + pad_w)[:, :k]
        try:
            module.gemm_a8w8_blockscale(XQ, WQ, torch.empty(8, 4), torch.empty(5, 4))
        except ValueError as error:
            return str(error)
        return ""

    plain, padded = work_of(folder, DECODE.name), work_of(folder, DECODE.name, padding=(0, 256))
    record(plain, outcome_of(plain))
    assert called(0, 0) == ""
    assert "with rows of 512 bytes of XQ and 768 of WQ; porter verify --pad-x 0 --pad-w 256 (" in called(0, 256)
    record(padded, outcome_of(padded))
    assert called(0, 0) == called(0, 256) == ""
    assert "with rows of 528 bytes of XQ and 768 of WQ; porter verify --pad-x 16 --pad-w 256" in called(16, 256)
    # A later proof without padding takes nothing back, one of another text does.
    record(plain, outcome_of(plain))
    assert called(0, 256) == ""
    with (folder / f"{DECODE.name}.py").open("a") as stream:
        stream.write("# edited\n")
    record(plain, outcome_of(plain))
    assert called(0, 0) == "" and "porter verify --pad-x 0 --pad-w 256" in called(0, 256)


@pytest.mark.parametrize("spec", [DECODE, EIGHT_WAVE], ids=["plain", "bpreshuffle"])
def test_padding_comes_on_top_of_all_shape_classes(spec: KernelSpec, tmp_path: Path) -> None:
    module = str(written(spec, tmp_path))
    plain, padded = (
        plan(Request((module,), tmp_path / "manifest.json", padding=padding)).jobs for padding in ((0, 0), (16, 256))
    )
    more = padded[len(plain) :]
    assert padded[: len(plain)] == plain and {(job.work.n, job.work.k) for job in more} == set(recipe_nks(spec))
    # Shuffled weights have no rows.
    assert {job.work.padding for job in more} == {(16, 256 if spec is DECODE else 0)}
    assert all(1 in job.work.ms for job in more)


def test_padded_rows_run_on_the_machine(tmp_path: Path) -> None:
    job = Job(written(DECODE, tmp_path), DECODE, Work(136, 256, (Run(17, Depth.LISTED),), (16, 256)))
    outcome = prove_job(job, ProofPlan((job,), ("exact",), 1, 180.0), 1)
    assert outcome.proved and (outcome.a_stride, outcome.b_stride) == (272, 512)
    unpadded = replace(job, work=replace(job.work, padding=(0, 0)))
    assert prove_job(unpadded, ProofPlan((unpadded,), ("exact",), 1, 180.0), 1).code != outcome.code


def test_padding_is_whole_loads() -> None:
    result = porter("verify", "--pad-w", "24")
    assert result.exit_code == 2 and "24 is not a multiple of 16" in result.output


def test_strict_dispatch_refuses_an_unproved_shape(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PORTER_STRICT", "1")
    with pytest.raises(ValueError, match=r"says nothing of .* \(PORTER_STRICT=1\)"):
        call(loaded(folder), monkeypatch)


def test_proofs_are_outside_drift(folder: Path) -> None:
    from porter.write import output

    work = work_of(folder, DECODE.name)
    record(work, outcome_of(work))
    files = {path.name: path.read_text() for path in folder.glob("*.py")}
    before = (folder / "proofs.json").read_text()
    output.write(folder, files)
    assert not output.compare(folder, files)
    assert (folder / "proofs.json").read_text() == before
