"""Assignments of other authors, with assertions in their grade cells: run in the sandbox, marked, and judged as nbgrader does."""

import json
import shutil
import subprocess
import sys

import pytest

HIDDEN = "assert double(21) == 42, 'the hidden number'"
pytestmark = [pytest.mark.sandbox, pytest.mark.e2e]

CELLS = [
    (
        "code",
        "def double(x):\n    ### BEGIN SOLUTION\n    return 2 * x\n    ### END SOLUTION",
        {"grade_id": "double", "solution": True},
    ),
    ("code", "assert double(1) == 2", {"grade_id": "test-double", "grade": True, "points": 3}),
    (
        "code",
        f"### BEGIN HIDDEN TESTS\n{HIDDEN}\n### END HIDDEN TESTS",
        {"grade_id": "test-hidden", "grade": True, "points": 2},
    ),
    ("code", "1.5 if double(2) == 4 else float('nan')", {"grade_id": "test-part", "grade": True, "points": 4}),
    ("markdown", "Why?", {"grade_id": "why", "grade": True, "solution": True, "points": 1}),
]
ANSWERS = {
    "right": "import sys\nprint('a warning', file=sys.stderr)\ndef double(x):\n    return x + x",
    "wrong": "def double(x):\n    return x + 1",
    "hostile": "def double(x):\n    return type('Yes', (), {'__eq__': lambda *_: True})()",
}


def notebook(answer=None):
    cells = []
    for cell_type, text, marks in CELLS:
        given = {"grade": False, "solution": False, "task": False, "schema_version": 3} | marks
        cell = {
            "cell_type": cell_type,
            "metadata": {"nbgrader": given | {"locked": not given["solution"]}},
            "source": text,
        }
        if marks["grade_id"] == "double" and answer:
            cell["source"] = answer
        if cell_type == "code":
            cell |= {"outputs": [], "execution_count": None}
        cells.append(cell)
    spec = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    return json.dumps({"cells": cells, "metadata": spec, "nbformat": 4, "nbformat_minor": 4})


@pytest.fixture(scope="module")
def course(root, tmp_path_factory):
    place = tmp_path_factory.mktemp("other")
    shutil.copy(root / "nbgrader_config.py", place)
    (place / "solutions" / "77-other").mkdir(parents=True)
    (place / "solutions" / "77-other" / "other.ipynb").write_text(notebook())
    for name, answer in ANSWERS.items():
        folder = place / "grading" / "submitted" / name / "77-other"
        folder.mkdir(parents=True)
        (folder / "other.ipynb").write_text(notebook(answer))
    for step in ("generate_assignment", "autograde", "generate_feedback"):
        done = subprocess.run(
            [sys.executable, "-m", "nbgrader", step, "77-other"], cwd=place, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[-3000:]
    return place


@pytest.fixture(scope="module")
def points(course):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course / 'grading' / 'gradebook.db'}") as gradebook:
        return {
            s.student_id: {g.name: (g.auto_score, g.needs_manual_grade) for n in s.notebooks for g in n.grades}
            for s in gradebook.assignment_submissions("77-other")
        }


def test_a_right_answer_with_a_warning_gets_its_points(points):
    assert points["right"]["test-double"] == (3.0, False)
    assert points["right"]["test-hidden"] == (2.0, False)
    assert points["right"]["test-part"] == (1.5, False)


def test_a_wrong_answer_gets_none_also_where_the_score_is_no_number(points):
    assert [points["wrong"][name][0] for name in ("test-double", "test-hidden", "test-part")] == [3.0, 0.0, 0.0]


def test_a_written_answer_waits_for_a_human(points):
    assert points["right"]["why"][1]


def test_the_page_marks_such_cells_and_shows_no_hidden_test(course):
    for name in ANSWERS:
        page = (course / "grading" / "feedback" / name / "77-other" / "other.html").read_text(encoding="utf8")
        assert "not protected against code that is meant to deceive" in page
        assert "HIDDEN TESTS" not in page
        assert "double(21)" not in page
