# SPDX-License-Identifier: Apache-2.0
"""One instance, every form: dict, tuple, helper, symbol, name and table give the same value."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import ck_forms as forms
import ck_samples as samples
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from porter.ck_parser import CkInstance, CkTileInstance, XdlInstance, parse_kernel_name, read_files, recognise
from porter.ck_parser.instance import Scheduler
from porter.problem import Family

Write = Callable[..., str]


def every_form(write: Write, instance: CkInstance) -> dict[str, CkInstance]:
    """What each form of the instance reads as."""
    found = {"dict": _only(write(forms.python_source({7: instance}), "list.py"))}
    found["generated"] = _only(write(forms.cpp_helper(instance), "generated.cuh"))
    name = parse_kernel_name(instance.name)
    assert isinstance(name, CkInstance)
    found["name"] = name
    if isinstance(instance, XdlInstance):
        found["tuple"] = _only(write(forms.cpp_source(forms.cpp_tuple(instance)), "tuple.hpp"))
        match = recognise(forms.symbol(instance))
        assert match and match.instance
        found["symbol"] = match.instance
    return found


def _only(path: str) -> CkInstance:
    result = read_files([path])
    assert not result.bad, str(result.bad[0])
    (entry,) = result.instances
    return entry.instance


@pytest.mark.parametrize("name", [samples.PLAIN, samples.BPRESHUFFLE, samples.CKTILE, samples.CKTILE_EIGHT_WAVES])
def test_every_form_of_a_sample_is_equal(write: Write, name: str) -> None:
    instance = parse_kernel_name(name)
    assert isinstance(instance, CkInstance)
    found = every_form(write, instance)
    assert found == dict.fromkeys(found, instance)


def test_every_form_of_every_real_instance_is_equal(write: Write, real_data: Path) -> None:
    entries = read_files(sorted((real_data / "instances").glob("*.csv"))).instances
    real = {entry.instance for entry in entries}
    assert len([entry for entry in entries if isinstance(entry.instance, CkTileInstance)]) == 41
    assert len({item for item in real if isinstance(item, XdlInstance)}) == 37
    for instance in real:
        found = every_form(write, instance)
        assert found == dict.fromkeys(found, instance), instance.name


@st.composite
def xdl_instances(draw: st.DrawFn) -> XdlInstance:
    """Any instance that does not contradict itself, aiter's or not."""
    waves_m, waves_n = draw(st.sampled_from([(1, 4), (2, 2), (4, 1), (1, 2), (1, 1), (2, 4)]))
    xdl = draw(st.sampled_from([16, 32]))
    per_wave = draw(st.integers(1, 8)), draw(st.integers(1, 8))
    threads = 64 * waves_m * waves_n
    k0 = draw(st.sampled_from([4, 8, 16, 32]))
    return XdlInstance(
        family=draw(st.sampled_from(Family)),
        scale_block_mnk=draw(st.sampled_from([(1, 128, 128), (128, 128, 128)])),
        block_size=threads,
        tile_mnk=(waves_m * xdl * per_wave[0], waves_n * xdl * per_wave[1], draw(st.sampled_from([64, 128, 256]))),
        ak1=draw(st.sampled_from([4, 8, 16])),
        bk1=16,
        xdl_mn=(xdl, xdl),
        xdl_per_wave_mn=per_wave,
        a_block_transfer=(k0, threads // k0, 1),
        b_block_transfer=(8, threads // 8, 1),
        c_block_transfer=(1, threads // 8, 1, 8),
        c_block_spv=draw(st.sampled_from([4, 8])),
        cshuffle_xdl_per_wave_mn=(draw(st.integers(1, 2)), draw(st.integers(1, 2))),
        pipeline_sched=draw(st.sampled_from([Scheduler.INTRAWAVE, Scheduler.INTERWAVE])),
        pipeline_version=draw(st.integers(1, 5)),
    )


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(xdl_instances())
def test_every_form_of_any_instance_is_equal(write: Write, instance: XdlInstance) -> None:
    found = every_form(write, instance)
    if instance.family is Family.BPRESHUFFLE:
        # The name has no wave map.
        del found["name"]
    assert found == dict.fromkeys(found, instance)
