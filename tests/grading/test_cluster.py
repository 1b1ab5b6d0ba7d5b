"""Grading on a Dask cluster whose scheduler and workers are processes of their own, one of which is killed in the middle."""

import os
import signal

import pytest
from cluster import Cluster
from sample_class import ASSIGNMENT, CLASS, hand_in

from autograder.grading.cluster import on_cluster
from autograder.grading.committed import assignment_in
from autograder.grading.hand_ins import hand_ins
from autograder.grading.many import ClassWork
from autograder.grading.outcome import GRADED, HUMAN
from autograder.grading.settings import Settings
from autograder.grading.store import Store

pytestmark = pytest.mark.sandbox


@pytest.fixture
def cluster(tmp_path):
    started = Cluster(tmp_path)
    yield started
    started.close()


@pytest.fixture
def work(course):
    return ClassWork(course.grading, assignment_in(course, ASSIGNMENT), Settings(), Store(course.grading))


def handed_in(course):
    return hand_ins(course.grading / "submitted", ASSIGNMENT, [])


def test_a_lost_workers_submissions_are_graded_elsewhere(course, work, cluster):
    first, _ = cluster.worker(1), cluster.worker(1)
    outcomes = []
    for outcome in on_cluster(work, handed_in(course), cluster.address):
        outcomes.append(outcome)
        if len(outcomes) == 2:  # the one without a notebook, and the first result
            os.killpg(first.pid, signal.SIGKILL)
    assert sorted((o.student, o.state) for o in outcomes) == [*((name, GRADED) for name in CLASS), ("gus", HUMAN)]


def test_many_threads_of_a_worker_never_mix_up_two_students(course, work, cluster):
    """Every student prints another word; with one helper for all threads of a worker, answers went to the wrong one."""
    for number in range(18):
        text = f"def softmax(E, dim=-1):\n    return torch.softmax(E, dim)\nprint('word-{number}')"
        hand_in(course.root, f"student-{number}", text)
    cluster.worker(4)
    outcomes = {o.student: o for o in on_cluster(work, handed_in(course), cluster.address)}
    for number in range(18):
        outcome = outcomes[f"student-{number}"]
        assert outcome.state == GRADED
        printed = [o.get("text", "") for items in work.store.get(outcome.key).outputs.values() for o in items]
        assert [text for text in printed if "word-" in text] == [f"word-{number}\n"]


def test_trusted_submissions_are_not_sent_to_a_cluster(course, work, cluster):
    work.settings = Settings(trust=True)
    with pytest.raises(ValueError, match="not possible together with --scheduler"):
        next(on_cluster(work, handed_in(course), cluster.address))


def test_nobody_answers(course, work, monkeypatch):
    from autograder.grading import cluster

    monkeypatch.setattr(cluster, "_PATIENCE", 1)
    with pytest.raises(LookupError, match="No Dask scheduler answers"):
        next(on_cluster(work, handed_in(course), "tcp://127.0.0.1:9"))


def test_results_of_other_checks_are_refused(course, work, cluster, monkeypatch):
    from autograder.grading import cluster as clusters

    cluster.worker(1)
    monkeypatch.setattr(clusters, "checks_version", lambda lessons: "other")
    [ada, *_] = handed_in(course)
    [outcome] = on_cluster(work, [ada], cluster.address)
    assert outcome.state != GRADED
    assert "install the same version of the course there" in outcome.reason
