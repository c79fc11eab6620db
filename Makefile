# Every target is a step of the continuous integration (.ci/run). Only Python 3.11+ with pip and make are assumed.
# Three stages of set-up, each done once and again only when pyproject.toml or constraints.txt change:
# what the command needs at run time, what the tests need, what lint and types need.

PYTHON ?= python3
PYTEST := .ci/pytest
VENV := .venv
BIN := $(VENV)/bin

# `python -m x` must not find the folders of this repository as top-level packages.
export PYTHONSAFEPATH := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PYRIGHT_PYTHON_IGNORE_WARNINGS := 1

# Extras of users; the others are for work on the repository.
USED := documents postgres view inspect parquet cluster
SBOM := build/judgemesh.cdx.json

# Tests that start servers, terminals and browsers, kill processes, wait for deadlines and install packages: `make e2e`.
WHOLE_RUNS := tests/e2e tests/plugin tests/examples tests/cli/whole_runs tests/terminal tests/browser tests/viewer \
    tests/isolation tests/fuzz tests/trust tests/cli/test_rollback.py tests/cli/test_view.py \
    tests/tracing/test_every_reader.py tests/tracing/test_ingest.py tests/tracing/test_large_traces.py \
    tests/ledger/test_report_log.py tests/ledger/test_summaries.py tests/ledger/test_roundtrip.py \
    tests/ledger/test_crash.py tests/ledger/test_views.py tests/ledger/test_maintenance.py \
    tests/grading/test_misbehaviour.py \
    tests/sources/test_read_only.py tests/sources/test_partly_read.py tests/testing/test_conformance.py \
    tests/architecture/test_wheel.py

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help setup environments demo lint types imports test chromium e2e docs site benchmarks integrations check coverage wheel sbom constraints clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# uv is ten times faster than pip; where it cannot be had, or cannot reach the index, pip does the same work. Both
# compile what they install, so that no start of a command pays for it, whatever PYTHONDONTWRITEBYTECODE says.
# $(1): what to install, as pip spells it.
define install
	@echo "installing $(1)"
	@if $(BIN)/python -m uv --version >/dev/null 2>&1 \
	    || $(BIN)/python -m pip install --quiet -c constraints.txt uv; then \
	  $(BIN)/python -m uv pip install --quiet --compile-bytecode --python $(BIN)/python -c constraints.txt -e "$(1)" \
	    || { echo "uv could not; trying pip"; $(BIN)/python -m pip install --quiet -c constraints.txt -e "$(1)"; }; \
	else \
	  $(BIN)/python -m pip install --quiet -c constraints.txt -e "$(1)"; \
	fi
	@$(BIN)/python -m compileall -q contracts prompts validators mesh
endef

