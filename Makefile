# Everything a newcomer needs: `make demo` and `make test` set up what they use.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# compiled modules are kept, so that every start after the first is quick
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo test test-fast check bench clean help lock

help:
	@echo "make demo       set up, make a census, find who stands out, protect it, write demo/"
	@echo "make test       set up, then checks and the whole test suite"
	@echo "make test-fast  the everyday part of the suite, in under three minutes"
	@echo "make check      formatting, lint, types, import layers, documentation"
	@echo "make bench      measure against other programs, write docs/benchmarks.md"
	@echo "make clean      remove the environment and what the demo wrote"

$(VENV)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(VENV)
	touch $@

$(VENV)/run: $(VENV)/made requirements.lock pyproject.toml
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps -e .
	touch $@

$(VENV)/dev: $(VENV)/run requirements-dev.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.lock
	touch $@

demo: $(VENV)/run
	$(BIN)/indistinct demo --out demo

# Spark wants both processors, and a server is started for PostgreSQL: these one after another
test: $(VENV)/dev check test-fast
	$(BIN)/python -m pytest -n 2 -m "heavy and not spark and not postgres"
	$(BIN)/python -m pytest -m "spark or postgres"

# everyday runs try properties with fewer examples; `make test` with all
PROFILE := everyday
test: PROFILE := default

# `make check` runs the project's habits, the examples of all pages among them
test-fast: $(VENV)/dev
	$(BIN)/python -m pytest -n 2 -m "not heavy and not spark and not postgres" \
	  --ignore tests/project_habits --hypothesis-profile $(PROFILE)

check: $(VENV)/dev
	$(BIN)/ruff format --check src tests bench tools
	$(BIN)/ruff check src tests bench tools
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/project_habits

bench: $(VENV)/dev
	$(BIN)/python bench/run.py

lock: $(VENV)/dev
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --no-annotate --no-header \
	  pyproject.toml -o requirements.lock
	$(BIN)/uv pip compile -q --universal --python-version 3.11 --no-annotate --no-header \
	  pyproject.toml --extra spark --extra postgres --group dev -o requirements-dev.lock

clean:
	rm -rf $(VENV) demo build dist
