# Every target is one command of the README. Only Python >= 3.11 and make are needed to start.
PYTHON ?= python3
BIN := .venv/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.PHONY: demo test test-long lint bench cost forecast missing unlabelled planning relatedness worlds clean

demo: .venv/plot-installed  ## fit on real digits and on the paper's model, print a table, draw a figure
	$(BIN)/python -m kinspan demo

# Two processes with one thread each; whichever is done first takes over tests of the other.
TEST := OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2

test: .venv/dev-installed   ## every law, doctest and README example, in three minutes
	$(TEST) --dist worksteal -m "not long"

test-long: .venv/dev-installed  ## simulations, clusters, killed processes, the browser and the tutorial of the command line
	$(TEST) --dist loadfile -m long

lint: .venv/dev-installed   ## style and types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

.PHONY: release-check
release-check: .venv/dev-installed  ## build, install with the core only and try on Python 3.11 to 3.14
	$(BIN)/python -m tests.release.check

.PHONY: fuzz fuzz-files
fuzz: .venv/dev-installed  ## the property tests with fresh random worlds for an hour
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.properties.fuzz --seconds 3600

fuzz-files: .venv/dev-installed  ## 100 000 mutated model and moments files
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m tests.hostile_files.fuzz --cases 100000

.PHONY: load
load: .venv/dev-installed  ## a day of traffic: 10 000 batches over 2 000 tasks, predictions in between; about half an hour
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.load

.PHONY: docs
docs: .venv/docs-installed  ## the documentation site in build/site; tutorials are executed, every warning is an error
	rm -rf docs/api/generated
	OPENBLAS_NUM_THREADS=1 $(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --fresh-env \
		--doctree-dir build/doctrees docs build/site

relatedness: .venv/dev-installed  ## the rules for the weights of tasks in simulated settings
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.relatedness

.PHONY: combination
combination: .venv/dev-installed  ## the default and fixed rules on rows of these settings, next to the oracle
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.combination

cost: .venv/dev-installed  ## time of ours and of the baselines against rows and features
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.cost

worlds: .venv/dev-installed  ## random worlds, plain and hostile: never much worse than every task alone
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.worlds

forecast: .venv/dev-installed  ## forecast and true errors, one row per regime; real data in the folder KINSPAN_DATA
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.forecast
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.forecast.broken

missing: .venv/dev-installed  ## missing values and absent columns compared with imputers and boosted trees; real data in the folder KINSPAN_DATA; about 20 minutes
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.missing
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.missing_time

.PHONY: wrong-labels
wrong-labels: .venv/dev-installed  ## wrong labels: found, counted and relied on less, compared with logistic regression on other folds; real data in the folder KINSPAN_DATA; about 20 minutes
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.wrong_labels

unlabelled: .venv/dev-installed  ## rows without labels compared with labels alone and with scikit-learn's semi-supervised methods; real data in the folder KINSPAN_DATA
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.unlabelled
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.unlabelled_bound

.PHONY: decisions
decisions: .venv/dev-installed  ## rare classes: forecasts of scores, thresholds and logistic regression; real data in the folder KINSPAN_DATA; about 20 minutes
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.decisions

planning: .venv/dev-installed  ## the error that more labels bring, expected and true; real data in the folder KINSPAN_DATA
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.planning

bench: .venv/dev-installed  ## time, memory and how they grow, as ratios to X.sum(axis=0) and to LogisticRegression in the same run
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.speed
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.everyday

.PHONY: bench-peers out-of-core
bench-peers: .venv-peers/installed  ## the libraries of others on the same rows
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 TF_CPP_MIN_LOG_LEVEL=3 .venv-peers/bin/python -m benchmarks.speed_of_peers

out-of-core: .venv/dev-installed  ## 20 GB of rows through less than 500 MB, about 8 minutes
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m benchmarks.out_of_core

.PHONY: accuracy accuracy-few
accuracy: .venv/dev-installed .venv-peers/installed  ## compared with what users would run instead, on the data in KINSPAN_DATA; continues where it stopped
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.accuracy
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 TF_CPP_MIN_LOG_LEVEL=3 .venv-peers/bin/python -m benchmarks.accuracy

accuracy-few: .venv/dev-installed  ## the same question with 3 to 20 labels per class in all tasks; continues where it stopped
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.accuracy.few

.PHONY: comparison
comparison: .venv-peers/installed  ## compared with other libraries, page included; data in KINSPAN_DATA; continues where it stopped
	OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1 TF_CPP_MIN_LOG_LEVEL=3 .venv-peers/bin/python -m benchmarks.comparison

.PHONY: reproduce
reproduce: .venv/dev-installed  ## every figure and table of the paper; real data in the folder KINSPAN_DATA
	OPENBLAS_NUM_THREADS=1 $(BIN)/python -m experiments all

SUDO := $(if $(filter 0,$(shell id -u)),,sudo)

.PHONY: browser
browser: .browser/node_modules/axe-core/axe.min.js  ## Debian's Chromium, its driver and axe-core, for the tests of the report page
	command -v chromium >/dev/null && command -v chromedriver >/dev/null || \
		($(SUDO) apt-get update -qq -o Acquire::Retries=3 && $(SUDO) apt-get install -o Acquire::Retries=3 -y -qq --no-install-recommends chromium chromium-driver)

.browser/node_modules/axe-core/axe.min.js:
	command -v npm >/dev/null || ($(SUDO) apt-get update -qq -o Acquire::Retries=3 && $(SUDO) apt-get install -o Acquire::Retries=3 -y -qq --no-install-recommends npm)
	npm install --silent --no-audit --no-fund --no-save --ignore-scripts --prefix .browser axe-core@4.14.0

clean:
	rm -rf .venv .venv-peers .browser build dist .mypy_cache .pytest_cache .ruff_cache

.venv/bin/python:
	$(PYTHON) -m venv .venv

.venv/plot-installed: pyproject.toml constraints.txt | .venv/bin/python
	$(INSTALL) --editable '.[plot]'
	touch $@

.venv/dev-installed: pyproject.toml constraints.txt | .venv/bin/python
	$(INSTALL) --editable '.[dev]'
	touch $@ .venv/plot-installed

.venv/docs-installed: .venv/dev-installed
	$(INSTALL) --editable '.[docs]'
	touch $@

# The libraries of others that `accuracy` and `comparison` compare with, TensorFlow among them: 2.7 GB.
.venv-peers/installed: pyproject.toml constraints.txt benchmarks/peers-constraints.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt \
		--constraint benchmarks/peers-constraints.txt --editable '.[progress]' scikit-lego skada adapt lightgbm
	touch $@
