"""What wrong numbers have in common with the right ones."""

import pytest
import torch

from autograder.diagnosis.patterns import extra_function, from_inputs, permuted, places, shifted, shifted_axis
from autograder.diagnosis.search import is_rounded, same_departure
from autograder.runtime.errors import CheckFailure

WANT = torch.randn(4, 5, 6, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
POSITIVE = WANT.abs() + 0.1


@pytest.mark.parametrize(
    ("look", "got", "cause"),
    [
        (shifted_axis, WANT.flip(0), "in reverse order"),
        (shifted_axis, WANT.roll(1, 1), "one place too late"),
        (shifted_axis, WANT.roll(-1, 1), "one place too early"),
        (extra_function, WANT.exp(), "exp of the right result"),
        (extra_function, WANT.softmax(-1), "a softmax over axis 2 of the right result"),
        (extra_function, WANT.log_softmax(-1), "the logarithm of a softmax over axis 2 of the right result"),
        (extra_function, 1 - WANT, "1 minus it of the right result"),
        (shifted, WANT + 0.5, "the same number added everywhere"),
        (shifted, WANT + torch.arange(6.0), "the same vector added to every row"),
        (places, torch.cat([WANT[:1] + 1, WANT[1:]]), "only the first of the batch elements is wrong"),
        (places, torch.cat([WANT[:, :-1], WANT[:, -1:] + 1], 1), "only the last of the rows is wrong"),
        (permuted, WANT.transpose(0, 1).reshape(WANT.shape), "the right numbers in other places"),
    ],
)
def test_a_pattern_has_a_name_and_the_right_result_has_none(look, got, cause):
    assert look(got, WANT)[0] == cause
    assert look(WANT.clone(), WANT) is None


def test_the_logarithm_and_the_root_of_positive_numbers():
    assert extra_function(POSITIVE.log(), POSITIVE)[0] == "the logarithm of the right result"
    assert extra_function(POSITIVE.sqrt(), POSITIVE)[0] == "the square root of the right result"


def test_a_rounded_result_shows_no_function():
    assert extra_function(POSITIVE.float().double(), POSITIVE) is None


def test_a_result_is_compared_with_what_came_in():
    X = torch.randn(4, 5, 6, generator=torch.Generator().manual_seed(1), dtype=torch.float64)
    told = [from_inputs(got, WANT, [X])[0] for got in (X, WANT - X, WANT + X, WANT * X)]
    assert told == [
        "the input, as it came",
        "the input is not added",
        "the input is added once too often",
        "multiplied by the input",
    ]
    assert from_inputs(WANT + 1, WANT, [X]) is None


def test_noise_shows_no_pattern():
    noise = torch.randn(4, 5, 6, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    assert [look(noise, WANT) for look in (shifted_axis, extra_function, shifted, places, permuted)] == [None] * 5


def test_few_different_numbers_show_no_order():
    mask = torch.tensor([[1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]])
    assert permuted(mask.flip(0), mask) is None


def test_a_number_in_the_place_of_nan_is_not_rounded():
    nan = torch.tensor([float("nan")])
    assert not is_rounded(CheckFailure("value", "", received=torch.zeros(1), wanted=nan))


def _failure(received):
    return CheckFailure("value", "", received=received, wanted=WANT)


def test_a_constant_that_is_added_is_not_taken_for_rounding():
    rounded, longer, added = (
        _failure(WANT.float().double()),
        _failure((3 * WANT).float().double() / 3),
        _failure(WANT + 1e-8),
    )
    assert same_departure(rounded, longer), "rounding depends on how a mistake is written"
    assert not same_departure(added, rounded)
    assert not same_departure(rounded, added)


def test_constants_are_told_apart_by_their_size():
    assert same_departure(_failure(WANT + 1e-8), _failure(WANT + 1.01e-8))
    assert not same_departure(_failure(WANT + 1e-8), _failure(WANT + 1e-6))
    assert same_departure(_failure(WANT + 1.0), _failure(WANT + 2.0)), "other results are compared by their numbers"
