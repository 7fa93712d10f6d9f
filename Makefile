# SPDX-License-Identifier: Apache-2.0
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
SCRATCH := build/demo
STAMP := $(VENV)/.installed

.PHONY: setup demo test lint proof abi generate clean

setup: $(STAMP)

# setup.py and the C sources are listed because an editable install compiles the machine's core once.
$(STAMP): pyproject.toml setup.py constraints.txt $(wildcard oracle/machine/core/*.[ch])
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

test: setup lint
	$(BIN)/python -m pytest -n 2 -m 'not proof'

proof: setup
	$(BIN)/python -m pytest -n 2 -m proof

# Needs no core: the one at hand may be built from older tables, and `setup` builds the new one.
abi:
	$(PYTHON) oracle/machine/tables

# Refresh the committed kernels of the example file and the pages written from data; tests fail while they are stale.
generate: abi setup
	$(BIN)/porter convert examples/ck_instances.csv --out generated --census
	$(BIN)/python -m porter.rejected docs/rejected.md
	$(BIN)/python -m porter.rewrite_rules.docs docs/rules.md
	$(BIN)/python -m porter.pages.cli docs/cli.md
	$(BIN)/python -m porter.pages.schemas docs/schemas.md
	$(BIN)/python -m porter.pages.gate docs/gate-rules.md
	$(BIN)/python -m oracle.machine.check_examples.page docs/machine-checks.md
	$(BIN)/python -m oracle.waits.page docs/wait-checks.md

clean:
	rm -rf build $(VENV) *.egg-info
