"""A trusted submission is graded with the files that were handed in beside the notebook, as a sealed one is."""

from autograder import notebooks
from autograder.course import find_course
from autograder.nbgrader_plugins import guard, sealed


def test_a_trusted_submission_keeps_its_checkpoint(monkeypatch):
    monkeypatch.setenv(guard.TRUST, "1")
    notebook = find_course().solution_notebook("05-captioning")
    files = {"captioner.safetensors": notebook.with_name("captioner.safetensors").read_bytes()}
    # The cells before the exercise, its check, and no other check: the others have tests of their own.
    cells = [
        cell
        for cell in notebooks.read(notebook)["cells"]
        if not notebooks.is_check(cell) or notebooks.grade_id(cell) == "check-my_captioner"
    ]
    result = sealed.grade_here("05-captioning", cells, 7, files)
    [exercise] = result["exercises"]
    assert exercise["earned"] == exercise["points"] > 0
    assert not result["sealed"]
