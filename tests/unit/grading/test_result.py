"""A result's points are plain, finite and within what an exercise is worth; a result survives its JSON."""

import math

import pytest

from autograder.grading.run.result import Result, clamp_points, scale_points


@pytest.mark.parametrize(
    ("earned", "points"),
    [
        (3.5, 3.5),
        (0, 0.0),
        (7, 7.0),
        (7.5, 7.0),
        (1e300, 7.0),
        (-1, 0.0),
        (math.nan, 0.0),
        (math.inf, 0.0),
        (-math.inf, 0.0),
    ],
)
def test_points_are_a_finite_float_between_nothing_and_all(earned, points):
    found = clamp_points(earned, 7)
    assert type(found) is float
    assert found == points


@pytest.mark.parametrize(
    ("score", "points", "scaled"), [((5.0, 7.0), 7.0, 5.0), ((5.0, 7.0), 14.0, 10.0), ((0.0, 0.0), 3.0, 0.0)]
)
def test_other_points_in_the_gradebook_scale_the_score(score, points, scaled):
    assert scale_points(score, points) == scaled


def test_a_result_survives_its_json():
    made = Result("01-attention", "0" * 64, 5, True, "checks", {}, scores={"check-softmax": (5.0, 7.0)})
    made.errors.append(("cell 3", "NameError"))
    assert Result.from_json(made.as_json()) == made


@pytest.mark.parametrize("text", ["", "[]", "{}", "null", '{"outputs": 3}'])
def test_invalid_result_is_an_error(text):
    with pytest.raises(ValueError, match=r"not a result|Expecting value"):
        Result.from_json(text)
