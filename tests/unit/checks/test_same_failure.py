"""Two failures are the same if their wrong results are equal up to rounding."""

import pytest
import torch

from autograder.checks.execute import same_failure
from autograder.runtime.errors import CheckFailure


def failed(received, dtype=torch.float64):
    return CheckFailure("value", "The loss has wrong values.", received=torch.tensor(received, dtype=dtype))


@pytest.mark.parametrize("rounding", [2.0**-58, 3e-18])
def test_rounding_beside_zero_is_no_difference_even_where_it_is_a_power_of_two(rounding):
    assert same_failure(failed(0.0), failed(rounding))
    assert same_failure(failed(rounding), failed(0.0))


def test_small_numbers_of_other_sizes_differ():
    assert not same_failure(failed(2.0**-20), failed(2.0**-21))
    assert not same_failure(failed([1e-5, 2e-5], torch.float32), failed([1e-5, 3e-5], torch.float32))
