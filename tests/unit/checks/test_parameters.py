"""What is said of parameters that are not those of the reference."""

import pytest

from autograder.checks.parameters import parameters_are
from autograder.runtime.errors import CheckFailure

WANT = {"W_up.weight": (17, 11), "W_down.weight": (11, 17)}


@pytest.mark.parametrize(
    ("got", "hint"),
    [
        ({"W_up.weight": (24, 11), "W_down.weight": (11, 24)}, "One length is 24 where it should be 17"),
        ({"W_up.weight": (11, 17), "W_down.weight": (17, 11)}, "nn.Linear(a, b)"),
        ({"W_up.weight": (17, 11), "W_down.weight": (17,)}, "nn.Linear(a, b)"),
    ],
)
def test_says_which_length_is_another(got, hint):
    with pytest.raises(CheckFailure) as failure:
        parameters_are(got, WANT, "SwiGLU(11, 17)")
    assert failure.value.cause == "weights of the wrong shape"
    assert hint in failure.value.hint


def test_a_class_with_other_names_and_other_shapes_is_told_both():
    got = {"up.weight": (11, 11), "down.weight": (11, 17)}
    with pytest.raises(CheckFailure) as failure:
        parameters_are(got, WANT, "SwiGLU(11, 17)")
    assert failure.value.cause == "weights under other names"
    assert "up, down, and should be called W_up, W_down" in failure.value.hint
    assert "their order" in failure.value.hint


def test_a_layer_that_is_kept_in_a_plain_list_is_not_under_another_name():
    with pytest.raises(CheckFailure) as failure:
        parameters_are({"norm.weight": (11,)}, WANT, "SwiGLU(11, 17)")
    assert failure.value.cause == "weights not registered, or shared"
