# make app    the dashboard, on sample data
# make test   every test, the browser's too
# make unit   the tests that take less than about a second each
# make lint   style and types
# make docs   the site, in docs/_build
# make prove  the contract, tried COUNT times, as one table (make soak: 200 times, for some hours)
# make bench  speed against peers, as ratios, in one table (by hand; NAMES="import race" for some)
# make samples  measure the shipped samples anew (needs clang, llvm-mca, valgrind; two of them a GPU)

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
export OPENBLAS_NUM_THREADS ?= 2
# Of what is installed a fifth is ever imported: Python compiles that when it first meets it, and keeps it, whatever the
# environment says.
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile
export PYTHONDONTWRITEBYTECODE =

.PHONY: app test unit lint docs bench prove soak samples lock clean

app: $(VENV)/.app
	$(BIN)/ridgeline app

# There is a worker for each processor: threads inside one would but wait for each other, and burn time as they do.
test unit: export OMP_NUM_THREADS ?= 1
# How many workers there are, and the order of files, say tests/conftest.py.
WORKERS := -n auto --dist loadfile --no-loadscope-reorder

test: $(VENV)/.dev
	$(BIN)/python -m pytest $(WORKERS) tests

unit: $(VENV)/.dev
	$(BIN)/python -m pytest $(WORKERS) -m "not slow" tests

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check --quiet .
	$(BIN)/mypy

docs: $(VENV)/.dev
	$(BIN)/python -m sphinx -W -q --keep-going -b html docs docs/_build

bench: $(VENV)/.dev
	PYTHONPATH=. $(BIN)/python -m tests.bench $(NAMES) --keep docs/bench.json

COUNT ?= 20
SECONDS ?= 5
SESSIONS ?= 6
LAB_SECONDS ?= 20
ONLY ?=

prove: $(VENV)/.dev
	OPENBLAS_NUM_THREADS=1 PYTHONPATH=. $(BIN)/python -m tests.prove $(COUNT) --seconds $(SECONDS) \
	  --sessions $(SESSIONS) --lab-seconds $(LAB_SECONDS) --only "$(ONLY)"

soak:
	$(MAKE) prove COUNT=200 SECONDS=60 SESSIONS=20 LAB_SECONDS=1800

samples: $(VENV)/.app
	@for file in data/samples/*/collect.py; do echo $$file; $(BIN)/python $$file || failed=1; done; test -z "$$failed"

# The versions that the lock files name, from a fresh resolution.
lock:
	rm -rf $(VENV)-lock && $(PYTHON) -m venv $(VENV)-lock
	$(VENV)-lock/bin/pip install -q . hatchling editables
	(echo "# What \`make app\` installs, exactly. Made by \`make lock\`."; \
	  $(VENV)-lock/bin/pip freeze | grep == | sort -f) > requirements.lock
	$(VENV)-lock/bin/pip install -q '.[dev]'
	(echo "# What \`make test\` and \`make lint\` install besides, exactly. Made by \`make lock\`."; \
	  echo "-r requirements.lock"; \
	  $(VENV)-lock/bin/pip freeze | grep == | grep -vxFf requirements.lock | sort -f) > requirements-dev.lock
	rm -rf $(VENV)-lock

clean:
	rm -rf $(VENV) .pytest_cache .ruff_cache .mypy_cache .hypothesis

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  (echo "Ridgeline needs Python 3.11 or newer; try make PYTHON=python3.12" >&2; exit 1)
	$(PYTHON) -m venv $(VENV)

$(VENV)/.app: requirements.lock pyproject.toml install/wheel.py install/checkout.py | $(VENV)/bin/python
	$(PIP) -r requirements.lock
	$(PIP) --no-deps --no-build-isolation -e .
	touch $@

$(VENV)/.dev: requirements-dev.lock $(VENV)/.app
	$(PIP) -r requirements-dev.lock
	touch $@
