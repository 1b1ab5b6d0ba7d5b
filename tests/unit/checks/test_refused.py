"""What is said of an argument that should be refused, and is not."""

import pytest

from autograder.checks.properties import raises_value_error
from autograder.runtime.errors import CheckFailure


def _failure(call):
    with pytest.raises(CheckFailure) as caught:
        raises_value_error("A width of 0", "Test the width.", call)
    return caught.value


def test_an_error_that_is_returned_is_told_from_an_argument_that_is_accepted():
    returned = _failure(lambda: ValueError("expected a width above 0"))
    assert returned.cause == "an error returned, not raised"
    assert returned.yours == "return ValueError(...)"
    assert _failure(lambda: 3).cause == "bad argument accepted"
