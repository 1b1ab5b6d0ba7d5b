"""The processes that grade: one that dies costs only the submission on which it died a second try."""

import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest
from known import HELPERS

from autograder.grading.run import pool
from autograder.grading.run.batch import Batch, outcomes
from autograder.grading.run.pool import GradingJob, JobTimeout, WorkerCrashed, WorkerPool, unpack_job
from autograder.grading.run.status import FAILED, GRADED
from autograder.grading.run.store import Store
from autograder.grading.settings import Settings
from autograder.grading.submission.model import Submission
from autograder.grading.submission.read import HandIn
from autograder.grading.submission.released import Released, ReleasedCell
from autograder.sandbox.limits import Limits


@pytest.fixture
def fakes(monkeypatch):
    """Start the stand-in in the place of the process that grades."""
    monkeypatch.setenv("PYTHONPATH", str(HELPERS))
    started = []

    def start(most):
        started.append(WorkerPool(most, "fake_helper"))
        return started[-1]

    yield start
    for one in started:
        one.close()


def submission(text, student="ada"):
    return Submission(student, "77-other", "other", [{"cell_type": "code", "metadata": {}, "source": text}])


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A class whose hand-ins are made of the names of their folders."""
    cell = ReleasedCell("x", "code", False, "", "", False, True, False, 0.0)
    made = Batch(tmp_path, Released("77-other", "other", {"x": cell}), Settings(), Store(tmp_path))
    monkeypatch.setattr(Batch, "read", lambda self, hand_in: submission(hand_in.folder, hand_in.student))
    return made


def hand_ins(texts):
    return [HandIn(f"student-{number:03}", text) for number, text in enumerate(texts)]


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_a_killer_among_a_hundred_harms_nobody_else(work, fakes, workers):
    texts = [f"text {number}" for number in range(100)]
    texts[3] = "killer"
    ended = {o.student: o for o in outcomes(work, hand_ins(texts), fakes(workers).grade, workers)}
    assert len(ended) == 100
    assert [student for student, o in ended.items() if o.state != GRADED] == ["student-003"]
    assert ended["student-003"].state == FAILED
    assert "has died: exit status 9" in ended["student-003"].reason


def test_grades_a_submission_whose_worker_crashed_once(work, fakes, tmp_path):
    [outcome] = outcomes(work, hand_ins([f"once {tmp_path / 'mark'}"]), fakes(1).grade, 1)
    assert outcome.state == GRADED


def test_a_search_for_causes_that_ends_the_process_costs_no_grade(work, fakes):
    [outcome] = outcomes(work, hand_ins(["causes kill"]), fakes(1).grade, 1)
    assert outcome.state == GRADED


def grown(helpers):
    """Return the processes that have answered. One that is only beginning would take a second try from the same submission."""
    with helpers._lock:
        return {helper.channel.process.pid for helper in helpers._all if helper in helpers._idle or helper.jobs > 1}


def test_processes_that_are_killed_from_outside_cost_no_grade(work, fakes):
    helpers, choose = fakes(4), random.Random(0)
    ended, killed = [], []
    for number, outcome in enumerate(outcomes(work, hand_ins(f"text {n}" for n in range(100)), helpers.grade, 4)):
        ended.append(outcome)
        if number % 10 == 0:
            killed.append(choose.choice(sorted(grown(helpers) - {*killed})))
            os.kill(killed[-1], signal.SIGKILL)
    assert [o.reason for o in ended if o.state != GRADED] == []
    assert len(ended) == 100


def test_threads_that_share_helpers_each_get_their_own_result(fakes):
    helpers = fakes(2)
    wrong = []

    def many(number):
        for turn in range(60):
            task = GradingJob(submission(f"{number} {turn}"), turn)
            if helpers.grade(task).digest != task.submission.digest:
                wrong.append((number, turn))

    threads = [threading.Thread(target=many, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert len(helpers._all) <= 2, "a second one is started only where the first is lent"


@pytest.mark.parametrize(
    ("text", "told"),
    [("killer", "exit status 9"), ("raises", "RuntimeError: of ours"), ("another's", "result of another submission")],
)
def test_reports_the_reason_of_a_crash(fakes, text, told):
    with pytest.raises(WorkerCrashed, match=told):
        fakes(1).grade(GradingJob(submission(text), 1))


def test_stops_a_hanging_worker(fakes, monkeypatch):
    monkeypatch.setattr(pool, "_BEYOND_LIMITS", 0.3)
    with pytest.raises(JobTimeout, match=r"0\.5 s"):
        fakes(1).grade(GradingJob(submission("hangs"), 1, Settings(limits=Limits(total_wall=0.2))))


def test_a_malformed_answer_is_a_failure_here(work, fakes):
    [outcome] = outcomes(work, hand_ins(["garbled"]), fakes(1).grade, 1)
    assert outcome.state == FAILED
    assert "not a result" in outcome.reason


def test_closing_the_pool_ends_the_calls_that_wait(fakes):
    helpers = fakes(1)
    told = []

    def wait():
        try:
            helpers.grade(GradingJob(submission("hangs"), 1))
        except WorkerCrashed as error:
            told.append(str(error))

    thread = threading.Thread(target=wait)
    thread.start()
    while not helpers._all:
        time.sleep(0.001)
    helpers.close()
    thread.join(20)
    assert told == ["grading was stopped"]


def test_a_task_travels_whole():
    files = {"a b.safetensors": bytes(range(256)) * 100, "ü/x.py": b"", "z": b"1"}
    given = Submission(
        "Zoë", "01-attention", "attention", [{"cell_type": "code", "source": "π", "metadata": {}}], files, ("note",)
    )
    task = GradingJob(given, 2**64 - 1, Settings(trust=True, limits=Limits(idle=3), label="x"), ["softmax"], ["attend"])
    back = unpack_job(task.pack())
    assert back.submission == given
    assert back.submission.digest == given.digest
    assert (back.seed, back.settings, list(back.only), list(back.known)) == (
        task.seed,
        task.settings,
        ["softmax"],
        ["attend"],
    )


def test_the_package_comes_from_where_the_command_has_it(tmp_path):
    """Not from a folder of that name in which the command was started."""
    (tmp_path / "autograder").mkdir()
    (tmp_path / "autograder" / "__init__.py").write_text("raise RuntimeError('the wrong one')")
    code = (
        "from autograder.grading.run.pool import WorkerPool, GradingJob\n"
        "from autograder.grading.submission.model import Submission\n"
        "cell = {'cell_type': 'code', 'metadata': {}, 'source': 'x'}\n"
        "with WorkerPool(1, 'fake_helper') as helpers:\n"
        "    print(helpers.grade(GradingJob(Submission('ada', '77-other', 'other', [cell]), 1)).seed)\n"
    )
    environment = os.environ | {"PYTHONPATH": str(HELPERS)}
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, env=environment, capture_output=True, text=True
    )
    assert done.stdout == "1\n", done.stderr


def test_a_process_is_replaced_before_it_has_grown(fakes, monkeypatch):
    monkeypatch.setattr(pool, "_MOST_JOBS", 3)
    helpers, seen = fakes(1), set()
    for number in range(7):
        helpers.grade(GradingJob(submission(f"text {number}"), 1))
        seen |= {helper.channel.process.pid for helper in helpers._all}
    assert len(helpers._all) == 1
    assert len(seen) == 3, "three, three and one"
