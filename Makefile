# Every target is one command of the README. Only Python >= 3.11 and make are needed to start.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test lint bench cost forecast relatedness worlds clean

demo: .venv/plot-installed  ## fit on real digits and on the paper's model, print a table, draw a figure
	$(BIN)/python -m kinspan demo

test: .venv/dev-installed   ## every test, doctest and README example
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2  # one thread for each process

lint: .venv/dev-installed   ## style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

relatedness: .venv/dev-installed  ## the rules for the weights of tasks in simulated settings
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.relatedness

cost: .venv/dev-installed  ## time of ours and of the baselines against rows and features
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.cost

worlds: .venv/dev-installed  ## random worlds: never much worse than every task alone
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.worlds

forecast: .venv/dev-installed  ## forecast and actual errors on real data in the folder KINSPAN_DATA
	$(BIN)/python -m benchmarks.forecast

bench: .venv/dev-installed  ## time and memory, as ratios to X.sum(axis=0) in the same run
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.speed

clean:
	rm -rf .venv build dist .mypy_cache .pytest_cache .ruff_cache

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/plot-installed: pyproject.toml constraints.txt | .venv/bin/python
	$(INSTALL) --editable '.[plot]'
	touch $@

.venv/dev-installed: pyproject.toml constraints.txt | .venv/bin/python
	$(INSTALL) --editable '.[dev]'
	touch $@ .venv/plot-installed
