"""Who leaves an exercise out loses its points and no others: what builds on it is checked with a right version."""

from types import SimpleNamespace

import pytest
from known import ASSIGNMENTS, COURSE, LESSONS
from some_cases import one_in
from test_contract import TRAINED, solved

from autograder.checks.execute import NotebookStudent
from autograder.content import notebook
from autograder.content.lesson import Lesson, mark_value
from autograder.grading.run.grade import grade
from autograder.grading.run.sandbox_executor import SandboxExecutor
from autograder.grading.submission.released import released_in
from autograder.sandbox.outside.sandbox import Sandbox
from autograder.verdict.runner import recheck_with_references, run_single

pytestmark = pytest.mark.usefixtures("shapes_unchecked")

PAIRS = [
    pytest.param(assignment, earlier, later, marks=() if assignment == ASSIGNMENTS[0] else pytest.mark.slow)
    for assignment in ASSIGNMENTS
    for later in LESSONS.of(assignment).exercises
    for earlier in LESSONS.of(assignment).builds_on(later)
    if (assignment, earlier) not in TRAINED  # what is measured of a trained model needs that model
]


@pytest.fixture(autouse=True)
def no_ratios(monkeypatch):
    """Let what compares times or memory out; the audit measures these."""
    every = Lesson.checks

    def checks(self, name):
        kept = every(self, name).items()
        return {key: check for key, check in kept if self.handed_in or not mark_value(check, "measured")}

    monkeypatch.setattr(Lesson, "checks", checks)


@pytest.mark.parametrize(
    ("assignment", "earlier", "later"), one_in(8, PAIRS, "as the others, for each pair a notebook is run")
)
def test_what_builds_on_an_unwritten_exercise_loses_nothing(assignment, earlier, later):
    stub = released_in(COURSE, assignment).cells[earlier].text
    assert "NotImplementedError" in stub
    names = notebook.run(COURSE.solution_notebook(assignment), {earlier: stub}).namespace
    student = NotebookStudent(names, LESSONS.of(assignment), file=solved(assignment)[1].get, deep=False)
    report = recheck_with_references(run_single(later, student, 1), student, {})
    assert report.full, str(report)
    assert earlier in report.replaced or not report.replaced  # with those between the two, which fail alone without it


@pytest.mark.slow
@pytest.mark.sandbox
def test_a_check_that_asks_for_a_right_version_itself_keeps_the_others():
    """The checks of Transformer ask for a right Encoder: the right Decoder in place of an unwritten one must stay."""
    assignment = "04-transformer"
    lesson, released = LESSONS.of(assignment), released_in(COURSE, assignment)
    cells = notebook.read(COURSE.solution_notebook(assignment))["cells"]
    for cell in cells:
        stub = notebook.grade_id(cell) == "Decoder"
        cell["source"] = released.cells["Decoder"].text if stub else notebook.source(cell)
    submission = SimpleNamespace(assignment=lesson.assignment, digest="", author="", cells=cells)
    with Sandbox() as box:
        result = grade(
            submission, LESSONS, 1, SandboxExecutor(lesson, box, {}), ["Transformer", "Decoder"], causes=False
        )
    [decoder, transformer] = sorted(result.exercises, key=lambda exercise: exercise["name"])
    assert decoder["earned"] == 0
    assert transformer["earned"] == transformer["points"]
