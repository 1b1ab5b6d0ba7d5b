"""Grading on a Dask cluster whose scheduler and workers are processes of their own, one of which is killed in the middle."""

import os
import signal
import socket
import subprocess
import sys
import time

import pytest
from sample_class import ASSIGNMENT, CLASS

from autograder import cluster
from autograder.class_runner import find_jobs
from autograder.stage_a import GRADED, HUMAN

pytestmark = pytest.mark.sandbox


@pytest.fixture
def dask(tmp_path):
    """Start a scheduler and return its address and a function that starts a worker."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    processes = []

    def start(*arguments):
        command = [sys.executable, "-m", "distributed.cli." + arguments[0], *arguments[1:], "--no-dashboard"]
        processes.append(
            subprocess.Popen(
                command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
            )
        )
        return processes[-1]

    start("dask_scheduler", "--host", "127.0.0.1", "--port", str(port))
    address = f"tcp://127.0.0.1:{port}"

    def worker():
        place = str(tmp_path / f"worker-{len(processes)}")
        return start("dask_worker", address, "--nthreads", "1", "--nworkers", "1", "--local-directory", place)

    yield address, worker
    for process in processes:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            continue
        process.wait()


def test_a_lost_workers_submissions_are_graded_elsewhere(course, dask):
    address, worker = dask
    first, _ = worker(), worker()
    outcomes = []

    def done(outcome):
        outcomes.append(outcome)
        if len(outcomes) == 2:  # the one without a notebook, and the first result
            os.killpg(first.pid, signal.SIGKILL)

    cluster.run_on_cluster(find_jobs(course, ASSIGNMENT), address, False, None, done)
    assert sorted((o.student, o.state) for o in outcomes) == [*((name, GRADED) for name in CLASS), ("gus", HUMAN)]
    again = []
    start = time.monotonic()
    cluster.run_on_cluster(find_jobs(course, ASSIGNMENT), address, False, None, again.append)
    assert all(o.ready for o in again if o.state == GRADED)
    assert time.monotonic() - start < 60


def test_an_address_where_nobody_answers(course):
    with pytest.raises(LookupError, match="No Dask scheduler answers"):
        cluster.run_on_cluster(find_jobs(course, ASSIGNMENT), "nowhere", False, None, print)


def test_trusted_submissions_do_not_go_to_a_cluster(course):
    with pytest.raises(ValueError, match="not possible together"):
        cluster.run_on_cluster(find_jobs(course, ASSIGNMENT), "tcp://127.0.0.1:1", True, None, print)
