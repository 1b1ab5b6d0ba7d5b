"""No verdict depends on the global random generators, however a student's calls leave them, and no check moves them.

The exercises that get a generator promise that all chance comes from it; what else an answer does with the global ones is its own
affair, as long as its results are right.
"""

import pytest
import torch
from known import ASSIGNMENTS, LESSONS
from test_contract import COSTLY, TRAINED, generator_states, solved

from autograder.checks.execute import NotebookStudent
from autograder.runtime.state import tensors_of
from autograder.verdict.runner import run_single
from course_lib.training.random_states import seed_everything

pytestmark = pytest.mark.usefixtures("shapes_unchecked", "nothing_measured")

NIGHTLY = pytest.mark.nightly(
    reason="the contract shows that no check moves them; here each exercise is judged three times"
)
SEED = 5
LEFT = (0, 1, 2**31 + 7)
#: Their results may differ, and their verdicts not: a model is constructed for a call, with weights that are drawn there; and
#: without a generator ``sample`` draws from PyTorch's own.
DRAWN = ("greedy_translate", "greedy_caption", "sample")


class Seeding(NotebookStudent):
    """A student each of whose calls seeds the global generators with ``left``; ``values`` are the results
    of its calls without dropout and without weights that are drawn."""

    left = 0

    def _carry_out(self, request):
        answer = super()._carry_out(request)
        seed_everything(self.left)
        if not request.training and (request.build is None or request.weights):
            self.values += [each.detach().clone() for each in tensors_of(answer.value) if not each.is_meta]
        return answer


@pytest.mark.parametrize(
    ("assignment", "exercise"),
    [
        pytest.param(assignment, exercise, marks=() if assignment == ASSIGNMENTS[0] else NIGHTLY)
        for assignment in ASSIGNMENTS
        for exercise in LESSONS.of(assignment).exercises
        if (assignment, exercise) not in TRAINED
    ],
)
def test_a_verdict_does_not_depend_on_what_calls_left(assignment, exercise):
    known = []
    for left in LEFT[:2] if exercise in COSTLY else LEFT:
        student = Seeding(dict(solved(assignment)[0]), LESSONS.of(assignment), deep=False)
        student.left, student.values = left, []
        seed_everything(left)
        before = generator_states()
        report = run_single(exercise, student, SEED)
        assert report.full, f"{left}: {report}"
        assert generator_states() == before
        known.append(student.values)
    for values in known[1:] if exercise not in DRAWN else ():
        assert len(values) == len(known[0])
        assert all(torch.equal(*map(torch.nan_to_num, pair)) for pair in zip(values, known[0], strict=True))
