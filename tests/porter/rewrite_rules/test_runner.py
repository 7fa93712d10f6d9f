# SPDX-License-Identifier: Apache-2.0
"""The library call: outcomes as values, selection of rules, files read together, and what it costs."""

from __future__ import annotations

import ast
import sys
from pathlib import Path

import pytest

from porter.errors import InputError
from porter.rewrite_rules import (
    Failed,
    Refused,
    Rewritten,
    Unchanged,
    diff,
    native_scaling,
    rewrite_paths,
    rewrite_sources,
    select_rules,
)
from porter.toolchain import KernelSource
from tests.porter.rewrite_rules.kernels import FIXTURES, compiled, execute, problem_for

REPAIRED = FIXTURES / "repaired"


def text_of(name):
    return (REPAIRED / f"{name}.py").read_text()


def test_a_poisoned_file_is_read_and_never_run(tmp_path):
    marker = tmp_path / "ran"
    poison = f"open({str(marker)!r}, 'w').close()\nraise SystemExit('imported')\n"
    path = tmp_path / "kernel.py"
    path.write_text(text_of("raw_exponent").replace("import flydsl.compiler", poison + "import flydsl.compiler"))
    (outcome,) = rewrite_paths([path])
    assert isinstance(outcome, Rewritten)
    assert not marker.exists()


def test_black_is_asked_where_it_is_installed(monkeypatch):
    clean = rewrite_sources({"kernel.py": text_of("raw_exponent")})["kernel.py"]
    monkeypatch.setitem(sys.modules, "black", None)
    other = rewrite_sources({"kernel.py": text_of("raw_exponent")})["kernel.py"]
    assert isinstance(clean, Rewritten) and isinstance(other, Rewritten)
    assert ast.dump(ast.parse(clean.text)) == ast.dump(ast.parse(other.text))


def test_rewriting_writes_nothing(tmp_path):
    path = tmp_path / "kernel.py"
    path.write_text(text_of("raw_exponent"))
    rewrite_paths([path])
    assert path.read_text() == text_of("raw_exponent")
    assert [p.name for p in tmp_path.iterdir()] == ["kernel.py"]


def test_bad_files_fail_alone_and_in_order(tmp_path):
    broken, binary, good = tmp_path / "broken.py", tmp_path / "binary.py", tmp_path / "good.py"
    broken.write_text("def f(:\n")
    binary.write_bytes(b"\xff\xfe\x00")
    good.write_text(text_of("raw_exponent"))
    outcomes = rewrite_paths([broken, tmp_path / "missing.py", good, binary])
    assert [type(o) for o in outcomes] == [Failed, Failed, Rewritten, Failed]
    assert f"{broken}:1" in outcomes[0].error
    assert "missing.py" in outcomes[1].error


def test_an_empty_file_has_no_scaled_mfma():
    assert rewrite_sources({"a.py": ""})["a.py"] == Unchanged("a.py", ("no scaled MFMA in this file",))


def test_a_file_whose_sibling_was_not_given_says_so():
    name = "with_sibling/wide_tile.py"
    outcome = rewrite_sources({name: (REPAIRED / name).read_text()})[name]
    assert isinstance(outcome, Unchanged)
    assert "_scaled_mma" in outcome.why[0] and "not given" in outcome.why[0]


def test_one_refused_site_keeps_every_file_as_it_is():
    folder = REPAIRED / "with_sibling"
    texts = {p.name: p.read_text() for p in folder.glob("*.py")}
    use = "x_code = load_code(xs_rsrc, m * blocks + kb)\n"
    assert use in texts["wide_tile.py"]
    texts["wide_tile.py"] = texts["wide_tile.py"].replace(use, use + " " * 16 + "m = m + (x_code - x_code)\n")
    outcomes = rewrite_sources(texts)
    assert {type(o) for o in outcomes.values()} == {Refused}
    assert {o.code for o in outcomes.values()} == {"CKR204"}
    assert all(o.location.path == "wide_tile.py" for o in outcomes.values())


def test_files_that_do_not_import_each_other_are_judged_apart():
    texts = {
        "good.py": text_of("raw_exponent"),
        "bad.py": text_of("raw_exponent").replace("0, ws, 0, xs]", "0, 0, 0, xs]"),
    }
    outcomes = rewrite_sources(texts)
    assert isinstance(outcomes["good.py"], Rewritten)
    assert isinstance(outcomes["bad.py"], Refused) and outcomes["bad.py"].code == "CKR201"
    assert "2^-127" in outcomes["bad.py"].why


