"""The timed exercise of lesson 01, with a student whose speed is made up."""

import pytest

from autograder.checks.inputs import Draw
from autograder.checks.timing import AGAIN, MARGIN
from autograder.lessons.attention import references
from autograder.lessons.attention.checks.check_blockwise_attention import SPEED
from autograder.lessons.attention.checks.check_blockwise_attention import check_speed as speed
from autograder.runtime.errors import CheckFailure, PartialCredit
from autograder.runtime.measure import Ratio
from autograder.runtime.student import Response


class Timed:
    """A right answer that takes ``ratio`` times as long as PyTorch's function."""

    def __init__(self, ratio):
        self.ratio, self.rounds, self.called = ratio, [], 0

    def time_ratio(self, name, fresh, thresholds, rounds, rival="", /, **kwargs):
        self.rounds.append(rounds)
        return Ratio(self.ratio, self.ratio, self.ratio, rounds[0], hopeless=self.ratio > 50)

    def answer(self, request):
        self.called += 1
        return Response(references.blockwise_attention(*request.args, **request.kwargs), request.args)


def draw():
    return Draw(0, "check_speed")


def test_a_hopeless_answer_is_measured_once_and_not_recorded():
    student = Timed(100.0)
    with pytest.raises(CheckFailure, match="slow") as caught:
        speed(student, draw())
    assert not isinstance(caught.value, PartialCredit)
    assert (student.rounds, student.called) == ([SPEED.rounds], 0)


@pytest.mark.parametrize("ratio", [1.1, SPEED.full * MARGIN])
def test_a_reading_below_the_threshold_earns_all(ratio):
    student = Timed(ratio)
    speed(student, draw())
    assert student.called == 1


def test_a_reading_between_the_thresholds_earns_half():
    with pytest.raises(PartialCredit) as caught:
        speed(Timed(SPEED.part * MARGIN), draw())
    assert caught.value.fraction == 0.5


def test_measures_again_if_points_are_barely_lost():
    student = Timed(SPEED.full * MARGIN * 1.1)
    with pytest.raises(PartialCredit):
        speed(student, draw())
    assert len(student.rounds) == 1 + AGAIN
