"""A constant in float32 costs once; it excuses no difference that rounding cannot explain."""

import pytest
import torch
from known import LESSONS, of

from autograder.checks import expect
from autograder.checks.execute import NotebookStudent
from autograder.checks.losses import SIZE
from autograder.content import references
from autograder.runtime.errors import CheckFailure
from autograder.verdict.runner import run_single


@pytest.fixture
def imprecise():
    found = []
    token = expect.IMPRECISE.set(found)
    yield found
    expect.IMPRECISE.reset(token)


def test_a_result_as_exact_as_float32_is_noted_and_passes(imprecise):
    want = torch.tensor([3.0, 0.25], dtype=torch.float64)
    expect.allclose(want * (1 + 1e-7), want, "Y")
    assert len(imprecise) == 1


def test_sums_that_are_0_but_for_rounding_may_be_0_in_float32_but_for_its_rounding(imprecise):
    """As the gradient of W_K's bias, of which some numbers happen to be 0 exactly. One that is 0 everywhere has no terms."""
    want, got = torch.tensor([3e-15, 0.0, -1e-15]).double(), torch.tensor([2e-7, -4e-7, 0.0]).double()
    expect.gradients([got], [want], ["W_K.bias"], "")
    assert len(imprecise) == 1
    with pytest.raises(CheckFailure):
        expect.gradients([got], [torch.zeros(3).double()], ["W_K.bias"], "")


@pytest.mark.parametrize("size", [1.0, 100.0, SIZE, 1e10])
@pytest.mark.parametrize("off", [0.0, 0.9, 1.01])
def test_no_tolerance_of_float64_becomes_one_of_whole_numbers(imprecise, size, off):
    want = torch.tensor([3.0, 0.25], dtype=torch.float64)
    with pytest.raises(CheckFailure):
        expect.allclose(want * off, want, "The loss", size=size)
    assert imprecise == []


#: Losses are compared with a tolerance that accepts a count that is off by 1e-8.
LOSSES = [
    (assignment, name)
    for assignment, name in (
        ("05-translation", "smoothed_loss"),
        ("06-captioning", "caption_loss"),
        ("07-language-models", "next_token_loss"),
        ("09-mlm-pretraining", "mlm_loss"),
    )
]


@pytest.mark.parametrize(("assignment", "name"), LOSSES)
@pytest.mark.parametrize("factor", [0.0, 0.9, 1.01])
def test_a_loss_off_by_a_factor_earns_at_most_what_its_shape_is_worth(assignment, name, factor):
    lesson = LESSONS.of(assignment)
    names = references.namespace(lesson)
    right = names[name]
    names[name] = lambda *args, **kwargs: right(*args, **kwargs) * factor
    report = run_single(name, NotebookStudent(names, lesson, deep=False), 1)
    assert report.earned <= 0.3 * report.points, str(report)


def test_an_unshifted_loss_fails_where_the_shift_is_checked():
    lesson = LESSONS.of("07-language-models")
    [case] = [case for case in of("next_token_loss", False) if case.name == "not_shifted"]
    names = references.namespace(lesson)
    exec(compile(case.text, str(case), "exec"), names)
    report = run_single("next_token_loss", NotebookStudent(names, lesson, deep=False), 1)
    [shift] = [result for result in report.results if result.name == "check_shifted_once"]
    assert not shift.passed
