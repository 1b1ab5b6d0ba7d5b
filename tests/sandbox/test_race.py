"""A race between processes: what carrying the bytes costs is taken off, and cannot make a ratio of nothing."""

import itertools
from types import SimpleNamespace

import pytest
import torch

from autograder.runtime.errors import CheckFailure
from autograder.sandbox.outside import remote

#: Seconds of the first calls in a new process, in thousandths: they read code and ask for memory.
COLD = (2.0, 0.75, 0.7, 0.65)


class Clocked:
    """A worker that spends the time of carrying for each call, more in its first ones, and that of the function."""

    def __init__(self, carrying, work):
        self.carrying = itertools.chain(
            (carrying + extra / 1000 for extra in COLD), itertools.cycle(carrying * (1 + x) for x in NOISE)
        )
        self.work = work


NOISE = (0.0, 0.3, 0.1, 0.5, 0.2, 0.05)


def race(monkeypatch, carrying, own, rival):
    workers = {True: Clocked(carrying, rival), False: Clocked(carrying, own)}

    def timed(asked, worker, name, inputs, kwargs):
        return next(worker.carrying) + (0.0 if name == "echo" else worker.work), torch.zeros(1)

    monkeypatch.setattr(remote, "_timed", timed)
    session = SimpleNamespace(worker=lambda: workers[False])
    return remote.Race(session, workers[True], "f", {}).run(tuple, [12.0, 24.0], (3, 40))


@pytest.mark.parametrize("carrying", [0.0004, 0.002])
@pytest.mark.parametrize(("own", "rival"), [(0.000118, 0.00004), (0.0009, 0.0003), (0.00002, 0.00001)])
def test_a_right_answer_is_never_many_times_slower_than_a_rival_that_takes_less_than_the_carrying(
    monkeypatch, carrying, own, rival
):
    assert race(monkeypatch, carrying, own, rival).low < 12


@pytest.mark.parametrize("carrying", [0.0004, 0.002])
def test_a_slow_answer_is_reported(monkeypatch, carrying):
    assert race(monkeypatch, carrying, 0.2, 0.004).low > 24


def test_where_the_work_is_long_the_ratio_is_that_of_the_work(monkeypatch):
    assert race(monkeypatch, 0.0004, 0.03, 0.02).value == pytest.approx(1.5, rel=0.05)


def test_an_answer_that_raises_an_error_is_not_raced(monkeypatch):
    called = []

    def timed(asked, worker, name, inputs, kwargs):
        called.append(name)
        raise CheckFailure("error", "stopped with an error")

    monkeypatch.setattr(remote, "_timed", timed)
    with pytest.raises(CheckFailure):
        remote.Race(SimpleNamespace(worker=lambda: None), None, "f", {}).run(tuple, [12.0, 24.0], (3, 40))
    assert called == ["f"]
