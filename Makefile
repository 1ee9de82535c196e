# Two doors: `make try` sets up and runs the main job, `make test` sets up and runs all tests.
# Everything lives in .venv and .cache of this folder.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
FOLDER ?= .

.PHONY: try test env env-dev lint types unit prepare-editors editors test-editors types-and-editors bench docs site clean

try: env
	@scripts/try.sh "$(FOLDER)"

test: prepare-editors lint unit types-and-editors

# An environment names the folder that it was made in: one that was moved or copied is made anew.
ifneq ($(shell cat $(VENV)/.installed 2>/dev/null || pwd),$(shell pwd))
.PHONY: $(VENV)/.installed $(VENV)/.installed-dev
endif

env: $(VENV)/.installed
env-dev: $(VENV)/.installed-dev

$(VENV)/.installed: pyproject.toml
	@scripts/environment.sh "$(PYTHON)" "$(VENV)"
	@pwd > $@

$(VENV)/.installed-dev: pyproject.toml
	@scripts/environment.sh "$(PYTHON)" "$(VENV)" dev
	@pwd > $(VENV)/.installed
	@touch $@

lint: env-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: env-dev
	$(BIN)/mypy

# Four processes for two cores: most tests drive real processes and wait for them, so that two left
# the cores idle half of the time. A busy machine now and then holds a process up for longer than a
# test waits: what failed is run up to twice more, and the summary names it (RERUN), so that a flaky
# test is seen and mended.
#
# Files are taken in their order: by their number of tests the slowest, which have few, came last,
# one after the other. Where an environment forbids bytecode, each of the thousands of processes
# would compile all that it imports.
unit: env-dev
	env -u PYTHONDONTWRITEBYTECODE $(BIN)/python -m pytest --durations 20 -n 4 --dist loadfile \
	  --no-loadscope-reorder --reruns 2 --ignore tests/e2e tests

# Two minutes of network and compiling, beside the environment and the linters; `editors` waits
# for it, and installs by itself what is missing then.
prepare-editors:
	@mkdir -p .cache
	@nohup nice tests/e2e/install-editors.sh >.cache/editors-install.log 2>&1 &

editors test-editors: env-dev
	@scripts/test-editors.sh

# The editors' suites wait for their windows and leave a core idle for half of the time.
types-and-editors: env-dev
	@$(MAKE) --no-print-directory -j 2 types editors

# The tables of docs/benchmarks.md, docs/retrieval.md and docs/graph.md; see docs/benchmarks.md.
bench: env-dev
	$(BIN)/python -m tests.bench

# The pages that are made from the code; tests compare them.
docs: env-dev
	$(BIN)/python -m surveyor.config.reference > docs/configuration.md
	$(BIN)/python -m surveyor.store.state.schema > docs/schema.md
	PYTHONPATH=. $(BIN)/python scripts/man_page.py
	$(BIN)/python scripts/completions.py

# The documentation as a site, in build/site; a link or an anchor that leads nowhere is an error.
site: env-dev
	$(BIN)/python scripts/site.py

clean:
	rm -rf $(VENV) build .cache .mypy_cache .ruff_cache .pytest_cache .hypothesis
