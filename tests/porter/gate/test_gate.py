# SPDX-License-Identifier: Apache-2.0
"""The gate on a scratch downstream repository: clean, and with one single edit at a time."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from porter.commands.main import main
from porter.gate.checks import checks as all_checks
from porter.gate.checks import names
from tests.porter.command import porter, valid
from tests.porter.gate.downstream import CONFIG, HEADER, PRIVATE_IMPORT, ROW, WITHOUT_PROOF, edit, kernel_of, make


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make(tmp_path_factory.mktemp("downstream"))


@pytest.fixture
def downstream(original: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(original, tmp_path / "repository"))


def gate(folder: Path, *options: str, github: bool = False) -> Result:
    environment = {"GITHUB_ACTIONS": "true" if github else "", "GITHUB_STEP_SUMMARY": str(folder / "summary.md")}
    return CliRunner(env=environment).invoke(main, ["ci", "--config", str(folder / "pyproject.toml"), *options])


def findings(result: Result, repository: Path) -> list[dict[str, Any]]:
    data = valid(result, "ci", repository)
    return [finding for check in data["checks"] for finding in check["findings"]]


def test_a_clean_repository_passes_and_a_warm_run_does_nothing_again(downstream: Path, repository: Path) -> None:
    result = gate(downstream, "--format", "json")
    assert result.exit_code == 0, result.output
    checks = valid(result, "ci", repository)["checks"]
    assert {check["name"] for check in checks} == set(names())
    assert all(check["status"] == "passed" for check in checks)
    (strength,) = [check for check in checks if check["name"] == "strength"]
    assert strength["note"] == "10 wrong results, all caught"
    again = valid(gate(downstream, "--format", "json"), "ci", repository)["checks"]
    assert [check["status"] for check in again] == ["passed"] * len(checks)
    assert all(check["seconds"] == 0 for check in again if check["name"] in ("lint", "compile", "proof", "strength"))


FMA = "[fx.math.fma(scale, p, acc) for p, acc in"
EDITS = {
    "a hand-edited promote": ("CKG040", FMA, FMA.replace("fx.math.fma(scale, p, acc)", "scale * p + acc")),
    "a native E8M0 scale": (
        "CKG010",
        "operands[0], operands[1], before)",
        "operands[0], operands[1], before, scale_a=fx.thread_idx.x, scale_b=fx.thread_idx.x)",
    ),
    "a wait deleted through inline asm": (
        "CKG041",
        "_shim.await_load(scales[0][0] if self._scales_first else b[0])",
        '_shim.llvm.inline_asm(None, [], "s_nop 0", "", has_side_effects=True)',
    ),
    "a candidate that spills": ("CKG030", '"rocdl.waves_per_eu": 2', '"rocdl.waves_per_eu": 4'),
    "scales rounded to powers of two": (
        "CKG042",
        'if self._g.variant.fault == "power-of-two-scale":',
        "if True:",
    ),
    "a private FlyDSL import": ("CKG011", *PRIVATE_IMPORT),
}


@pytest.mark.parametrize("name", EDITS)
def test_a_single_edit_fails_under_its_own_rule_on_its_own_line(name: str, downstream: Path, repository: Path) -> None:
    rule, old, new = EDITS[name]
    path, line = edit(downstream, old, new)
    if not rule.startswith("CKG04"):
        (downstream / "pyproject.toml").write_text(CONFIG + WITHOUT_PROOF)
    result = gate(downstream, "--no-drift", "--format", "json")
    assert result.exit_code == 1
    places = {(f["rule"], f["path"], f["line"]) for f in findings(result, repository)}
    assert (rule, path, line) in places


def test_a_hand_edited_module_is_drift(downstream: Path) -> None:
    path, line = edit(downstream, "GROUP_M = 4", "GROUP_M = 8")
    (downstream / "pyproject.toml").write_text(CONFIG + WITHOUT_PROOF)
    result = gate(downstream, github=True)
    assert result.exit_code == 1
    shown = f"::error file={path},line={line},title=CKG001 drift::"
    assert shown in result.output
    assert result.output.splitlines()[-1].startswith("porter ci FAILED: ")
    assert "CKG001 drift" in (downstream / "summary.md").read_text()


def test_a_changed_row_is_drift_on_that_row(downstream: Path, repository: Path) -> None:
    (downstream / "tuned.csv").write_text(HEADER + ROW.format(m=4096) + ROW.format(m=8192))
    result = gate(downstream, "--format", "json")
    assert result.exit_code == 1
    assert ("CKG001", "tuned.csv", 3) in {(f["rule"], f["path"], f["line"]) for f in findings(result, repository)}


def test_a_bad_row_is_a_finding_on_that_row(downstream: Path, repository: Path) -> None:
    (downstream / "tuned.csv").write_text(HEADER + ROW.format(m=4096) + ROW.format(m="many"))
    (finding,) = findings(gate(downstream, "--format", "json"), repository)
    assert (finding["rule"], finding["path"], finding["line"]) == ("CKG002", "tuned.csv", 3)
    assert "many" in finding["message"]


def test_sarif_and_junit_are_written(downstream: Path) -> None:
    edit(downstream, *PRIVATE_IMPORT)
    sarif, junit = downstream / "out.sarif", downstream / "out.xml"
    assert gate(downstream, "--sarif", str(sarif), "--junit", str(junit)).exit_code == 1
    assert '"ruleId": "CKG011"' in sarif.read_text()
    assert "<failure" in junit.read_text()


def test_only_what_changed_is_proved(downstream: Path, repository: Path) -> None:
    def proofs(*options: str) -> list[tuple[str, str]]:
        checks = valid(gate(downstream, "--format", "json", "--changed-since", "HEAD", *options), "ci", repository)[
            "checks"
        ]
        return [(check["status"], check["note"]) for check in checks if check["name"] == "proof"]

    assert proofs() == [("left out", "unchanged since HEAD")]
    edit(downstream, "#: Rows of tiles that", "#: Of tiles the rows that")
    assert [status for status, _ in proofs("--no-drift")] == ["passed"]
    result = gate(downstream, "--changed-since", "no-such-revision")
    assert result.exit_code == 2 and "CKG112" in result.output


def test_a_changed_row_is_proved_again(downstream: Path, repository: Path) -> None:
    (downstream / "tuned.csv").write_text(HEADER + ROW.format(m=4096) + ROW.format(m=8192))
    assert porter("convert", downstream / "tuned.csv", "--out", downstream / "kernels").exit_code == 0
    checks = valid(gate(downstream, "--format", "json", "--changed-since", "HEAD"), "ci", repository)["checks"]
    assert [check["status"] for check in checks if check["name"] == "proof"] == ["passed"]


def test_a_kernel_that_does_not_compile(downstream: Path, repository: Path) -> None:
    edit(downstream, "def gemm(C:", "def gemm(C, oops:")
    result = gate(downstream, "--no-drift", "--format", "json")
    assert "CKG020" in {f["rule"] for f in findings(result, repository)}
    left = {check["name"] for check in valid(result, "ci", repository)["checks"] if check["status"] == "left out"}
    assert left == {"drift", *(check.NAME for check in all_checks().of_kernels if check.NAME != "compile")}


def test_a_gate_that_checked_nothing_fails(tmp_path: Path, repository: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.porter]\n")
    result = gate(tmp_path, "--format", "json")
    assert result.exit_code == 1
    assert [f["rule"] for f in findings(result, repository)] == ["CKG061"]


def test_budgets_and_a_baseline_are_held(downstream: Path, repository: Path) -> None:
    config = downstream / "pyproject.toml"
    config.write_text(
        CONFIG + 'baseline = "census.json"\n[tool.porter.budget]\nlds-bytes = 1024\nvgprs = 64\nrequests = 99\n'
    )
    result = gate(downstream)
    assert result.exit_code == 2 and "CKG113" in result.output
    assert gate(downstream, "--write-baseline").exit_code == 0
    rules = {f["rule"] for f in findings(gate(downstream, "--format", "json"), repository)}
    assert rules == {"CKG032", "CKG033", "CKG037"}
    config.write_text(CONFIG + 'baseline = "census.json"\n')
    assert gate(downstream).exit_code == 0
    baseline = downstream / "census.json"
    taken = baseline.read_text().replace('"barriers": 2', '"barriers": 1')
    baseline.write_text(re.sub(r'"requests": [\d.]+', '"requests": 9', taken))
    found = findings(gate(downstream, "--format", "json"), repository)
    grown, asks = sorted(found, key=lambda finding: str(finding["rule"]))
    assert grown["rule"] == "CKG035" and "barriers of the hot loop 2, were 1" in grown["message"]
    assert asks["rule"] == "CKG037" and asks["message"].endswith("requests a K tile, were 9")


def test_a_time_limit_leaves_no_kernel_unsaid(downstream: Path, repository: Path) -> None:
    limited = CONFIG + "time-limit = 1e-12\n"
    (downstream / "pyproject.toml").write_text(limited)
    edit(downstream, "#: Rows of tiles that", "#: Rows of the tiles that")
    result = gate(downstream, "--no-drift", "--format", "json")
    assert result.exit_code == 1
    assert {f["rule"] for f in findings(result, repository)} == {"CKG060"}
    (downstream / "pyproject.toml").write_text(limited + 'allow-missing = ["proof:*", "strength"]\n')
    result = gate(downstream, "--no-drift", "--format", "json")
    assert result.exit_code == 0
    statuses = {c["name"]: c["status"] for c in valid(result, "ci", repository)["checks"]}
    assert statuses["proof"] == statuses["strength"] == "not run, allowed"


def test_a_packed_form_that_is_reported_to_fail_is_as_bad_as_configured(downstream: Path, repository: Path) -> None:
    edit(downstream, FMA, FMA.replace("fx.math.fma(scale, p, acc)", "fx.math.fma(p, scale, acc)"))
    rest = CONFIG + WITHOUT_PROOF
    for level, code in (("", 0), ("note", 0), ("error", 1)):
        (downstream / "pyproject.toml").write_text(rest + (f'packed-fp32 = "{level}"\n' if level else ""))
        result = gate(downstream, "--no-drift", "--format", "json")
        assert result.exit_code == code, result.output
        (finding,) = findings(result, repository)
        assert (finding["rule"], finding["level"]) == ("CKG043", level or "warning")
        assert "op_sel:[0,1,0]" in finding["message"] and "CKM281" in finding["message"]


def test_weak_data_fails_strength(downstream: Path, repository: Path) -> None:
    (downstream / "pyproject.toml").write_text(CONFIG.replace('"general", "cancel"', '"exact"'))
    (finding,) = findings(gate(downstream, "--format", "json"), repository)
    assert finding["rule"] == "CKG050" and "power-of-two-scale" in finding["message"]


HAND = """
PORTER = {
    "launcher": "make", "args": ["C", "A", "B", "x_scale", "w_scale", "M"], "n": 512, "k": 384, "m": [77],
    "mfma": "16x16x128", "scale_layout": "km", "b_layout": "shuffled_16x16",
}


