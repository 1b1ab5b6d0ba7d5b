"""A check that measures shows its value when it passes too, and when it fails only the failure."""

import pytest

from autograder.checks import expect, weights
from autograder.checks.timing import SpeedTarget
from autograder.runtime.errors import CheckFailure, PartialCredit
from autograder.runtime.measure import Ratio
from autograder.verdict.report import CheckResult, ExerciseReport

TARGET = SpeedTarget("attend", 2.0, 4.0, "PyTorch's own", "64 queries", "Look for a loop.")


class Timed:
    """A student of whose answer nothing but the time is known."""

    def __init__(self, value):
        self.ratio = Ratio(value, value * 0.9, value * 1.1, 3)

    def time_ratio(self, *_, **__):
        return self.ratio


@pytest.fixture
def notes():
    found = []
    token = expect.MEASURED.set(found)
    yield found
    expect.MEASURED.reset(token)


def test_a_speed_check_that_passes_notes_its_ratio(notes):
    TARGET.check(Timed(1.5), tuple, lambda: None)
    [note] = notes
    assert note.startswith("measured: 1.50 (between 1.35 and 1.65, 3 rounds) times; asked for: at most 2.0 times")


def test_an_answer_that_is_too_slow_notes_no_ratio(notes):
    with pytest.raises(PartialCredit):
        TARGET.check(Timed(3.0), tuple, lambda: None)
    with pytest.raises(CheckFailure):
        TARGET.check(Timed(30.0), tuple, lambda: None)
    assert notes == []


def test_a_value_of_a_trained_model_is_noted_where_it_is_enough(notes):
    failure = CheckFailure("accuracy", "Too few.", expected="at least 90%", yours="93.1%")
    weights.judge(0.931, 0.9, 0.2, failure)
    assert notes == ["measured: 93.1%; asked for: at least 90%"]
    with pytest.raises(PartialCredit):
        weights.judge(0.5, 0.9, 0.2, failure)
    assert len(notes) == 1


def test_the_report_shows_it_below_a_check_that_passed():
    note = "measured: 93.1%; asked for: at least 90%"
    good = CheckResult("check_a", "It is fast", 2.0, 2.0, measured=note)
    bad = CheckResult("check_b", "It is small", 2.0, 0.0, CheckFailure("memory", "Too much."), measured=note)
    report = ExerciseReport("attend", 1, [good, bad])
    for shown in (str(report), report._repr_html_()):
        assert shown.count("93.1%") == 1
