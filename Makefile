# Each target sets itself up. Needed beforehand: Python 3.11 or later with venv, and make.
PYTHON ?= python3
# The tests start thousands of processes: what Python compiles is kept, even where the environment says not to.
unexport PYTHONDONTWRITEBYTECODE
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
# A student's environment has JupyterLab and the course; where everything is installed already, that serves as well.
LAB_READY := $(if $(wildcard $(READY)),$(READY),$(VENV)/.ready-lab)
# The demo needs what a teaching assistant needs, and neither test tools nor the makings of the site.
DEMO_READY := $(if $(wildcard $(READY)),$(READY),$(VENV)/.ready-teach)

.PHONY: install demo test test-full nightly fuzz lab release site audit bench lint clean

install: $(READY)

$(READY): EXTRAS := teach,dev
$(VENV)/.ready-teach: EXTRAS := teach
$(VENV)/.ready-lab: EXTRAS := lab

# pip compiles what it installs on one core, the packages' tests and hundreds of models of transformers too. Compiled it must be:
# the sandbox sees it read-only, and every grading process would compile it again.
# An editable install leaves out what kernels and servers read when they start, so it is copied.
$(READY) $(VENV)/.ready-teach $(VENV)/.ready-lab: pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or later is needed; choose one with: make PYTHON=python3.12")'
	@echo "setting up $(VENV) with the extras $(EXTRAS): one to three minutes"
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --no-compile --constraint constraints.txt --editable '.[$(EXTRAS)]'
	$(BIN)/python -m compileall -qq -j 0 -x '/tests?/|/transformers/models/|/torch/testing/_internal/' $(VENV)/lib || true
	mkdir -p $(VENV)/etc/ipython && cp autograder/notebook/ipython_kernel_config.json $(VENV)/etc/ipython/
	mkdir -p $(VENV)/etc/jupyter/jupyter_server_config.d && cp autograder/nbgrader_plugins/autograder.json $(VENV)/etc/jupyter/jupyter_server_config.d/
	touch $@

# Build the first lesson, grade a sample class in it with nbgrader, show the scores and say where the feedback lies.
demo: $(DEMO_READY)
	$(BIN)/autograder build 01-attention
	$(BIN)/autograder demo

# Tests are chosen by their marks, which pyproject.toml explains. tests/unit/repository/test_marks.py shows that nothing is left out.
FAST := not slow and not e2e and not browser and not nightly
FULL := (slow or e2e or browser) and not nightly
PYTEST := $(BIN)/python -m pytest --dist loadfile --no-loadscope-reorder

# Minutes: every exercise, every mechanism, and the whole way once. `make test ONLY=softmax`, ONLY=02-multi-head-attention,
# ONLY=masks or ONLY=test_training_fit runs what concerns one exercise, lesson, module or test file, in seconds.
test: install
ifdef ONLY
	$(PYTEST) -m "$(FAST)" --only "$(ONLY)" tests
else
	$(PYTEST) -n 2 -m "$(FAST)" --durations=25 --save-durations=fast tests
endif

# The rest: a lesson with its files the whole way, attacks of every kind, the notebooks, the class, the browser. Of many cases of
# one kind it has some, and the nightly run has all. Four workers on two cores: some tests wait for processes to be stopped.
test-full: install
	$(BIN)/python -m autograder.authoring.with_numbers notebooks --quick
	$(PYTEST) -n 4 -m "$(FULL)" --durations=25 --save-durations=full --nbval-lax tests notebooks

# What repeats these for more cases, and takes hours: every way to a grade for every lesson, all seeds, a fresh environment, the
# notebooks trained from nothing, hostile submissions in every lesson. Each night has an eighth of the lessons, the next night the
# next; `make nightly NIGHTS=1` has all. `make fuzz` and `make audit` are nightly, too.
NIGHTS ?= 8
nightly: install
	$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable '.[teach,dev,hub]'
	! command -v npm || npm install --silent --prefix $(VENV)/node configurable-http-proxy
	PATH="$(CURDIR)/$(VENV)/node/node_modules/.bin:$$PATH" $(PYTEST) -n 2 -m nightly --nights $(NIGHTS) --durations=25 tests
	$(BIN)/python -m autograder.authoring.with_numbers nightly && rm -f nightly/*/*.safetensors
	$(PYTEST) -n 2 --nbval-lax --nbval-cell-timeout 1800 nightly && rm -rf nightly

# What reads a stranger's bytes, for an hour: `make test-full` tries 100 examples of each kind.
fuzz: install
	FUZZ=100000 $(BIN)/python -m pytest -n 2 --timeout 7200 tests/sandbox/test_fuzz.py

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
