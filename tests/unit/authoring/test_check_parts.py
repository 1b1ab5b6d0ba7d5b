"""What the time of a check goes into."""

import pytest
from known import COURSE, LESSONS

from autograder.authoring import check_parts
from autograder.authoring.check_parts import ARGUMENTS, BUILDING, CALLS, CAUSES, COMPARING, REFERENCES, REST, Stopwatch
from autograder.checks.execute import NotebookStudent
from autograder.content import notebook
from autograder.runtime.blocked import calls
from autograder.verdict.runner import run_checks


def solved(assignment):
    return notebook.run(COURSE.solution_notebook(assignment)).namespace


def test_a_part_stops_the_time_of_that_around_it_and_keeps_what_it_calls():
    watch = Stopwatch(iter(range(100)).__next__)  # each look at the clock is a second later
    with watch.within(ARGUMENTS):
        with watch.within(BUILDING), watch.within(CALLS):
            pass
        with watch.within(CALLS):
            pass
    watch.stop()
    assert watch.seconds == {REST: 2, ARGUMENTS: 3, BUILDING: 1, CALLS: 1}


@pytest.mark.parametrize(
    ("assignment", "exercise", "parts"),
    [
        ("01-attention", "softmax", {ARGUMENTS, CALLS, COMPARING, REST}),
        ("02-multi-head-attention", "MultiHeadAttention", {ARGUMENTS, BUILDING, CALLS, COMPARING, REFERENCES, REST}),
    ],
)
def test_a_right_answer_takes_no_search_and_all_is_as_before(assignment, exercise, parts):
    lesson, before = LESSONS.of(assignment), (calls.block_functions, NotebookStudent._attempt)
    student, reports = NotebookStudent(solved(assignment), lesson), []
    shares = check_parts.shares(lambda: reports.append(run_checks(exercise, student, 1)), lesson.module("references"))
    assert reports[0].full
    assert sum(shares.values()) == pytest.approx(1.0)
    assert parts <= shares.keys()
    assert CAUSES not in {part for part, share in shares.items() if share > 0.2}
    assert (calls.block_functions, NotebookStudent._attempt) == before


def test_the_search_for_a_cause_is_counted_as_that():
    lesson = LESSONS.of("01-attention")
    wrong = dict(solved("01-attention")) | {"softmax": lambda E, dim=-1: E.exp() / E.exp().sum()}
    student = NotebookStudent(wrong, lesson)
    shares = check_parts.shares(lambda: run_checks("softmax", student, 1), lesson.module("references"))
    assert shares[CAUSES] > 0.3
