"""What a wrong shape says about itself."""

import pytest
import torch
from answers import ATTENTION, student

from autograder.diagnosis.diagnose import reference_student
from autograder.diagnosis.shapes import another_length, common_difference, difference, letters, symptom
from autograder.diagnosis.symptoms import _fails_at_length_one
from autograder.runtime.errors import CheckFailure
from autograder.runtime.student import Request

NAMES = ("B", "N", "D")


@pytest.mark.parametrize(
    ("got", "want", "cause"),
    [
        ((2, 5), (2, 5, 1), "axes of length 1 dropped"),
        ((), (2, 5, 7), "a single number instead of a tensor"),
        ((2, 1, 5, 7), (2, 5, 7), "an axis of length 1 too many"),
        ((2, 7), (2, 5, 7), "the axis N is missing"),
        ((2, 3, 5, 7), (2, 5, 7), "an axis too many"),
        ((10, 7), (2, 5, 7), "axes merged or split"),
        ((4, 9), (2, 5, 7), "2 axes instead of 3"),
        ((5, 2, 7), (2, 5, 7), "axis B and axis N exchanged"),
        ((5, 7, 2), (2, 5, 7), "axes in the wrong order"),
        ((1, 10, 7), (2, 5, 7), "reshaped to axes of the wrong lengths"),
        ((3, 6, 7), (2, 5, 7), "other lengths of B, N"),
        ((2, 6, 7), (2, 5, 7), "one too many along N"),
        ((2, 4, 7), (2, 5, 7), "one too few along N"),
        ((2, 15, 7), (2, 5, 7), "N is 3 times as long"),
        ((2, 2, 7), (2, 1, 7), "an axis of length 1 became longer"),
        ((2, 1, 7), (2, 5, 7), "only one along N"),
        ((2, 7, 7), (2, 5, 7), "the length of D in the place of N"),
        ((2, 11, 7), (2, 5, 7), "another length of N"),
    ],
)
def test_the_difference_of_two_shapes_has_a_name(got, want, cause):
    told = difference(got, want, NAMES)
    assert told is not None
    assert told[0] == cause
    assert told[1]


def test_a_right_shape_shows_nothing_and_letters_are_used_only_if_there_is_one_for_each_axis():
    assert difference((2, 5, 7), (2, 5, 7), NAMES) is None
    assert difference((2, 7), (2, 5, 7), ("B", "…"))[0] == "the axis axis 1 is missing"


def test_a_failure_holds_the_shape_as_numbers_and_letters():
    failure = CheckFailure("shape", "", expected="(2, 5, 7) = (B, N, D)", received=[2, 7])
    assert letters(failure) == ["B", "N", "D"]
    assert symptom(failure)[0] == "the axis N is missing"
    assert symptom(CheckFailure("value", "", expected="(2, 5)", received=[2])) is None


@pytest.mark.parametrize(
    ("pairs", "cause"),
    [
        ([((7, 5), (5, 7)), ((3, 7, 5), (3, 5, 7))], "axes in the wrong order"),
        ([((10, 33), (2, 5, 33)), ((4, 33), (1, 4, 33))], "reshaped to the wrong axes"),
        ([((1, 2, 5, 7), (2, 5)), ((1, 3, 7, 4), (3, 7))], "2 axes too many"),
        ([((2,), (2, 5)), ((3, 7), (3, 7, 4))], "one axis too few"),
    ],
)
def test_wrong_shapes_of_several_calls_have_something_in_common(pairs, cause):
    assert common_difference(pairs)[0] == cause


def test_wrong_shapes_without_anything_in_common_have_no_name():
    assert common_difference([((2, 6), (2, 5)), ((3, 7), (3, 7, 4))]) is None


SQUEEZED = """
def scaled_dot_product_attention(Q, K, V, allowed=None):
    A = torch.softmax({scores} / Q.shape[-1] ** 0.5, dim=-1)
    return (A[:, :, :] @ V), A
"""


@pytest.mark.parametrize(
    ("scores", "found"), [("(Q @ K.mT).squeeze()", True), ("Q[:, :, :3] @ K.mT", False), ("Q @ K.mT", False)]
)
def test_errors_only_for_axes_of_length_one_mean_a_dropped_axis(scores, found):
    requests = [
        Request("scaled_dot_product_attention", (torch.randn(B, 3, 5), torch.randn(B, 4, 5), torch.randn(B, 4, 7)))
        for B in (1, 2, 3)
    ]
    assert (
        _fails_at_length_one(student(SQUEEZED.format(scores=scores)), reference_student(ATTENTION), requests) == found
    )


def test_an_axis_that_has_the_length_of_another_in_all_calls_is_named():
    """By themselves, these shapes are one too few, twice as long, and right."""
    pairs = [((2, 2, 4, 4), (2, 2, 4, 5)), ((1, 2, 6, 6), (1, 2, 6, 3)), ((2, 2, 1, 1), (2, 2, 1, 1))]
    assert another_length(pairs, ("B", "H", "N_T", "N_S"))[0] == "the length of N_T in the place of N_S"
    assert another_length(pairs, ())[0] == "the length of axis 2 in the place of axis 3"


@pytest.mark.parametrize(
    "pairs",
    [
        [((2, 4), (2, 5))],  # a single shape tells nothing
        [((2, 4, 5), (2, 4, 5)), ((3, 7, 2), (3, 7, 2))],  # nothing is wrong
        [((2, 4, 4), (2, 4, 5)), ((3, 7, 2), (3, 7, 2))],  # here it is not so
        [((4, 4, 4), (4, 4, 5)), ((6, 6, 6), (6, 6, 5))],  # the first axis, or the second
        [((2, 4, 4), (2, 4, 5)), ((3, 7, 2), (3, 7, 5))],
        [((2, 4, 4), (2, 4, 5)), ((3, 3, 7), (3, 7, 7))],
        [((2, 4), (2, 4, 5)), ((3, 7), (3, 7, 5))],
    ],
)
def test_an_axis_of_another_length_is_not_named_without_evidence(pairs):
    assert another_length(pairs, ("B", "N", "D")) is None
