"""Grading on a Dask cluster whose scheduler and workers are processes of their own, one of which is killed in the middle."""

import os
import signal
import threading
import time

import pytest
from cluster import Cluster
from known import HELPERS
from sample_class import ASSIGNMENT, CLASS, SHARES, hand_in

from autograder.grading.gradebook.queries import released_assignment
from autograder.grading.run import cluster as module
from autograder.grading.run.batch import Batch
from autograder.grading.run.cluster import on_cluster
from autograder.grading.run.status import FAILED, GRADED, HUMAN
from autograder.grading.run.store import Store
from autograder.grading.settings import Settings
from autograder.grading.submission.read import hand_ins

pytestmark = [pytest.mark.sandbox, pytest.mark.e2e]

NOBODY = "tcp://127.0.0.1:9"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """A cluster with one worker of four threads, which really grades, for the tests that leave it as it is."""
    started = Cluster(tmp_path_factory.mktemp("cluster"))
    try:
        started.worker(4)
        yield started
    finally:
        started.close()


@pytest.fixture
def cluster_of_fakes(tmp_path, monkeypatch):
    """A cluster with two workers of one thread, which grade with the stand-in. Their children are in their process groups."""
    monkeypatch.setenv("PYTHONPATH", str(HELPERS), prepend=os.pathsep)
    started = Cluster(tmp_path)
    try:
        for name in ("first", "second"):
            place = ("--nthreads", "1", "--local-directory", str(tmp_path / name))
            started.start("dask_worker", started.address, *place, "--no-nanny", "--preload", "fake_worker")
        yield started
    finally:
        started.close()


@pytest.fixture
def work(course):
    return Batch(course.grading, released_assignment(course, ASSIGNMENT), Settings(), Store(course.grading))


def handed_in(course):
    return hand_ins(course.grading / "submitted", ASSIGNMENT, [])


def test_a_lost_workers_submissions_are_graded_elsewhere(course, work, cluster_of_fakes, tmp_path):
    """It is killed while it grades: the stand-in does not answer the first time that it sees Ben's."""
    mark, killed = tmp_path / "mark", []
    hand_in(course.root, "ben", f"stays {mark}")

    def kill():
        deadline = time.monotonic() + 120
        while not mark.exists() and time.monotonic() < deadline:
            time.sleep(0.02)
        killed.append(os.getpgid(int(mark.read_text())))
        os.killpg(killed[0], signal.SIGKILL)

    killer = threading.Thread(target=kill)
    killer.start()
    outcomes = list(on_cluster(work, handed_in(course), cluster_of_fakes.address))
    killer.join()
    assert sorted((o.student, o.state) for o in outcomes) == [*((name, GRADED) for name in CLASS), ("gus", HUMAN)]
    assert killed[0] in [process.pid for process in cluster_of_fakes.processes[1:]], "a worker, not the scheduler"


def test_many_threads_of_a_worker_never_mix_up_two_students(course, work, cluster):
    """Every student prints another word; with one helper for all threads of a worker, answers went to the wrong one."""
    words = {f"student-{number}": f"word-{number}\n" for number in range(8)}
    for student, word in words.items():
        text = f"def softmax(E, dim=-1):\n{SHARES}\nprint({word.strip()!r})"
        hand_in(course.root, student, text)
    outcomes = {o.student: o for o in on_cluster(work, handed_in(course), cluster.address)}
    assert {outcomes[student].state for student in (*words, *CLASS)} == {GRADED}
    for student, word in words.items():
        result = work.store.get(outcomes[student].key)
        printed = [o.get("text", "") for items in result.outputs.values() for o in items]
        assert [text for text in printed if "word-" in text] == [word]
        assert result.scores["check-softmax"] == (7.0, 7.0)


def test_trusted_submissions_are_not_sent_to_a_cluster(course, work):
    work.settings = Settings(trust=True)
    with pytest.raises(ValueError, match="not possible together with --scheduler"):
        next(on_cluster(work, handed_in(course), NOBODY))


def test_no_scheduler_answers(course, work, monkeypatch):
    monkeypatch.setattr(module, "_PATIENCE", 1)
    with pytest.raises(LookupError, match="No Dask scheduler answers"):
        next(on_cluster(work, handed_in(course), NOBODY))


def test_results_of_other_checks_are_refused(course, work, cluster, monkeypatch):
    monkeypatch.setattr(module, "checks_version", lambda lessons: "other")
    [ada, *_] = handed_in(course)
    [outcome] = on_cluster(work, [ada], cluster.address)
    assert outcome.state == FAILED
    assert "install the same version of the course there" in outcome.reason
