"""``autograder check`` and ``pytest autograder/lessons/LESSON/checks --submission``."""

import json
import re

import pytest

from autograder.judging import notebooks


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


def test_a_right_exercise(notebook, command):
    done = command("autograder", "check", notebook(), "--exercise", "softmax")
    assert done.returncode == 0, done.stderr
    assert re.search(r"total +7 of 7 points", done.stdout)


def test_a_wrong_exercise_exits_with_1_and_says_why(notebook, command):
    done = command("autograder", "check", notebook(SIGMOID), "--exercise", "softmax", "--seed", "5")
    assert done.returncode == 1
    assert "Likely cause: sigmoid" in done.stdout
    assert "seed 5" in done.stdout


def test_json(notebook, command):
    done = command(
        "autograder", "check", notebook(SIGMOID), "--exercise", "softmax", "--exercise", "causal_mask", "--json"
    )
    result = json.loads(done.stdout)
    assert [e["name"] for e in result["exercises"]] == ["softmax", "causal_mask"]
    assert result["exercises"][0]["named"] == ["sigmoid"]
    assert result["earned"] == sum(e["earned"] for e in result["exercises"])


def test_an_error_in_one_cell_is_told_and_stops_nothing(notebook, command):
    broken = notebook({"softmax": "def softmax(E, dim=-1:\n"})
    done = command("autograder", "check", broken, "--exercise", "softmax", "--exercise", "attend")
    assert "stopped with SyntaxError" in done.stdout
    assert "There is no softmax in this notebook yet." in done.stdout
    assert re.search(r"attend +6 of 6 points", done.stdout)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is not a Jupyter notebook"),
        ("{}", "is not a Jupyter notebook"),
        ("[]", "is not a Jupyter notebook"),
        ('{"cells": 3, "metadata": {"course": {"assignment": "01-attention"}}}', "its cells are not a list"),
    ],
)
def test_a_file_that_is_no_notebook(tmp_path, command, content, message):
    (tmp_path / "x.ipynb").write_text(content, encoding="utf8")
    done = command("autograder", "check", tmp_path / "x.ipynb")
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_no_such_file_and_no_such_exercise(tmp_path, notebook, command):
    assert "No such file" in command("autograder", "check", tmp_path / "gone.ipynb").stderr
    done = command("autograder", "check", notebook(), "--exercise", "attnd")
    assert done.returncode == 2
    assert "01-attention has no exercise 'attnd'. Expected one of: softmax, attend" in done.stderr


def test_pytest_with_a_submission(notebook, command):
    done = command(
        "pytest", "autograder/lessons/attention/checks", "--submission", notebook(SIGMOID), "-k", "check_softmax"
    )
    assert "5 failed, 1 passed" in done.stdout.splitlines()[-1], done.stdout[-2000:]
    assert "Likely cause: sigmoid." in done.stdout
    assert "Traceback" not in done.stdout


def test_pytest_without_a_submission_says_what_is_missing(command):
    done = command("pytest", "autograder/lessons/attention/checks")
    assert done.returncode != 0
    assert "--submission NOTEBOOK" in done.stdout + done.stderr


def test_an_experiment_that_the_student_changed_is_run_only_where_something_needs_it(notebook):
    """One that a student has made longer must not use up the time for the exercises."""
    content = notebooks.read(notebook())
    [changed, *_] = [c for c in content["cells"] if "experiment" in c["metadata"].get("tags", [])]
    changed["source"] = "helper = 1729"
    own = {"cell_type": "code", "metadata": {}, "source": "print(helper)"}
    assert notebooks.needed_cells([changed]) == [False]
    assert notebooks.needed_cells([changed, own]) == [True, True]


def test_an_exercise_that_was_written_into_an_experiment_is_run(notebook):
    content = notebooks.read(notebook())
    [changed, *_] = [c for c in content["cells"] if "experiment" in c["metadata"].get("tags", [])]
    [check] = [c for c in content["cells"] if notebooks.grade_id(c) == "check-softmax"]
    changed["source"] = "def softmax(E, dim=-1):\n    return torch.softmax(E, dim)"
    assert notebooks.needed_cells([changed, check]) == [True, False]


def test_magics_await_and_plots_run(tmp_path):
    lines = [
        "%matplotlib inline",
        "import matplotlib.pyplot as plt; plt.plot([1]); plt.show()",
        "x = await __import__('asyncio').sleep(0, 5)",
    ]
    cells = [{"cell_type": "code", "metadata": {}, "source": [line]} for line in lines]
    (tmp_path / "x.ipynb").write_text(json.dumps({"cells": cells, "metadata": {}}), encoding="utf8")
    run = notebooks.run(tmp_path / "x.ipynb")
    assert run.errors == []
    assert run.namespace["x"] == 5


def test_pytest_and_check_agree_on_a_right_answer_that_warns(notebook, command):
    noisy = "import warnings\ndef softmax(E, dim=-1):\n    warnings.warn('careful')\n    return torch.softmax(E, dim)\n"
    done = command(
        "pytest",
        "autograder/lessons/attention/checks",
        "--submission",
        notebook({"softmax": noisy}),
        "-k",
        "check_softmax",
    )
    assert "6 passed" in done.stdout.splitlines()[-1], done.stdout[-2000:]


def test_an_untouched_experiment_is_run_where_a_changed_cell_needs_it():
    experiment = "helper = 1729"
    given = {
        "cell_type": "code",
        "metadata": {"course": {"experiment": notebooks.fingerprint(experiment)}},
        "source": experiment,
    }
    unused = {
        **given,
        "source": "other = 1",
        "metadata": {"course": {"experiment": notebooks.fingerprint("other = 1")}},
    }
    own = {"cell_type": "code", "metadata": {}, "source": "%matplotlib inline\ndef answer():\n    return helper"}
    local = {"cell_type": "code", "metadata": {}, "source": "def answer(helper):\n    return helper"}
    assert notebooks.needed_cells([given, unused, own]) == [True, False, True]
    assert notebooks.needed_cells([given, unused, local]) == [False, False, True]
