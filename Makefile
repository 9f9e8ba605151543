# Everything a newcomer needs: `make demo` and `make test` set up what they use.

PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
# what looks after the packages does not stand among them
SUPPLY := $(VENV)-supply
# nor what builds the site
SITE := $(VENV)-docs
# nothing is installed but what a lock file has the hash of
INSTALL := -m pip install --quiet --disable-pip-version-check
LOCKED := $(INSTALL) --require-hashes
# compiled modules are kept, so that every start after the first is quick
export PYTHONDONTWRITEBYTECODE :=

.PHONY: demo workbench test test-all test-fast check lint bench clean help lock audit wheel docs

help:
	@echo "make demo       set up, make a census, find who stands out, protect it, write demo/"
	@echo "make workbench  set up, and open the demo's census in the browser"
	@echo "make test       set up, then checks and the whole test suite"
	@echo "make test-all   make test, and the long searches for counterexamples: some hours"
	@echo "make test-fast  the everyday part of the suite, in under three minutes"
	@echo "make check      formatting, lint, types, import layers, documentation"
	@echo "make bench      measure against other programs, write docs/benchmarks.md"
	@echo "make docs       site/: the documentation as a web site with search; open site/index.html"
	@echo "make wheel      dist/: the wheel, and the bill of materials that goes with it (CycloneDX)"
	@echo "make audit      ask whether a fault is known in a package that is pinned"
	@echo "make lock       write the lock files, with hashes; UPGRADE=--upgrade for newer versions"
	@echo "make clean      remove the environment and what the demo wrote"

$(VENV)/made $(SUPPLY)/made $(SITE)/made:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "Python 3.11 or newer is needed; set PYTHON=/path/to/python3.11"; exit 2; }
	$(PYTHON) -m venv $(@D)
	touch $@

$(VENV)/run: $(VENV)/made requirements.lock requirements-build.lock pyproject.toml
	$(BIN)/python $(LOCKED) -r requirements.lock -r requirements-build.lock
	$(BIN)/python $(INSTALL) --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/workbench: $(VENV)/run requirements-workbench.lock
	$(BIN)/python $(LOCKED) -r requirements-workbench.lock
	touch $@

$(VENV)/dev: $(VENV)/run requirements-dev.lock
	$(BIN)/python $(LOCKED) -r requirements-dev.lock
	touch $@

$(SUPPLY)/tools: $(SUPPLY)/made requirements-supply.lock
	$(SUPPLY)/bin/python $(LOCKED) -r requirements-supply.lock
	touch $@

$(SITE)/tools: $(SITE)/made requirements-docs.lock
	$(SITE)/bin/python $(LOCKED) -r requirements-docs.lock
	touch $@

demo: $(VENV)/run
	$(BIN)/indistinct demo --out demo

# the census of the demo, in a folder that may be thrown away
workbench: $(VENV)/workbench
	mkdir -p workbench
	test -f workbench/census.csv || $(BIN)/indistinct census --out workbench/census.csv
	$(BIN)/indistinct workbench workbench

# one run; it ends with how long it took of the ten minutes that it may take
test: $(VENV)/dev lint
	$(BIN)/python -m pytest -n 2 --dist worksteal -m "not long" --budget 600

# tests/conftest.py: properties with ten times the examples, and what is marked `long`
test-all: test
	$(BIN)/python -m pytest -n 2 -m "not spark and not postgres" --hypothesis-profile long

# everyday runs try properties with fewer examples; `make check` has the project's habits, the
# examples of all pages among them
test-fast: $(VENV)/dev
	$(BIN)/python -m pytest -n 2 --dist worksteal --ignore tests/project_habits --budget 180 \
	  -m "not heavy and not long and not spark and not postgres" --hypothesis-profile everyday

check: lint
	$(BIN)/python -m pytest tests/project_habits

lint: $(VENV)/dev
	$(BIN)/ruff format --check src tests bench tools
	$(BIN)/ruff check src tests bench tools
	$(BIN)/mypy

bench: $(VENV)/dev
	$(BIN)/python bench/run.py

# versions that are pinned stay as they are, unless UPGRADE=--upgrade
COMPILE := $(SUPPLY)/bin/uv pip compile -q --universal --python-version 3.11 --generate-hashes \
  --no-annotate --no-header --no-emit-index-url --no-emit-find-links $(UPGRADE)

lock: $(SUPPLY)/tools
	$(COMPILE) pyproject.toml -o requirements.lock
	$(COMPILE) --group build -o requirements-build.lock
	$(COMPILE) pyproject.toml --extra workbench -o requirements-workbench.lock
	$(COMPILE) pyproject.toml --extra spark --extra postgres --extra workbench --group dev \
	  -o requirements-dev.lock
	$(COMPILE) --group supply -o requirements-supply.lock
	$(COMPILE) --group docs -o requirements-docs.lock

# Error 1: a fault is known. Error 3: it could not be asked. (make itself ends with 2 for both.)
audit: $(SUPPLY)/tools
	$(SUPPLY)/bin/python tools/audit.py requirements.lock requirements-build.lock \
	  requirements-workbench.lock requirements-dev.lock requirements-supply.lock requirements-docs.lock

# nothing is fetched while it is built, and a link that leads nowhere stops it
docs: $(SITE)/tools
	NO_MKDOCS_2_WARNING=1 $(SITE)/bin/mkdocs build --quiet --strict
	@echo "site/index.html"

wheel: $(VENV)/dev
	rm -rf build dist
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps \
	  --no-build-isolation --wheel-dir dist .
	$(BIN)/python tools/bill_of_materials.py requirements.lock dist/*.whl

clean:
	rm -rf $(VENV) $(SUPPLY) $(SITE) demo workbench build dist site
