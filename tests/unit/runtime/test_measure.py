"""Ratios that do not depend on luck. A made-up clock stands for the machine's."""

import itertools

import pytest
import torch
import torch.nn.functional as F

from autograder.runtime import measure


class Clock:
    """A clock that functions move forward themselves."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now

    def takes(self, *seconds):
        """Return a function that takes these times in turn, over and over."""
        times = itertools.cycle(seconds)

        def function(*_):
            self.now += next(times)

        return function


def test_returns_the_ratio_of_two_times_with_bounds():
    clock = Clock()
    found = measure.time_ratio(clock.takes(3.0), clock.takes(2.0), tuple, [2.5], clock=clock)
    assert (found.low, found.value, found.high) == pytest.approx((1.5, 1.5, 1.5))
    assert found.rounds == 5


def test_an_unclear_reading_is_measured_again():
    clock = Clock()
    found = measure.time_ratio(clock.takes(4.0, 2.0, 3.0), clock.takes(1.0), tuple, [2.9], clock=clock)
    assert found.rounds == 7, "after five, the third smallest reading was still 3.0"
    assert (found.low, found.value, found.high) == pytest.approx((2.0, 2.0, 2.0))


def test_an_unclear_measurement_ends_in_the_students_favour():
    clock, times = Clock(), itertools.chain([3.7, 3.5], itertools.repeat(3.7))

    def candidate(*_):
        clock.now += next(times)

    found = measure.time_ratio(candidate, clock.takes(1.0), tuple, [3.6], clock=clock)
    assert found.rounds == 40
    assert (found.low, found.high) == pytest.approx((3.5, 3.7))


def test_slow_readings_now_and_then_do_not_decide():
    clock = Clock()
    found = measure.time_ratio(clock.takes(1.0, 1.0, 1.0, 100.0), clock.takes(1.0), tuple, [2.5], clock=clock)
    assert found.value == pytest.approx(1.0)
    assert found.low < 2.5, "the lower end decides, and it is on the student's side"


def test_the_first_round_warms_up_and_does_not_count():
    clock, times = Clock(), itertools.chain([6.0], itertools.repeat(1.0))

    def candidate(*_):
        clock.now += next(times)

    found = measure.time_ratio(candidate, clock.takes(1.0), tuple, [2.5], rounds=(1, 1), clock=clock)
    assert (found.value, found.rounds, found.hopeless) == (1.0, 1, False)


def test_a_first_call_that_loads_something_is_not_hopeless():
    clock, times = Clock(), itertools.chain([3.0], itertools.repeat(0.1))

    def candidate(*_):
        clock.now += next(times)

    found = measure.time_ratio(candidate, clock.takes(0.1), tuple, [2.5], clock=clock)
    assert (found.value, found.hopeless) == (pytest.approx(1.0), False)


@pytest.mark.parametrize(("seconds", "runs"), [(100.0, 1), (4.0, 2)])
def test_a_hopeless_candidate_runs_once_or_twice(seconds, runs):
    clock, calls = Clock(), []

    def candidate(*_):
        calls.append(1)
        clock.now += seconds

    found = measure.time_ratio(candidate, clock.takes(0.1), tuple, [2.5, 5.0], clock=clock)
    assert found.hopeless
    assert len(calls) == runs


def test_inputs_are_fresh_in_every_round():
    clock, seen = Clock(), []
    fresh = iter(range(100))
    measure.time_ratio(lambda x: seen.append(x), clock.takes(1.0), lambda: (next(fresh),), [2.5], clock=clock)
    assert len(set(seen)) == len(seen)


@pytest.mark.parametrize(("n", "k", "m"), [(2, 3, 5), (7, 11, 13)])
def test_work_counts_matrix_products(n, k, m):
    assert measure.count_operations(torch.matmul, torch.randn(n, k), torch.randn(k, m)) == 2 * n * k * m


def test_work_counts_the_numbers_that_other_operators_return_and_nothing_for_views():
    assert measure.count_operations(lambda x: x.mT.exp().sum(), torch.randn(3, 4)) == 3 * 4 + 1


def test_operators_are_named_also_below_python():
    assert {"aten::layer_norm", "aten::native_layer_norm"} <= measure.operators(F.layer_norm, torch.randn(2, 3), (3,))


def test_threads_are_put_back():
    before = torch.get_num_threads()
    with measure.threads(1):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before