$(BIN)/python:
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit(f"Python 3.11 or newer is needed, this is {v[0]}.{v[1]}: make PYTHON=python3.12 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: pyproject.toml constraints.txt | $(BIN)/python
	$(call install,.)
	@touch $@

$(VENV)/.test: $(VENV)/.run
	$(call install,.[test])
	@touch $@

$(VENV)/.check: $(VENV)/.test
	$(call install,.[check])
	@touch $@

setup: $(VENV)/.check ## the virtual environment with everything in it

demo: $(VENV)/.run ## grade the bundled example: no key, no network
	$(BIN)/judgemesh grade examples/support_desk/results.jsonl --contracts examples/support_desk/contracts.yaml \
	  --judge replay:examples/support_desk/judge.jsonl --ledger .judgemesh/demo.db --no-resume --fail-under 0

lint: $(VENV)/.check ## ruff: rules and formatting
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.check ## mypy and pyright, both strict
	$(BIN)/mypy
	$(BIN)/pyright

imports: $(VENV)/.test ## import-linter: who may import whom
	$(BIN)/lint-imports --no-cache

test: $(VENV)/.test ## pytest
	$(PYTEST) $(BIN)/python -n auto --dist worksteal $(addprefix --ignore=,$(WHOLE_RUNS) tests/benchmarks tests/docs tests/integrations)

chromium: ## the browser of tests/browser, installed where there is none
	@.ci/chromium

e2e: $(VENV)/.test chromium ## the installed command under kills, changed files, servers and hostile results; its pages in a browser
	$(PYTEST) $(BIN)/python -n auto --dist worksteal $(WHOLE_RUNS)

docs: $(VENV)/.test ## every command, script, contract and query that the README and docs/ show
	$(PYTEST) $(BIN)/python -n auto --dist worksteal tests/docs

benchmarks: $(VENV)/.test ## short forms of the benchmarks, and the recorded data where they are found
	$(PYTEST) $(BIN)/python -n auto --dist worksteal tests/benchmarks

# Packages that judgemesh meets but does not need, and that would burden its own environment, have environments of
# their own: tests/integrations/NAME/requirements.txt pins what .envs/NAME holds beside judgemesh. A package.json beside
# it pins what npm adds, by the node that requirements.txt names: without the optional packages, and --force because it
# lists the bindings of several platforms. An install that fails fails the target.
ENVIRONMENTS := $(sort $(patsubst tests/integrations/%/requirements.txt,%,$(wildcard tests/integrations/*/requirements.txt)))

.PRECIOUS: .envs/%/.ready
.SECONDEXPANSION:
.envs/%/.ready: tests/integrations/%/requirements.txt $$(wildcard tests/integrations/$$*/package.json) pyproject.toml | $(VENV)/.run
	@echo "installing the environment $*"
	@$(BIN)/python -m uv --version >/dev/null 2>&1 || $(BIN)/python -m pip install --quiet -c constraints.txt uv
	@$(BIN)/python -m uv venv --quiet --allow-existing --python $(BIN)/python .envs/$*
	@$(BIN)/python -m uv pip install --quiet --python .envs/$*/bin/python -r $< -e .
	@if [ -f tests/integrations/$*/package.json ]; then \
	  cp tests/integrations/$*/package.json .envs/$*/ && cd .envs/$* && PATH="$$PWD/bin:$$PATH" bin/npm install \
	    --force --omit=optional --ignore-scripts --no-audit --no-fund --no-package-lock --loglevel=error; \
	fi
	@touch $@

# Each environment runs only its own folder, with the settings of tests/integrations/pytest.ini and without the pytest
# plug-ins of the packages in it. Byte code is kept, because every test starts processes that import large packages.
integrations: $(ENVIRONMENTS:%=.envs/%/.ready) site chromium ## judgemesh with the real packages of other harnesses and frameworks
	@set -e; for name in $(ENVIRONMENTS); do echo "integrations: $$name"; \
	  PYTHONDONTWRITEBYTECODE= PYTEST_DISABLE_PLUGIN_AUTOLOAD=1 $(PYTEST) .envs/$$name/bin/python \
	  -c tests/integrations/pytest.ini -p xdist.plugin -n 2 --dist worksteal tests/integrations/$$name; done

# Pages and pictures made from code first, then the whole. Every warning of Sphinx is an error: a link or an anchor that
# leads nowhere, a page that no list has. -j auto reads pages in parallel, -E reads all of them.
site: .envs/site/.ready ## the documentation site, in build/site
	@rm -rf build/site docs/generated
	PYTHONPATH=docs .envs/site/bin/python docs/generate.py --site
	PYTHONPATH=docs:benchmarks .envs/site/bin/python docs/plots/draw.py
	.envs/site/bin/sphinx-build -q -W --keep-going -E -j auto -c docs -d build/site-state . build/site
	@echo "build/site/index.html"

check: lint types imports test e2e docs site benchmarks integrations ## all of these

coverage: $(VENV)/.test ## pytest with branch coverage, sub-processes included
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest --ignore=tests/integrations
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

wheel: $(VENV)/.test ## dist/judgemesh-*.whl
	@rm -rf build
	SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null || echo 315532800) \
	  $(BIN)/python -m pip wheel --quiet --no-deps --no-build-isolation --wheel-dir dist .

sbom: $(VENV)/.test ## the bill of materials, CycloneDX JSON, in build/
	@mkdir -p build
	$(BIN)/cyclonedx-py requirements constraints-hashes.txt --pyproject pyproject.toml --output-reproducible \
	  --output-format JSON --output-file $(SBOM)

# constraints-hashes.txt has the same versions of what the package itself uses, with the digests of their files, for
# `pip install --require-hashes`.
# constraints.txt: versions only, no index addresses, no machine paths, one file for every platform and Python from 3.11 on.
# Versions already there are kept; to move one: make constraints UPGRADE=--upgrade-package=rich
constraints: $(VENV)/.test ## bring constraints.txt in line with pyproject.toml
	printf 'uv\n' | $(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --all-extras \
	  --no-emit-package judgemesh --no-annotate --no-header $(UPGRADE) --output-file constraints.txt pyproject.toml - >/dev/null
	$(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 $(USED:%=--extra %) --generate-hashes \
	  --no-emit-package judgemesh --no-annotate --no-header --constraint constraints.txt \
	  --output-file constraints-hashes.txt pyproject.toml >/dev/null

environments: $(VENV)/.run ## bring tests/integrations/*/requirements.txt in line with requirements.in and pyproject.toml
	@set -e; for name in $(basename $(wildcard tests/integrations/*/requirements.in)); do \
	  $(BIN)/python -m uv pip compile --quiet --universal --python-version 3.11 --no-emit-package judgemesh \
	    --no-annotate --no-header $(UPGRADE) --output-file $$name.txt $$name.in pyproject.toml >/dev/null; done

clean: ## remove the virtual environment and everything built
	rm -rf $(VENV) .envs build dist judgemesh.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache .coverage .coverage.*
