# SPDX-License-Identifier: Apache-2.0
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SCRATCH := build/demo
STAMP := $(VENV)/.installed

.PHONY: setup demo test lint light proof sanitize aiter-wheel foreign-objects oracle abi generate clean

setup: $(STAMP)

# setup.py and the C sources are listed because an editable install compiles the machine's core once.
$(STAMP): pyproject.toml setup.py constraints.txt $(wildcard oracle/machine/core/*.[ch] oracle/reference/*.c)
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[dev]'
	touch $@

demo: setup
	rm -rf $(SCRATCH)
	$(BIN)/porter convert examples/ck_instances.csv --out $(SCRATCH)
	$(BIN)/porter verify --quick --manifest $(SCRATCH)/manifest.json

lint: setup
	$(BIN)/ruff check .
	$(BIN)/black --check --quiet .
	$(BIN)/mypy

# worksteal: each worker begins with one half, so neighbours share what they set up.
SUITE := -n 2 --dist worksteal -m 'not proof and not sanitize'

test: setup lint
	$(BIN)/python -m pytest $(SUITE)

# On another Python, by `make light OTHER=python3.10`: whatever needs neither torch nor FlyDSL, which are gigabytes there.
LIGHT := build/light
LIGHT_TESTS := $(addprefix tests/test_,imports.py package_data.py pins.py) tests/porter/ck_parser tests/porter/select \
	tests/porter/test_kernel_spec.py tests/porter/write/test_output.py tests/oracle/waits \
	$(addprefix tests/porter/gate/test_outputs_,github.py golden.py junit.py log.py sarif.py) \
	$(addprefix tests/oracle/machine/test_,abi.py assembler.py checks.py hazards.py memory.py mfma.py order.py \
	scalar.py valu.py)
light: setup
	rm -rf $(LIGHT)
	$(OTHER) -m venv $(LIGHT)
	$(BIN)/python .ci/requirements.py torch flydsl mypy pre-commit ruff scipy > $(LIGHT)/requirements.txt
	$(LIGHT)/bin/python -m pip install --quiet --constraint constraints.txt --requirement $(LIGHT)/requirements.txt
	$(LIGHT)/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	$(LIGHT)/bin/python -m pytest $(SUITE) $(LIGHT_TESTS)

proof: setup
	$(BIN)/python -m pytest -n 2 -m proof

# A second core, and reference, with address and undefined-behaviour sanitizers, under the tests that reach most of it.
SANITIZED := $(CURDIR)/build/sanitize
WATCHED := $(addprefix machine/test_,valu memory scalar mfma checks defined sanitizers) test_steps
# Not exported by `make`: `setup`, which runs first, must build the ordinary core.
AS_SANITIZED := CC=gcc CFLAGS='-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -g1 \
	-DMACHINE_NO_CLONES -Werror'
sanitize: setup
	rm -rf $(SANITIZED)
	mkdir -p $(SANITIZED)
	cp -R oracle $(SANITIZED)
	rm -f $(SANITIZED)/oracle/*/*.so
	$(AS_SANITIZED) $(BIN)/python setup.py -q build_ext --build-temp $(SANITIZED)/temp --build-lib $(SANITIZED)
	@# `append`, and a safe path: the package beside the tests has the other core.
	LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" PYTHONMALLOC=malloc \
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 PYTHONPATH=$(SANITIZED) PYTHONSAFEPATH=1 \
	$(AS_SANITIZED) $(BIN)/pytest -n 2 --import-mode=append -p no:cacheprovider $(WATCHED:%=tests/oracle/%.py)

# Needs no core: the one at hand may be built from older tables, and `setup` builds the new one.
abi:
	$(PYTHON) oracle/machine/tables

# For tests of what aiter ships, which skip without it. The wheel is data: nothing of it is imported, run or committed.
AITER := 0.1.7.post2.dev18
WHEEL := build/amd-aiter

aiter-wheel: setup
	$(BIN)/python -m pip download --quiet --no-deps --dest $(WHEEL) amd-aiter==$(AITER)
	rm -rf $(WHEEL)/unpacked
	$(BIN)/python -m zipfile -e $(WHEEL)/amd_aiter-$(AITER)-*.whl $(WHEEL)/unpacked

# Every code object that aiter ships must be read.
foreign-objects: aiter-wheel
	$(BIN)/python -m tests.oracle.machine.parse_objects $(WHEEL)/amd_aiter-$(AITER)-*.whl

# CK's own kernels, compiled by clang, against the contract and against what porter makes of the same rows (20 minutes).
# Rows of both families, pipelines and chips; ORACLE_ARGS narrows it.
ORACLE := build/oracle
ORACLE_ARGS := --all-rows
CLANG := llvm-22 lld-22 clang-22
oracle: aiter-wheel
	command -v clang++-22 >/dev/null || .ci/debian "clang 22" $(CLANG)
	rm -rf $(ORACLE)
	$(BIN)/porter convert examples/ck_oracle.csv --out $(ORACLE)
	$(BIN)/porter verify --manifest $(ORACLE)/manifest.json --against ck --ck $(WHEEL)/unpacked $(ORACLE_ARGS)

# Refresh the committed kernels of the example file, with their proofs (minutes where the code is new), and the pages
# written from data; tests fail while they are stale.
generate: abi setup
	$(BIN)/porter convert examples/ck_instances.csv --out generated --census
	$(BIN)/porter verify
	$(BIN)/python -m porter.select.rejected docs/rejected.md
	$(BIN)/python -m porter.rewrite_rules.docs docs/rules.md
	$(BIN)/python -m porter.pages.cli docs/cli.md
	$(BIN)/python -m porter.pages.schemas
	$(BIN)/python -m porter.pages.codes docs/codes
	$(BIN)/python -m oracle.machine.check_examples.page docs/machine-checks.md
	$(BIN)/python -m oracle.waits.page docs/wait-checks.md

clean:
	rm -rf build $(VENV) *.egg-info
