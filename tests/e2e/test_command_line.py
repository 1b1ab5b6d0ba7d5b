"""``autograder check`` and ``pytest autograder/lessons/LESSON/checks --submission``."""

import builtins
import getpass
import json
import re
import sys
from pathlib import Path

import matplotlib.pyplot
import pytest
from IPython import get_ipython

from autograder.cli.main import main
from autograder.content import notebook as notebooks


@pytest.fixture
def notebook(tmp_path, root):
    """A copy of the solution in which the text of some cells is replaced."""

    def make(replace=None, name="attention.ipynb"):
        content = notebooks.read(root / "solutions" / "01-attention" / "attention.ipynb")
        for cell in content["cells"]:
            cell["source"] = (replace or {}).get(notebooks.grade_id(cell), cell["source"])
        path = tmp_path / name
        path.write_text(json.dumps(content), encoding="utf8")
        return path

    return make


SIGMOID = {"softmax": "def softmax(E, dim=-1):\n    return torch.sigmoid(E)\n"}


@pytest.fixture
def check(monkeypatch, capsys):
    """``autograder check`` in this process: return its exit status and what it printed."""

    def run(*arguments):
        status = main(["check", *map(str, arguments)])
        return status, capsys.readouterr()

    monkeypatch.setenv("MPLBACKEND", "Agg")
    yield run
    matplotlib.pyplot.switch_backend("agg")  # notebooks draw inline


def test_a_right_exercise_has_all_points(notebook, command):
    done = command("autograder", "check", notebook(), "--exercise", "softmax")
    assert done.returncode == 0, done.stderr
    assert re.search(r"total +7 of 7 points", done.stdout)


def test_a_wrong_exercise_exits_with_1_and_says_why(notebook, check):
    status, told = check(notebook(SIGMOID), "--exercise", "softmax", "--seed", "5")
    assert status == 1
    assert "Likely cause: sigmoid" in told.out
    assert "seed 5" in told.out


def test_json_holds_the_exercises_with_points_and_causes(notebook, check):
    _, told = check(notebook(SIGMOID), "--exercise", "softmax", "--exercise", "causal_mask", "--json")
    result = json.loads(told.out)
    assert [e["name"] for e in result["exercises"]] == ["softmax", "causal_mask"]
    assert result["exercises"][0]["named"] == ["sigmoid"]
    assert result["earned"] == sum(e["earned"] for e in result["exercises"])


def test_reports_an_error_in_one_cell_and_goes_on(notebook, check):
    broken = notebook({"softmax": "def softmax(E, dim=-1:\n"})
    _, told = check(broken, "--exercise", "softmax", "--exercise", "attend")
    assert "stopped with SyntaxError" in told.out
    assert "There is no softmax yet: no cell that has run defines it." in told.out
    assert re.search(r"attend +6 of 6 points", told.out)


def test_nothing_of_a_checked_notebook_stays_in_this_process(notebook, check):
    before = (Path.cwd(), list(sys.path), builtins.input, getpass.getpass)
    asks = notebook({"softmax": "import getpass\ninput('Your name?')\ngetpass.getpass()"})
    _, told = check(asks, "--exercise", "softmax")
    assert "input('Your name?') waits for a person" in told.out
    assert (Path.cwd(), list(sys.path), builtins.input, getpass.getpass) == before
    assert get_ipython() is None


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not a Jupyter notebook"),
        ("{}", "is not a Jupyter notebook"),
        ("[]", "is not a Jupyter notebook"),
        ('{"cells": 3, "metadata": {"course": {"assignment": "01-attention"}}}', "its cells are not a list"),
    ],
)
def test_refuses_a_file_that_is_not_a_notebook(tmp_path, check, content, message):
    (tmp_path / "x.ipynb").write_text(content, encoding="utf8")
    status, told = check(tmp_path / "x.ipynb")
    assert status == 2
    assert message in told.err


def test_refuses_an_unknown_file_or_exercise(tmp_path, notebook, check):
    status, told = check(tmp_path / "gone.ipynb")
    assert status == 2
    assert "No such file" in told.err
    status, told = check(notebook(), "--exercise", "attnd")
    assert status == 2
    assert "01-attention has no exercise 'attnd'. Expected one of: softmax, attend" in told.err


WARNS = {
    "attend": """
import warnings
def attend(q, X):
    warnings.warn('careful')
    a = torch.softmax(X @ q, 0)
    return a @ X, a
"""
}


@pytest.mark.slow
def test_pytest_agrees_with_the_command_about_a_submission(notebook, command):
    """A wrong answer, and a right one that warns, about which it agrees with ``autograder check``."""
    submission = notebook(SIGMOID | WARNS)
    which = ("-k", "check_softmax or check_attend")
    done = command("pytest", "autograder/lessons/attention/checks", "--submission", submission, *which)
    assert "5 failed, 7 passed" in done.stdout.splitlines()[-1], done.stdout[-2000:]
    assert "check_attend.py::" not in done.stdout
    assert "Likely cause: sigmoid." in done.stdout
    assert "Traceback" not in done.stdout


def test_pytest_without_a_submission_says_what_is_missing(command):
    done = command("pytest", "autograder/lessons/attention/checks")
    assert done.returncode != 0
    assert "--submission NOTEBOOK" in done.stdout + done.stderr
