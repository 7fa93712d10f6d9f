# SPDX-License-Identifier: Apache-2.0
"""CKR107: wrapper, kernel signature, loads and descriptors change together, or nothing does."""

from __future__ import annotations

import ast

import pytest

from porter.rewrite_rules import Refused, Rewritten, Unchanged, rewrite_sources
from porter.toolchain import KernelSource
from tests.porter.rewrite_rules.kernels import FIXTURES, compiled, execute, problem_for

TEXT = (FIXTURES / "repaired" / "host_e8m0.py").read_text()
CONVERSION = "return scale.to(torch.float8_e8m0fnu).view(torch.uint8).contiguous()"


def rewrite(old, new):
    assert old in TEXT
    return rewrite_sources({"a.py": TEXT.replace(old, new)})["a.py"]


@pytest.mark.parametrize(
    "conversion",
    [
        "return (scale.view(torch.int32) >> 23).to(torch.uint8)",
        "bits = scale.view(torch.int32)\n    return ((bits + 0x400000) >> 23).to(torch.uint8)",
        "return (torch.round(torch.log2(scale)) + 127).to(torch.uint8)",
        "return (scale.log2().round() + 127).clamp(0, 254).to(torch.uint8)",
        "return scale.to(torch.float8_e8m0fnu).view(torch.uint8)",
    ],
)
def test_every_conversion_goes_and_the_kernel_reads_fp32(conversion):
    outcome = rewrite(CONVERSION, conversion)
    assert isinstance(outcome, Rewritten), outcome
    assert outcome.rules == ("CKR101", "CKR107")
    ast.parse(outcome.text)
    kernel = compiled(KernelSource("kernel", outcome.text))
    scales = [arg for arg in kernel.spec["args"] if arg["name"].endswith("_scale")]
    assert scales == [{"name": name, "kind": "pointer", "dtype": "fp32"} for name in ("x_scale", "w_scale")]
    assert execute(kernel, problem_for(kernel.spec, "general")).comparison.equal


def test_the_memory_layout_that_a_conversion_made_is_kept():
    outcome = rewrite_sources({"a.py": TEXT})["a.py"]
    assert "xs = x_scale.contiguous()" in outcome.text
    without = rewrite(CONVERSION, CONVERSION.replace(".contiguous()", ""))
    assert "xs = x_scale\n" in without.text


def test_every_pointer_of_a_scale_changes_its_type_and_no_other():
    outcome = rewrite_sources({"a.py": TEXT})["a.py"]
    for kept in ("from_c_void_p(fx.Int8, XQ.data_ptr())", "from_c_void_p(fx.Int8, WQ.data_ptr())"):
        assert kept in outcome.text
    for changed in ("from_c_void_p(fx.Float32, xs.data_ptr())", "from_c_void_p(fx.Float32, ws.data_ptr())"):
        assert changed in outcome.text
    assert outcome.text.count("from_c_void_p(fx.Float32, None)") == 2


@pytest.mark.parametrize(
    ("old", "new", "code"),
    [
        pytest.param("ws = to_e8m0(w_scale)", "ws = w_scale", "CKR213", id="codes of the caller beside converted ones"),
        pytest.param("xs = to_e8m0(x_scale)", "xs = to_e8m0(x_scale)\n    xs.zero_()", "CKR204", id="written after"),
        pytest.param(
            "fx.copy(load_8b,",
            "fx.copy(load_8b, fx.make_view(b_rsrc, fx.make_layout(1, 1)), "
            "fx.make_rmem_tensor(1, fx.Int8))\n            fx.copy(load_8b,",
            "CKR213",
            id="an atom of other copies",
        ),
        pytest.param(
            "return fx.Int32(code.load()[0]) & 0xFF",
            "return (fx.Int32(code.load()[0]) & 0xFF) + 1",
            "CKR202",
            id="codes that the kernel changes",
        ),
    ],
)
def test_what_is_not_converted_alone_is_refused(old, new, code):
    outcome = rewrite(old, new)
    assert isinstance(outcome, Refused), outcome
    assert outcome.code == code


def test_without_a_conversion_the_codes_are_the_data():
    outcome = rewrite(CONVERSION, "return scale")
    assert isinstance(outcome, Unchanged)
    assert "MX data" in outcome.why[0]
