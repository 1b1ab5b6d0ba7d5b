"""The search for causes ends when the submission's processes, or our own, have used up what it may use."""

import time
from types import SimpleNamespace

import pytest

from autograder.sandbox.outside.session import Session


@pytest.mark.parametrize(
    ("inside", "here", "over"), [(59.0, 0.0, False), (61.0, 0.0, True), (0.0, 9.0, False), (0.0, 11.0, True)]
)
def test_our_own_time_counts_several_times(monkeypatch, inside, here, over):
    clock = SimpleNamespace(inside=5.0, here=100.0)
    monkeypatch.setattr(time, "process_time", lambda: clock.here)
    limits = SimpleNamespace(limits=SimpleNamespace(search_cpu=60.0))
    budget = Session.search_budget(SimpleNamespace(_search=None, used=lambda: clock.inside, box=limits))
    clock.inside, clock.here = clock.inside + inside, clock.here + here
    assert (budget.clock() >= budget.until) is over