def make(N, K):
    return build(N, K)
"""


def test_a_hand_written_kernel_is_proved_by_what_it_declares(downstream: Path, repository: Path) -> None:
    path = kernel_of(downstream)
    hand = downstream / "hand"
    shutil.copytree(path.parent, hand, ignore=shutil.ignore_patterns("flydsl_*", "manifest.json", "dispatch*"))
    (hand / "mine.py").write_text(path.read_text() + HAND)
    config = '[tool.porter]\nout = "none"\ndata = ["general"]\n[tool.porter.kernels."hand/mine.py"]\n'
    (downstream / "pyproject.toml").write_text(config)
    result = gate(downstream, "--format", "json")
    assert result.exit_code == 0, result.output
    checks = {check["name"]: check for check in valid(result, "ci", repository)["checks"]}
    assert checks["proof"]["note"] == "bit-equal on 77x512x384 and 6 boundary and listed shapes"
    assert "raster is not known" in checks["strength"]["note"]
    (hand / "mine.py").write_text(path.read_text() + HAND.replace('"km"', '"rm"'))
    assert {f["rule"] for f in findings(gate(downstream, "--format", "json"), repository)} == {"CKG040"}
    (hand / "mine.py").write_text(path.read_text() + HAND.replace('"km"', '"sideways"'))
    (finding,) = findings(gate(downstream, "--format", "json"), repository)
    assert finding["rule"] == "CKG016" and "sideways" in finding["message"]
    (hand / "mine.py").write_text(path.read_text())
    result = gate(downstream, "--format", "json")
    assert result.exit_code == 1
    assert {f["rule"] for f in findings(result, repository)} == {"CKG060"}


@pytest.mark.parametrize(
    ("text", "code", "line"),
    [
        ("", "CKG110", 0),
        ("[tool.porter\n", "CKG110", 0),
        ("[tool.porter]\ninput = []\n", "CKG111", 2),
        ('[tool.porter]\ninputs = "tuned.csv"\n', "CKG111", 2),
        ('[tool.porter]\nout = "kernels"\nshapes = ["big"]\n', "CKG111", 3),
        ("[tool.porter]\n\n[tool.porter.budget]\nvgprs = -1\n", "CKG111", 4),
        ('[tool.porter]\narch = "gfx1250"\n', "CKG111", 2),
        ('[tool.porter]\nlayout = "sideways"\n', "CKG111", 2),
        ("[tool.porter]\ndrift = 1\n", "CKG111", 2),
        ('[tool.porter]\ninputs = ["a", 1]\n', "CKG111", 2),
        ('[tool.porter]\nbaseline = "a\\u0000b"\n', "CKG111", 2),
        ('[tool.porter]\nout = "kernels"\ndata = ["exact", "lucky"]\n', "CKG111", 3),
        ('[tool.porter]\nallow-missing = ["nothing"]\n', "CKG111", 2),
        ("[tool.porter]\ntime-limit = nan\n", "CKG111", 2),
        ("[tool.porter]\n\n[tool.porter.budget]\nregisters = 1\n", "CKG111", 4),
        ("[tool.porter]\nbudget = 3\n", "CKG111", 2),
        ('[tool.porter]\nout = "kernels"\nkernels = ["a.py"]\n', "CKG111", 3),
        ('[tool.porter.kernels]\n"a.py" = 7\n', "CKG111", 1),
        ('[tool.porter]\npacked-fp32 = "low"\n', "CKG111", 2),
        ('[tool.porter]\nout = "kernels"\nerr-ratio = "5%"\n', "CKG111", 3),
        ("[tool.porter]\nerr-ratio = -0.1\n", "CKG111", 2),
    ],
)
def test_a_wrong_configuration_is_said_with_its_line(text: str, code: str, line: int, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(text)
    result = gate(tmp_path)
    assert result.exit_code == 2 and f"[{code}]" in result.output
    assert not line or f"pyproject.toml:{line}: " in result.output


def test_no_configuration(tmp_path: Path) -> None:
    result = gate(tmp_path)
    assert result.exit_code == 2 and "[CKG110]" in result.output
