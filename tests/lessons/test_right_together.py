"""Right answers fit together: a later solution earns its points on any right version of what it builds on."""

import re

import pytest
from known import ASSIGNMENTS, COURSE, LESSONS, of
from some_cases import one_in
from test_contract import TRAINED, solved

from autograder.checks.execute import NotebookStudent
from autograder.content import notebook
from autograder.content.lesson import Lesson, mark_value
from autograder.verdict.runner import run_single

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("shapes_unchecked")]


def _inherits(assignment, later, earlier):
    """Return whether the solution's class inherits from that of ``earlier``: it knows the attributes of its own version only."""
    source = COURSE.source_of(assignment).read_text(encoding="utf8")
    return re.search(rf"^class {later}\({earlier}\)", source, re.MULTILINE) is not None


CASES = [
    pytest.param(assignment, case, later, id=f"{assignment}-{case}-{later}")
    for assignment in ASSIGNMENTS
    for later in LESSONS.of(assignment).exercises
    for earlier in LESSONS.of(assignment).builds_on(later)
    if not {(assignment, earlier), (assignment, later)} & TRAINED and not _inherits(assignment, later, earlier)
    for case in of(earlier, right=True, assignment=assignment)
]


@pytest.fixture(autouse=True)
def no_ratios(monkeypatch):
    """Leave out what compares times or memory; the audit measures these."""
    every = Lesson.checks

    def checks(self, name):
        return {key: check for key, check in every(self, name).items() if not mark_value(check, "measured")}

    monkeypatch.setattr(Lesson, "checks", checks)


@pytest.mark.parametrize(
    ("assignment", "case", "later"), one_in(20, CASES, "as the others, for each a notebook is run")
)
def test_the_solution_stands_on_any_right_version_of_an_earlier_exercise(assignment, case, later):
    names = notebook.run(COURSE.solution_notebook(assignment), {case.exercise: case.text}).namespace
    student = NotebookStudent(names, LESSONS.of(assignment), file=solved(assignment)[1].get, deep=False)
    report = run_single(later, student, 1)
    assert report.full, str(report)
