"""What a failure says of an error in the student's code."""

import pytest

from autograder.runtime.errors import CheckFailure, watch


class Block:
    W_Q = 3


def _yours(code, **names):
    with pytest.raises(CheckFailure) as caught, watch("f"):
        exec(compile(f"def f(q, X):\n    return {code}\nf(1, 2)", "<cell>", "exec"), names)
    return caught.value.yours


@pytest.mark.parametrize(
    ("code", "end"),
    [
        ("q + x", "name 'x' is not defined. Did you mean: 'X'?"),
        ("q + totally_other", "name 'totally_other' is not defined"),
        ("atention(q)", "name 'atention' is not defined. Did you mean: 'attention'?"),
        ("block.w_q", "has no attribute 'w_q'. Did you mean: 'W_Q'?"),
        ("block.memory", "has no attribute 'memory'"),
    ],
)
def test_a_name_that_is_nearly_one_that_exists_is_asked_about(code, end):
    assert _yours(code, attention=len, block=Block()).endswith(end)


def test_a_name_that_is_too_long_to_read_is_not_proposed():
    long = "attention" * 20
    assert _yours(f"{long}s(q)", **{long: len}).endswith("is not defined")
