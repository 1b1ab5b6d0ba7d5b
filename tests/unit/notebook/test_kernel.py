"""After a restart: what a kernel says of a name that an earlier cell would have brought."""

import json
import os
import time
import tomllib
import types

import nbformat
import pytest
from nbclient import NotebookClient
from packaging.requirements import Requirement
from traitlets.config import Config

from autograder.notebook import kernel
from autograder.notebook.session import saved_notebook
from autograder.runtime import locations

IMPORTS = "# comment\nimport math\nfrom autograder.lessons.attention import check"
LOAD = "%load_ext autograder.notebook.kernel"


@pytest.fixture(scope="module")
def errors(tmp_path_factory):
    """What a kernel shows for cells that were run out of order, with their notebook saved beside it."""
    folder = tmp_path_factory.mktemp("restarted")
    texts = [LOAD, 'check("softmax")', "math.pi", "unknown_name", "print(later)", IMPORTS, "later = 3"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(text) for text in texts])
    path = folder / "attention.ipynb"
    path.write_text(json.dumps(notebook), encoding="utf8")
    run = nbformat.v4.new_notebook(cells=notebook.cells[:5])
    client = NotebookClient(run, timeout=300, allow_errors=True, resources={"metadata": {"path": str(folder)}})
    client.execute(env={**os.environ, "JPY_SESSION_NAME": str(path)})
    return [
        "\n".join(output.traceback)
        for cell in run.cells[1:]
        for output in cell.outputs
        if output.output_type == "error"
    ]


def test_check_without_its_import_gives_one_sentence(errors):
    assert errors[0] == (
        "check comes from the cell that begins with “import math”, which has not run in this kernel. "
        "Run > Run All Above Selected Cell runs what is missing."
    )


def test_a_missing_import_is_named_below_the_students_own_line(errors):
    assert "math.pi" in errors[1], "the traceback stays"
    assert errors[1].endswith(errors[0].replace("check comes", "math comes"))


def test_a_name_that_no_cell_defines_is_left_alone(errors):
    assert "unknown_name" in errors[2]
    assert "comes from" not in errors[2]


def test_names_the_cell_that_has_not_run(errors):
    assert "later comes from the cell that begins with “later = 3”" in errors[3]


def test_a_cell_that_has_run_is_not_called_missing(monkeypatch, tmp_path):
    path = tmp_path / "a.ipynb"
    cells = [{"cell_type": "code", "metadata": {}, "source": "later = 3"}]
    path.write_text(json.dumps({"cells": cells, "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf8")
    monkeypatch.setenv("JPY_SESSION_NAME", str(path))
    assert kernel.advice_on("later", {}, [])
    assert kernel.advice_on("later", {}, ["later = 3\n"]) == "", "its del, or its error, is the student's own"
    assert kernel.advice_on("later", {"later": 3}, []) == ""


def test_names_of_the_course_need_no_saved_notebook(monkeypatch):
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    assert kernel.advice_on("check", {}, []).startswith("check comes from the cell with the imports")
    assert kernel.advice_on("torch", {}, []) == ""


def test_the_configuration_that_is_installed_loads_it(root):
    path = root / "autograder" / "notebook" / "ipython_kernel_config.json"
    config = Config(json.loads(path.read_text(encoding="utf8")))
    assert config.InteractiveShellApp.extensions == [kernel.__name__]
    assert hasattr(kernel, "load_ipython_extension")


def test_the_cell_of_a_line_is_found_in_the_ipython_of_colab_too(monkeypatch):
    """IPython 7.34 does not map the names of compiled cells to their numbers, but makes the same names again."""

    def name_of(raw, transformed, number):
        return f"/tmp/ipykernel_7/{sum(map(ord, raw))}.py"

    shell = types.SimpleNamespace(
        compile=types.SimpleNamespace(get_code_name=name_of),
        history_manager=types.SimpleNamespace(input_hist_raw=["", "a = 1", "b = 2", "a = 1"]),
    )
    monkeypatch.setattr(locations, "kernel_shell", lambda: shell)
    assert locations.cell_of(name_of("b = 2", "", 0)) == 2
    assert locations.cell_of(name_of("a = 1", "", 0)) == 3, "the last time that it ran"
    assert locations.cell_of("/usr/lib/x.py") == 0


COLAB = {"ipython": "7.34.0", "ipykernel": "6.17.1", "numpy": "2.0.2", "matplotlib": "3.10.0", "scikit-learn": "1.6.1"}


def test_pip_replaces_nothing_that_colab_runs(root):
    project = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf8"))["project"]
    ranges = {Requirement(text).name: Requirement(text).specifier for text in project["dependencies"]}
    assert [name for name, version in COLAB.items() if version not in ranges[name]] == []


def test_the_notebook_that_was_saved_last_is_the_one_that_runs(monkeypatch, tmp_path):
    """No editor names it, and a copy of an earlier week lies beside it."""
    monkeypatch.delenv("JPY_SESSION_NAME", raising=False)
    marks = {"nbgrader": {"grade_id": "course-header"}, "course": {"assignment": "01-attention"}}
    for name, age in (("old", 200), ("new", 100), ("older", 300)):
        path = tmp_path / f"{name}.ipynb"
        cells = [{"cell_type": "code", "metadata": marks, "source": name}]
        path.write_text(
            json.dumps({"cells": cells, "metadata": marks, "nbformat": 4, "nbformat_minor": 5}), encoding="utf8"
        )
        os.utime(path, (time.time() - age, time.time() - age))
    found = saved_notebook("01-attention", tmp_path)
    assert found is not None
    assert found.path == tmp_path / "new.ipynb"
