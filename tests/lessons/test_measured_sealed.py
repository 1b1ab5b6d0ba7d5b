"""What measures time or memory earns a right answer its points where it counts: sealed, by the kernel's own figures.

The contract leaves these checks out, and a lesson without files goes the whole way only nightly.
"""

import pytest
from known import ASSIGNMENTS, COURSE, LESSONS, of
from whole_way import with_files

from autograder.authoring.audit import run_cases

pytestmark = [pytest.mark.slow, pytest.mark.sandbox]

MEASURED = [
    (assignment, exercise)
    for assignment in ASSIGNMENTS
    for exercise in LESSONS.of(assignment).exercises
    if LESSONS.of(assignment).measures(exercise) and exercise not in with_files(assignment)
]


def test_a_right_answer_earns_what_is_measured():
    cases = [of(exercise, right=True, assignment=assignment)[0] for assignment, exercise in MEASURED]
    verdicts = [*run_cases(cases, COURSE, 2, None)]
    assert len(verdicts) == len(MEASURED) >= 6
    assert [str(verdict) for verdict in verdicts if not verdict.right] == []