def test_rules_are_selected_by_id():
    assert [rule.ID for rule in select_rules(["CKR109"])] == ["CKR109"]
    assert "CKR109" not in [rule.ID for rule in select_rules()]
    with pytest.raises(InputError, match="CKR999") as error:
        select_rules(["CKR101", "CKR999"])
    assert error.value.code == "CKR001"
    assert "CKR101" in error.value.hint


def test_a_rule_that_is_not_selected_leaves_its_sites_and_says_so():
    outcome = rewrite_sources({"a.py": text_of("raw_exponent")}, rules=select_rules(["CKR103"]))["a.py"]
    assert isinstance(outcome, Unchanged)
    assert "CKR101" in outcome.why[0]


def test_a_rule_that_is_needed_and_not_selected_is_named():
    outcome = rewrite_sources({"a.py": text_of("atom_groups")}, rules=select_rules(["CKR103"]))["a.py"]
    assert isinstance(outcome, Refused)
    assert outcome.code == "CKR211"
    assert "CKR105" in outcome.why


def test_pinned_scales_are_dropped_on_request_with_the_same_result():
    path = FIXTURES / "right" / "pinned.py"
    (outcome,) = rewrite_paths([path], rules=select_rules(["CKR109"]))
    assert isinstance(outcome, Rewritten)
    before, after = compiled(KernelSource.from_file(path)), compiled(KernelSource(path.stem, outcome.text))
    assert native_scaling(before.isa) and not native_scaling(after.isa)
    problem = problem_for(after.spec, "general")
    cured = execute(after, problem)
    assert cured.comparison.equal
    assert (execute(before, problem).bits == cured.bits).all()


@pytest.mark.parametrize("name", ["atom_groups", "with_sibling/wide_tile"])
def test_clustered_promotes_stand_behind_a_fence_and_give_the_same_bits(name):
    path = REPAIRED / f"{name}.py"
    paths = [path, *path.parent.glob("_*.py")]
    inline, clustered = (rewrite_paths(paths, clustered=c)[0] for c in (False, True))
    assert isinstance(inline, Rewritten)
    if isinstance(clustered, Refused):
        # A wrapper holds the MFMA apart from the loops that call it.
        assert clustered.code == "CKR212"
        return
    assert "sched_barrier" in clustered.text and "sched_barrier" not in inline.text
    kernel = compiled(KernelSource(path.stem, clustered.text))
    assert execute(kernel, problem_for(kernel.spec, "cancel")).comparison.equal


def test_a_kernel_without_fx_keeps_its_own_name_for_it():
    outcome = rewrite_sources({"a.py": text_of("driver_class")})["a.py"]
    assert isinstance(outcome, Rewritten)
    assert "fl.math.fma" in outcome.text and "fx." not in outcome.text


def test_the_diff_is_one_that_tools_apply():
    outcome = rewrite_sources({"a.py": text_of("raw_exponent")})["a.py"]
    lines = diff(text_of("raw_exponent"), outcome).splitlines()
    assert lines[0] == "--- a/a.py" and lines[1] == "+++ b/a.py"
    assert any(line.startswith("-def to_e8m0") for line in lines)


def test_a_file_in_its_own_style_keeps_it():
    text = text_of("raw_exponent").replace("    blocks = K // BLOCK\n", "    blocks   =  K//BLOCK   # own style\n")
    outcome = rewrite_sources({"a.py": text})["a.py"]
    assert isinstance(outcome, Rewritten)
    assert "    blocks   =  K//BLOCK   # own style\n" in outcome.text


def test_every_site_of_a_thousand_lines_is_rewritten():
    text = text_of("raw_exponent")
    body = text[text.index("def build(") :]
    text += "".join("\n\n" + body.replace("def build(", f"def build_{i}(") for i in range(14))
    assert text.count("\n") >= 1000
    outcome = rewrite_sources({"a.py": text})["a.py"]
    assert isinstance(outcome, Rewritten)
    assert len(outcome.sites) == 15


def test_native_scaling_gives_lines_of_the_listing():
    isa = (
        "gemm:\n\tv_mfma_f32_16x16x128_f8f6f4 v[0:3], v[0:7], v[8:15], 0\n\tv_mfma_scale_f32_16x16x128_f8f6f4 v[0:3]\n"
    )
    assert native_scaling(isa) == [(3, "v_mfma_scale_f32_16x16x128_f8f6f4 v[0:3]")]


def test_paths_are_said_as_they_were_given():
    path = Path("kernels/a.py")
    assert rewrite_sources({str(path): text_of("raw_exponent")})[str(path)].sites[0].path == "kernels/a.py"
