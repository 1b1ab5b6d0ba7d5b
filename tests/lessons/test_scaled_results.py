"""Results one per cent too large are wrong wherever values are judged: they earn at most half of an exercise's points."""

import pytest
import torch
from known import ASSIGNMENTS, LESSONS
from some_cases import one_in
from test_contract import TRAINED, solved

from autograder.checks.execute import NotebookStudent
from autograder.verdict.runner import run_single

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("shapes_unchecked", "nothing_measured")]

FACTOR = 1.01
#: Their results are words; what is multiplied is what a decoder of the check returns.
SEARCHES = ("greedy_translate", "greedy_caption", "beam_search")


class Scaling(NotebookStudent):
    """A student whose results are all multiplied by ``FACTOR``; ``scaled`` says whether there was anything to multiply."""

    scaled = False

    def _carry_out(self, request):
        answer = super()._carry_out(request)
        answer.value = self._times(answer.value)
        return answer

    def _times(self, value):
        if isinstance(value, torch.Tensor) and value.is_floating_point() and not value.is_meta:
            self.scaled = True
            return value * FACTOR
        if isinstance(value, float):
            self.scaled = True
            return value * FACTOR
        return type(value)(map(self._times, value)) if type(value) in (tuple, list) else value


@pytest.mark.parametrize(
    ("assignment", "exercise"),
    one_in(
        2,
        [
            (lesson, name)
            for lesson in ASSIGNMENTS
            for name in LESSONS.of(lesson).exercises
            if (lesson, name) not in TRAINED and name not in SEARCHES
        ],
        "runs all checks of one exercise more",
    ),
)
def test_results_that_are_too_large_lose_at_least_half(assignment, exercise):
    names, files = solved(assignment)
    student = Scaling(names, LESSONS.of(assignment), file=files.get, deep=False)
    report = run_single(exercise, student, 5)
    assert report.earned <= 0.5 * report.points or not student.scaled, str(report)
