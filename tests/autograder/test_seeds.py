"""No verdict depends on the seed: every known answer fails the same checks, whatever numbers are drawn."""

import pytest

from autograder import catalogue
from autograder.cases import OWN_BANK, read_bank
from autograder.diagnosis import replay
from autograder.local import LocalStudent
from autograder.marks import mark_value
from autograder.references import namespace

SEEDS = (1, 2, 3)
CASES = sorted(read_bank(OWN_BANK), key=str)


@pytest.mark.parametrize("exercise", catalogue.exercises("01-attention"))
@pytest.mark.slow
def test_every_known_answer_fails_the_same_checks_for_every_seed(exercise):
    checks = [c for c in catalogue.checks_of(exercise).values() if mark_value(c, "points", 0) and not _measured(c)]
    for case in (case for case in CASES if case.exercise == exercise):
        failed = {seed: _failed(case, checks, seed) for seed in SEEDS}
        assert len(set(failed.values())) == 1, f"{case}: {failed}"


def _measured(check):
    return mark_value(check, "measured")


def _failed(case, checks, seed):
    """Run the checks on the case as a fresh notebook would: an answer that keeps results starts with none."""
    names = namespace()
    try:
        exec(compile(case.text, str(case.path), "exec"), names)
    except Exception as error:
        return f"does not run: {type(error).__name__}"
    student = LocalStudent(names, catalogue.forbidden(case.assignment), deep=False)
    return tuple(check.__name__ for check in checks if replay(check, student, seed))
