# Each target sets itself up. Needed beforehand: Python 3.11 or later with venv, and make.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# A student's environment has JupyterLab and the course; where everything is installed already, that serves as well.
LAB_READY := $(if $(wildcard $(READY)),$(READY),$(VENV)/.ready-lab)

.PHONY: install demo test nightly lab release site audit bench lint clean

install: $(READY)

$(READY): EXTRAS := teach,dev
$(VENV)/.ready-lab: EXTRAS := lab

# An editable install leaves out what kernels read when they start, so it is copied.
$(READY) $(VENV)/.ready-lab: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; choose one with: make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[$(EXTRAS)]'
	mkdir -p $(VENV)/etc/ipython && cp autograder/judging/ipython_kernel_config.json $(VENV)/etc/ipython/
	touch $@

# Build the lessons, grade a sample class with nbgrader, show the scores and say where the feedback lies.
demo: install
	$(BIN)/autograder build
	$(BIN)/autograder demo

# Four workers on two cores: much of the time is waiting for processes that start or are stopped.
test: install
	$(BIN)/python -m autograder.authoring.with_numbers notebooks
	$(BIN)/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder --durations=25 --nbval-lax tests notebooks

# What takes hours: every way to a grade for every lesson, all seeds, a fresh environment, the notebooks trained from nothing,
# every known answer, every hostile submission both ways.
nightly: install
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[teach,dev,hub]'
	! command -v npm || npm install --silent --prefix $(VENV)/node configurable-http-proxy
	PATH="$(CURDIR)/$(VENV)/node/node_modules/.bin:$$PATH" WHOLE_WAY=all $(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder tests
	$(BIN)/python -m autograder.authoring.with_numbers nightly && rm -f nightly/*/*.safetensors
	$(BIN)/python -m pytest -n 2 --nbval-lax --nbval-cell-timeout 1800 nightly && rm -rf nightly
	$(BIN)/autograder audit

# A working copy of the assignments: what you write there is yours and is never overwritten. LAB holds options of JupyterLab.
lab: $(LAB_READY)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/autograder lab -- $(LAB)

release: install
	$(BIN)/autograder build

# The course as a site that needs no network, in site/. What a lesson shows without a solved exercise is run for it.
site: install
	$(BIN)/autograder site

audit: install
	$(BIN)/autograder audit

bench: install
	$(BIN)/autograder bench

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

clean:
	rm -rf demo nightly notebooks site bench.json .pytest_cache .mypy_cache .ruff_cache
