"""Edited answers that nobody has read can neither take all the time nor all the memory."""

import resource
import sys
import time

import pytest
import torch
from answers import student

from autograder.runtime import limits
from autograder.runtime import limits as patience
from autograder.runtime.errors import CheckFailure
from autograder.runtime.limits import run_limited


@pytest.mark.timeout(60, method="thread")  # the timer of the other method is the one that is tested
def test_an_endless_call_is_stopped_and_the_patience_of_before_is_back():
    endless = student("def softmax(E):\n    while True: pass")
    with patience.check_timeout(60, 3):
        before = patience._current
        begun = time.process_time()
        with run_limited(), pytest.raises(CheckFailure, match="longer than"):
            endless.softmax(torch.zeros(3))
        assert time.process_time() - begun < 10 * limits.SECONDS
        assert patience._current is before


def test_a_call_that_wants_all_memory_fails_and_the_limit_of_before_is_back():
    before = resource.getrlimit(resource.RLIMIT_AS)
    large = student("def softmax(E): return torch.zeros(10**9, dtype=torch.float64)")
    with run_limited(), pytest.raises(CheckFailure):
        large.softmax(torch.zeros(3))
    assert resource.getrlimit(resource.RLIMIT_AS) == before


def test_small_computations_are_not_stopped():
    with run_limited():
        assert student().softmax(torch.zeros(2)).tolist() == [0.5, 0.5]


@pytest.mark.timeout(60, method="thread")
def test_an_import_is_not_stopped_half_way(tmp_path, monkeypatch):
    """What is left of it would be broken for the checks of all later submissions."""
    (tmp_path / "slow_library.py").write_text("import time\ntime.sleep(1.2)\nready = True\n")
    monkeypatch.syspath_prepend(tmp_path)
    slow = student("def softmax(E):\n    import slow_library\n    while slow_library.ready: pass")
    with run_limited(), pytest.raises(CheckFailure, match="longer than"):
        slow.softmax(torch.zeros(3))
    assert sys.modules["slow_library"].ready
