"""Only a submission that does nothing is said to wait: one that is ready, and gets no processor, is not."""

from types import SimpleNamespace

import pytest

from autograder.sandbox.limits import Limits
from autograder.sandbox.outside import worker as outside


class Machine:
    """A process as the kernel tells of it: ``cpu`` and the time in a queue are told in steps, like the clock."""

    begin = handle = 0

    def __init__(self):
        self.now = self.used = self.queued = 0.0

    def cpu(self):
        return self.used

    def waiting(self):
        return {1: self.queued}

    def count(self):
        return 1

    def resident(self):
        return 0

    kept = resident


@pytest.fixture
def watched(monkeypatch):
    machine = Machine()
    monkeypatch.setattr(outside.time, "monotonic", lambda: machine.now)
    worker = outside.Worker(SimpleNamespace(), machine, Limits(idle=2.0), 1)
    return machine, worker, outside._Watch(worker, 40.0, False)


def test_waiting_for_a_processor_that_is_reported_late_does_not_count(watched):
    machine, worker, watch = watched
    for _ in range(30):  # 1.4 s in the queue, which are told when they are over, and then 0.2 s on a processor
        for _ in range(7):
            machine.now += 0.2
            watch()
        machine.now += 0.2
        machine.used += 0.2
        machine.queued += 1.4
        watch()
    assert worker.waited < 0.1


def test_an_idle_process_waits(watched):
    machine, worker, watch = watched
    for _ in range(9):
        machine.now += 0.2
        machine.queued += 0.01
        watch()
    machine.now += 0.5
    with pytest.raises(outside.Stopped, match="nothing was computed"):
        watch()
    assert worker.waited > 2


def test_computing_on_two_processors_earns_no_time_to_wait(watched):
    machine, worker, watch = watched
    machine.now, machine.used = 1.5, 0.0
    watch()
    machine.now, machine.used = 3.0, 3.0
    watch()
    assert worker.waited == pytest.approx(1.5)
