# What people and CI run. `make help` prints the lines that carry `##`.
#
# Environments: $(VENV) is made once; an editable install is repeated only when pyproject.toml or
# constraints.txt changed, which the two stamp files in it remember.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

PYTHON ?= python3
VENV ?= .venv
SERVE ?= 1
PYTEST_ARGS ?=
FUZZ_KILLS ?= 100
CALIBRATE_SERIES ?= 1000
CALIBRATE_ARGS ?=

bin := $(VENV)/bin
pip := $(bin)/python -m pip
install := $(pip) install -qq --disable-pip-version-check --constraint constraints.txt
packages := signals dashboard queries

.PHONY: help
help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)
	@echo
	@echo "  PYTHON=python3.13 picks the interpreter of a new environment, VENV=DIR its folder (.venv)."

# --- environments -----------------------------------------------------------------------------------

$(VENV)/.pip-ready:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "error: $(PYTHON) is missing or older than 3.11; name another: make PYTHON=python3.13" >&2; \
		exit 1; \
	}
	@$(PYTHON) -c 'import ensurepip, venv' || { \
		echo "error: $(PYTHON) cannot make environments; on Debian install python3-venv" >&2; \
		exit 1; \
	}
	@echo "making the environment $(VENV)"
	@test -x $(bin)/python || $(PYTHON) -m venv $(VENV)
	@$(pip) --version >/dev/null 2>&1 || $(bin)/python -m ensurepip --upgrade >/dev/null
	@$(install) --upgrade pip
	@touch $@

$(VENV)/.runtime-installed: $(VENV)/.pip-ready pyproject.toml constraints.txt
	@echo "installing autoscale-signals into $(VENV) (this takes a while the first time)"
	@$(install) --editable .
	@touch $@

$(VENV)/.dev-installed: $(VENV)/.runtime-installed
	@echo "installing the test and lint tools into $(VENV)"
	@$(install) --group dev
	@touch $@

.PHONY: install
install: $(VENV)/.dev-installed ## the environment with all test and lint tools

# --- the product ------------------------------------------------------------------------------------

.PHONY: demo
demo: $(VENV)/.runtime-installed ## the whole loop on a generated day, then the dashboard (SERVE=0: stop after the report)
	$(bin)/signals demo $(if $(filter 0,$(SERVE)),--no-serve,--serve)

# --- checks -----------------------------------------------------------------------------------------

.PHONY: check
check: $(VENV)/.dev-installed ## format, lint, types, import floors
	$(bin)/ruff format --check .
	$(bin)/ruff check .
	$(bin)/mypy
	$(bin)/lint-imports

.PHONY: format
format: $(VENV)/.dev-installed ## rewrite the code in the house format, apply safe lint fixes
	$(bin)/ruff check --fix --exit-zero .
	$(bin)/ruff format .

.PHONY: docs
docs: $(VENV)/.dev-installed browser ## generated parts of docs/ingest.md and docs/measures.md, with its pictures
	$(bin)/python -c 'from pathlib import Path; from signals.report.guide import renew, renew_rules; \
		renew(Path("docs/ingest.md")); renew_rules(Path("docs/measures.md"))'
	$(bin)/python docs/draw.py

.PHONY: test
test: $(VENV)/.dev-installed browser prometheus ## every test (PYTEST_ARGS="tests/unit -k lag" for some)
	$(bin)/python -m pytest --benchmark-disable $(PYTEST_ARGS)

.PHONY: coverage
coverage: $(VENV)/.dev-installed ## every test but the timings, with branch coverage
	$(bin)/python -m coverage erase
	$(bin)/python -m coverage run -m pytest --benchmark-disable $(PYTEST_ARGS)
	$(bin)/python -m coverage combine --quiet
	$(bin)/python -m coverage report --skip-covered --show-missing

.PHONY: bench
bench: $(VENV)/.dev-installed ## timings, saved as JSON under .benchmarks with machine and versions
	$(bin)/python -m pytest tests/bench --benchmark-only --benchmark-autosave $(PYTEST_ARGS)

.PHONY: calibrate
calibrate: $(VENV)/.dev-installed ## every measure on series of known truth; writes docs/calibration.md (CALIBRATE_SERIES=, CALIBRATE_ARGS="--only lag")
	$(bin)/python -m tests.calibration.run --series $(CALIBRATE_SERIES) $(CALIBRATE_ARGS)

.PHONY: fuzz
fuzz: $(VENV)/.dev-installed ## 10,000 damaged files, 100 killed loads, files of 2 GB (FUZZ_FILES=, FUZZ_SEED=, FUZZ_KILLS=)
	$(bin)/python -m tests.fuzz.run
	FUZZ_KILLS=$(FUZZ_KILLS) $(bin)/python -m pytest -q tests/scenarios/test_store_killed_load.py \
		tests/scenarios/test_store_lake_faults.py
	$(bin)/python -m tests.fuzz.memory

# Chromium, Prometheus and VictoriaMetrics are real parts of the tests. Where Debian's packages may be installed they are;
# elsewhere the tests that need them skip and say so, except in CI, which must not pass without them.
define ensure_command
	@command -v $(1) >/dev/null && exit 0; \
	if [ "$$(id -u)" = 0 ]; then as_root=; else as_root="sudo -n"; fi; \
	if command -v apt-get >/dev/null && $$as_root true 2>/dev/null; then \
		echo "installing Debian's $(2)"; \
		apt="$$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Acquire::Retries=3"; \
		$$apt update && $$apt install -y --no-install-recommends $(2) >/dev/null && { $(3); exit 0; }; \
	fi; \
	if [ "$$CI" = true ]; then \
		echo "error: no $(1) here and $(2) could not be installed" >&2; exit 1; \
	fi; \
	echo "no $(1) here: the tests that need it will skip (on Debian: apt-get install $(2))"
endef

.PHONY: browser
browser: ## Chromium for the browser tests
	$(call ensure_command,chromium,chromium fonts-liberation,true)

.PHONY: prometheus
prometheus: ## Prometheus and VictoriaMetrics for the tests that ask real ones (their services are switched off)
	$(call ensure_command,prometheus,prometheus,$$as_root systemctl disable --now prometheus >/dev/null 2>&1 || true)
	$(call ensure_command,victoria-metrics,victoria-metrics,$$as_root systemctl disable --now victoria-metrics >/dev/null 2>&1 || true)

# --- packaging --------------------------------------------------------------------------------------

.PHONY: wheel
wheel: $(VENV)/.dev-installed ## dist/*.whl
	$(bin)/python -m hatchling build --target wheel

.PHONY: constraints
constraints: ## write constraints.txt anew from pyproject.toml (needs uv; using the file does not)
	printf 'pip>=25.1\n' | uv pip compile --universal --python-version 3.11 --no-header --no-annotate \
		--no-emit-index-url --quiet --upgrade --group dev pyproject.toml - > constraints.new
	mv constraints.new constraints.txt

.PHONY: clean
clean: ## remove what the targets above made, the environment included
	@rm -rf $(VENV) demo dist build coverage.xml .coverage .coverage.* .benchmarks .mypy_cache .ruff_cache \
		.pytest_cache .hypothesis .import_linter_cache
	@find $(packages) tests -name __pycache__ -type d -prune -exec rm -rf {} +
