"""The error rate of the verdicts about random results, against the exact binomial distribution."""

import math

import pytest
from scipy.stats import binom

from autograder.checks.dropout import divergence, within_error_rate


@pytest.mark.parametrize("n", [1, 7, 50, 400])
@pytest.mark.parametrize("p", [0.02, 0.15, 0.5, 0.9])
@pytest.mark.parametrize("error", [1e-2, 1e-6])
def test_a_right_answer_is_refused_no_more_often_than_promised(n, p, error):
    refused = sum(binom.pmf(k, n, p) for k in range(n + 1) if not within_error_rate(k, n, p, error))
    assert refused <= error


@pytest.mark.parametrize(("seen", "meant"), [(0.12, 0.15), (0.17, 0.15), (0.75, 0.8), (0.0, 0.001)])
def test_a_wrong_share_is_refused_when_there_is_enough_of_it(seen, meant):
    assert not within_error_rate(round(seen * 30_000), 30_000, meant)
    assert within_error_rate(round(meant * 30_000), 30_000, meant)


def test_impossible_counts_are_rejected():
    assert divergence(0.5, 0.0) == math.inf
    assert not within_error_rate(1, 1, 0.0)
    assert not within_error_rate(0, 1, 1.0)
    assert within_error_rate(0, 9, 0.0)
    assert within_error_rate(9, 9, 1.0)
    assert within_error_rate(0, 0, 0.3)
