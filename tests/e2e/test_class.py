"""autograder grade: a whole class, interrupted, resumed, compared, counted and written.

What grades is real where its verdict or its end matters, one process for all of these tests; elsewhere the stand-in is enough.
"""

import contextlib
import errno
import io
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest
from known import HELPERS
from sample_class import ASSIGNMENT, CLASS, hand_in

from autograder.cli.main import main
from autograder.grading.course import Course
from autograder.grading.gradebook.class_run import GradeOptions, grade_class
from autograder.grading.gradebook.nbgrader import SealedAutograde
from autograder.grading.gradebook.queries import committed_scores, database, released_assignment
from autograder.grading.run import batch, store
from autograder.grading.run.batch import Batch, locally
from autograder.grading.run.pool import WorkerPool
from autograder.grading.run.status import FAILED, GRADED, HUMAN, load_status
from autograder.grading.run.store import Store
from autograder.grading.settings import Settings
from autograder.grading.submission.read import hand_ins

pytestmark = [
    pytest.mark.sandbox,
    pytest.mark.filterwarnings("ignore:Object of type .* not in session"),  # pytest sets aside what the writer has set
]

N = len(CLASS)

WRONG = "def softmax(E, dim=-1):\n    return torch.exp(E) / torch.exp(E).sum(dim, keepdim=True)"

#: ``autograder`` as a command, with the stand-in for the process that grades.
WITH_FAKES = """
import sys
from functools import partial
from autograder.cli.main import main
from autograder.grading.run import batch
batch.WorkerPool = partial(batch.WorkerPool, module="fake_helper")
sys.exit(main())
"""


@pytest.fixture(scope="module")
def grading_process():
    """The process that grades, for all tests with real verdicts: it and its sandbox take six seconds to start."""
    with WorkerPool(1) as helpers:
        yield helpers


@pytest.fixture
def real(monkeypatch, grading_process):
    """Grade with the one real process that grades."""
    monkeypatch.setattr(batch, "WorkerPool", lambda most: contextlib.nullcontext(grading_process))


@pytest.fixture
def fake(monkeypatch):
    """Grade with the stand-in for the process that grades."""
    monkeypatch.setenv("PYTHONPATH", str(HELPERS), prepend=os.pathsep)
    monkeypatch.setattr(batch, "WorkerPool", partial(WorkerPool, module="fake_helper"))


@pytest.fixture(scope="module")
def graded_once(sample_class, grading_process, tmp_path_factory):
    """The sample class after it has really been graded, once for all tests that begin there: its place, what was printed, and
    the number of the process that graded, once for each time that it was lent.
    """
    place, lent, lend = tmp_path_factory.mktemp("graded") / "course", [], WorkerPool._lend
    shutil.copytree(sample_class, place)

    @contextlib.contextmanager
    def noted(self):
        with lend(self) as helper:
            lent.append(helper.channel.process.pid)
            yield helper

    out, err = io.StringIO(), io.StringIO()
    with (
        pytest.MonkeyPatch.context() as patch,
        contextlib.chdir(place),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
    ):
        patch.setattr(batch, "WorkerPool", lambda most: contextlib.nullcontext(grading_process))
        patch.setattr(WorkerPool, "_lend", noted)
        status = main(["grade", ASSIGNMENT, "--workers", "1"])
    return SimpleNamespace(
        place=place, lent=lent, returncode=status, stdout=out.getvalue(), stderr=err.getvalue(), course=Course(place)
    )


@pytest.fixture
def graded(graded_once, course):
    """The course of the test, graded."""
    shutil.rmtree(course.root)
    shutil.copytree(graded_once.place, course.root)
    return course


@pytest.fixture
def autograde(course, monkeypatch, capsys):
    """Run ``autograder grade`` in the course, in this process, and return the exit status and what it printed."""
    monkeypatch.chdir(course.root)

    def run(*arguments):
        capsys.readouterr()
        status = main(["grade", ASSIGNMENT, "--workers", "1", *arguments])
        printed = capsys.readouterr()
        return SimpleNamespace(returncode=status, stdout=printed.out, stderr=printed.err)

    return run


@pytest.fixture
def work(course):
    """What is needed to grade the class's submissions one by one."""
    return Batch(course.grading, released_assignment(course, ASSIGNMENT), Settings(), Store(course.grading))


def handed_in(course):
    return hand_ins(course.grading / "submitted", ASSIGNMENT, [])


def scores(course):
    from nbgrader.api import Gradebook

    with Gradebook(database(course)) as gradebook:
        return {s.student_id: float(s.score) for s in gradebook.assignment_submissions(ASSIGNMENT)}


def nbgrader(course, *arguments):
    return subprocess.run(
        [sys.executable, "-P", "-m", "nbgrader", *arguments], cwd=course.root, capture_output=True, text=True
    )


def test_a_class_is_graded_and_counted(graded_once):
    done, course = graded_once, graded_once.course
    assert f"{N + 1} submissions, {N} graded ({N} now, 0 before), 1 need a human, 0 failed here" in done.stdout, (
        done.stdout + done.stderr
    )
    assert done.returncode == 0
    assert "there is no attention.ipynb" in " ".join(done.stdout.split())
    assert f"grading: 0 of {N + 1}" in done.stderr, "a sign of life before the first result"
    assert scores(course) == dict.fromkeys(CLASS, 7.0)
    assert {student: o.state for student, o in load_status(course.grading, ASSIGNMENT).items()} == {
        **dict.fromkeys(CLASS, GRADED),
        "gus": HUMAN,
    }


def test_a_fault_in_the_configuration_is_said_and_the_results_are_kept(course, autograde, fake):
    config = course.root / "nbgrader_config.py"
    right = config.read_text(encoding="utf8")
    config.write_text(right + "\nraise RuntimeError('no such folder')\n", encoding="utf8")
    done = autograde()
    assert done.returncode != 0
    assert "The gradebook cannot be written: RuntimeError: no such folder (nbgrader_config.py:" in done.stderr
    config.write_text(right, encoding="utf8")
    assert autograde().returncode == 0
    assert scores(course) == dict.fromkeys(CLASS, 7.0)


def test_a_class_is_not_graded_twice(graded, course, autograde, fake):
    before = {path: path.stat().st_mtime_ns for path in course.grading.rglob("results/*/*.json")}
    assert len(before) == N
    done = autograde()
    assert f"{N} graded (0 now, {N} before)" in done.stdout
    assert {path: path.stat().st_mtime_ns for path in course.grading.rglob("results/*/*.json")} == before


def test_one_process_grades_many(graded_once):
    """Each takes seconds to load PyTorch; one that is silently replaced after every submission costs all of them."""
    assert len(graded_once.lent) == N, "each submission was tried once"
    assert len(set(graded_once.lent)) == 1


def test_two_who_hand_in_the_same_are_both_graded_now(course, autograde, fake):
    place = course.grading / "submitted"
    shutil.copytree(place / "ada", place / "zoe")
    done = autograde()
    assert f"{N + 1} graded ({N + 1} now, 0 before)" in done.stdout
    assert re.search("ada, zoe .*the same work as each other", done.stdout)
    assert scores(course)["zoe"] == 7.0


def test_grades_one_student_only_and_again_if_forced(course, autograde, fake):
    assert "1 submissions, 1 graded (1 now" in autograde("--student", "ada").stdout
    assert set(scores(course)) == {"ada"}
    assert "(0 now, 1 before)" in autograde("--student", "ada").stdout
    assert "(1 now, 0 before)" in autograde("--student", "ada", "--force").stdout
    done = autograde("--student", "nobody")
    assert done.returncode == 2
    assert "'nobody' has handed in nothing" in done.stderr


def test_a_new_gradebook_is_filled_again(graded, course, autograde, fake, sample_class):
    # As it was when the assignment had been made.
    shutil.copy(sample_class / "grading" / "gradebook.db", course.grading)
    assert scores(course) == {}
    done = autograde()
    assert f"{N} graded (0 now, {N} before)" in done.stdout
    assert scores(course) == dict.fromkeys(CLASS, 7.0)


def test_changed_points_apply_to_graded_students(graded, course, autograde, fake):
    """A teacher who makes an exercise worth more in the notebook gets a part of that, not of what the checks say."""
    path = course.solutions / ASSIGNMENT / "attention.ipynb"
    notebook = json.loads(path.read_text(encoding="utf8"))
    for cell in notebook["cells"]:
        if cell["metadata"].get("nbgrader", {}).get("grade_id") == "check-softmax":
            cell["metadata"]["nbgrader"]["points"] = 14
    path.write_text(json.dumps(notebook), encoding="utf8")
    assert nbgrader(course, "generate_assignment", ASSIGNMENT, "--force").returncode == 0
    hand_in(course.root, "ben", WRONG)
    assert autograde().returncode == 0
    assert scores(course)["ada"] == 14.0
    assert scores(course)["ben"] == 10.0, "5 of 7"
    page = (course.grading / "autograded" / "ben" / ASSIGNMENT / "attention.ipynb").read_text(encoding="utf8")
    assert "worth 14 points here: 10 of 14" in page


def test_a_later_due_date_applies_to_graded_students(graded, course, autograde, fake):
    from nbgrader.api import Gradebook

    (course.grading / "submitted" / "ada" / ASSIGNMENT / "timestamp.txt").write_text("2026-02-03 10:00:00 UTC")
    config = course.root / "nbgrader_config.py"
    rule = (
        "from nbgrader.plugins import LateSubmissionPlugin\n"
        "class TwoPoints(LateSubmissionPlugin):\n"
        "    def late_submission_penalty(self, student, score, seconds):\n"
        "        return 2.0\n"
        "get_config().AssignLatePenalties.plugin_class = TwoPoints\n"
    )
    config.write_text(config.read_text(encoding="utf8") + rule, encoding="utf8")
    assert autograde().returncode == 0
    with Gradebook(database(course)) as gradebook:
        assert not gradebook.find_submission(ASSIGNMENT, "ada").late_submission_penalty
        gradebook.update_or_create_assignment(ASSIGNMENT, duedate="2026-02-02 10:00:00 UTC")
    assert autograde().returncode == 0
    with Gradebook(database(course)) as gradebook:
        assert gradebook.find_submission(ASSIGNMENT, "ada").late_submission_penalty == 2.0
        assert not gradebook.find_submission(ASSIGNMENT, "ben").late_submission_penalty
    # Nobody knows the time of newer work.
    (course.grading / "submitted" / "ada" / ASSIGNMENT / "timestamp.txt").unlink()
    assert autograde().returncode == 0
    with Gradebook(database(course)) as gradebook:
        assert gradebook.find_submission(ASSIGNMENT, "ada").timestamp is None
        assert not gradebook.find_submission(ASSIGNMENT, "ada").late_submission_penalty


@pytest.mark.nightly(reason="seeds are compared for every exercise by the contract")
def test_another_seed_gives_the_same_points(graded, course, autograde, real):
    assert "(1 now, 0 before)" in autograde("--student", "ada", "--seed", "11").stdout
    result = Store(course.grading).get(load_status(course.grading, ASSIGNMENT)["ada"].key)
    assert result.seed == 11
    assert result.scores["check-softmax"] == (7.0, 7.0)
    assert scores(course) == dict.fromkeys(CLASS, 7.0)


@pytest.mark.e2e
def test_a_regrade_is_shown_before_it_is_made(graded, course, autograde, real):
    hand_in(course.root, "ada", WRONG)
    done = autograde("--diff")
    text = " ".join(done.stdout.split())
    assert "1 would change; nothing was written" in text
    assert "ada" in text
    assert "any magnitude" in text
    assert scores(course)["ada"] == 7.0
    assert autograde().returncode == 0
    assert scores(course)["ada"] < 7.0
    assert "Nobody's points would change" in autograde("--diff").stdout


def test_a_full_disk_is_a_failure_here_and_nothing_is_lost(course, work, fake, monkeypatch):
    [ada, *_] = handed_in(course)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    work.store.secret()
    with monkeypatch.context() as patch:
        patch.setattr(store.os, "replace", full)
        [outcome] = locally(work, [ada], 1)
    assert outcome.state == FAILED
    assert "No space left" in outcome.reason
    assert not list(course.grading.rglob("results/*/*"))
    [outcome] = locally(work, [ada], 1)
    assert outcome.state == GRADED


DAMAGES = {
    "ada": lambda text: text[:100],
    "ben": lambda text: text.replace('"points": 7.0', '"points": 9.0'),
    "cyd": lambda text: "",
}


@pytest.mark.e2e
def test_grades_again_and_reports_a_damaged_or_edited_result(graded, course, autograde, real):
    keys = {student: load_status(course.grading, ASSIGNMENT)[student].key for student in DAMAGES}
    paths = {student: course.grading / "results" / key[:2] / f"{key}.json" for student, key in keys.items()}
    good = {student: path.read_text(encoding="utf8") for student, path in paths.items()}
    for student, damage in DAMAGES.items():
        assert damage(good[student]) != good[student]
        paths[student].write_text(damage(good[student]), encoding="utf8")
    done = autograde()
    assert "because they were damaged or edited: 3." in done.stdout
    assert f"(3 now, {N - 3} before)" in done.stdout
    assert {student: path.read_text(encoding="utf8") for student, path in paths.items()} == good, "and is the same"


@pytest.mark.e2e
def test_plain_nbgrader_grades_again_and_reports_an_edited_result(graded, course, command):
    key = load_status(course.grading, ASSIGNMENT)["ben"].key
    path = course.grading / "results" / key[:2] / f"{key}.json"
    good = path.read_text(encoding="utf8")
    path.write_text(DAMAGES["ben"](good), encoding="utf8")
    done = command("nbgrader", "autograde", ASSIGNMENT, "--student", "ben", "--force", cwd=course.root)
    assert "because they were damaged or edited: 1." in done.stderr
    assert path.read_text(encoding="utf8") == good


def test_without_bubblewrap_grading_refuses_and_says_what_to_install(course, autograde, monkeypatch):
    from autograder.sandbox.outside import bubblewrap

    monkeypatch.setattr(bubblewrap.shutil, "which", lambda *_: None)
    monkeypatch.setattr(bubblewrap, "bundled", lambda: None)
    done = autograde()
    assert done.returncode == 2
    assert "apt-get install bubblewrap" in done.stderr
    assert "attention-course[teach]" in done.stderr
    assert not (course.grading / "autograded").exists()


@pytest.mark.e2e
def test_trusted_submissions_are_graded_without_a_sandbox_and_marked(course, autograde, real, monkeypatch):
    hand_in(course.root, "ben", "import os\nos._exit(3)")
    chosen = ["--student", "ada", "--student", "ben"]
    done = autograde("--trust-submissions", *chosen)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 graded (1 now, 0 before), 1 need a human, 0 failed" in done.stdout
    assert "exit status 3" in done.stdout, "one that ends its process needs a human"
    assert "Not sealed" in done.stdout
    assert scores(course) == {"ada": 7.0}
    page = (course.grading / "autograded" / "ada" / ASSIGNMENT / "attention.ipynb").read_text(encoding="utf8")
    assert "graded without a sandbox" in page
    done = autograde("--student", "ada")
    assert "1 graded (1 now" in done.stdout, "a result without a sandbox does not count for one with it"
    assert "Not sealed" not in done.stdout


def test_other_limits_give_another_result(graded, autograde, fake):
    assert "(1 now, 0 before)" in autograde("--student", "ada", "--limits", '{"request_cpu": 80}').stdout
    done = autograde("--limits", '{"speed": 1}')
    assert done.returncode == 2
    assert "request_cpu" in done.stderr


def test_refuses_an_unknown_assignment(course, monkeypatch):
    monkeypatch.chdir(course.root)
    assert main(["grade", "77-nothing"]) == 2


def test_refuses_a_class_without_submissions(course):
    shutil.rmtree(course.grading / "submitted")
    with pytest.raises(LookupError, match="There are no submissions"):
        grade_class(course, GradeOptions(ASSIGNMENT))


# ------------------------------------------------------------ faults


@pytest.mark.e2e
def test_a_killed_run_resumes(course, autograde, fake):
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "autograder", "grade", ASSIGNMENT, "--workers", "1"],
        cwd=course.root,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 120
    while not list(course.grading.rglob("results/*/*.json")) and time.monotonic() < deadline:
        time.sleep(0.02)
    started = _descendants(process.pid)
    assert len(started) >= 3, "a helper, its sandbox and the writer"
    os.kill(process.pid, signal.SIGKILL)  # it alone: what it has started must end by itself
    process.wait()
    deadline = time.monotonic() + 20
    while any(map(_runs, started)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert [pid for pid in started if _runs(pid)] == []
    finished = {path: path.stat().st_mtime_ns for path in course.grading.rglob("results/*/*.json")}
    assert finished
    done = autograde()
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert scores(course) == dict.fromkeys(CLASS, 7.0)


def _descendants(pid):
    """The numbers of the processes that a process has started, directly or not."""
    from autograder.sandbox.outside.process import Process

    return list(Process(pid).descendants())


def _runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.e2e
def test_two_runs_at_once_write_what_one_would(course, fake):
    runs = [
        subprocess.Popen(
            [sys.executable, "-P", "-c", WITH_FAKES, "grade", ASSIGNMENT, "--workers", "1"],
            cwd=course.root,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        for _ in range(2)
    ]
    for run in runs:
        told = run.communicate()[0]
        assert run.returncode == 0, told
        assert f"{N} graded" in told
    assert [o.state for o in load_status(course.grading, ASSIGNMENT).values()].count(GRADED) == N
    assert scores(course) == dict.fromkeys(CLASS, 7.0)
    grades = committed_scores(database(course), ASSIGNMENT)
    assert all(student.scores["check-softmax"] == 7.0 for student in grades.values())


@pytest.mark.e2e
@pytest.mark.parametrize("when", ["before it is read", "before it is written"])
def test_a_gradebook_that_another_program_holds_is_waited_for(course, autograde, fake, monkeypatch, when):
    import nbgrader.api

    create, write, tried = nbgrader.api.create_engine, SealedAutograde.write, []
    holder = sqlite3.connect(course.grading / "gradebook.db", check_same_thread=False)
    timer = threading.Timer(1.5, holder.rollback)

    def impatient(url, **more):
        """Give up after a tenth of a second, not after SQLite's five: then it is the converter that waits."""
        return create(url, **more, connect_args={"timeout": 0.1})

    def hold():
        """Take the gradebook away before the first result."""
        if not tried:
            holder.execute("BEGIN EXCLUSIVE")
            timer.start()

    def held(self, submission, result, outcome):
        if when == "before it is read":
            hold()
        return write(self, submission, result, outcome)

    def counted(self, submission, result, key):
        if when == "before it is written":
            hold()
        tried.append(submission.student)
        write_once(self, submission, result, key)

    write_once = SealedAutograde._write
    monkeypatch.setattr(nbgrader.api, "create_engine", impatient)
    monkeypatch.setattr(SealedAutograde, "write", held)
    monkeypatch.setattr(SealedAutograde, "_write", counted)
    try:
        done = autograde()
    finally:
        timer.join()
        holder.close()
    assert done.returncode == 0, done.stdout + done.stderr
    assert scores(course) == dict.fromkeys(CLASS, 7.0)
    assert len(tried) > N or when == "before it is read", "the first one was tried again"


@pytest.mark.nightly(reason="twenty starts and kills of a class take five minutes")
def test_killed_at_twenty_moments_ends_with_the_right_points(course, autograde):
    choose = random.Random(0)
    for _ in range(20):
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "autograder", "grade", ASSIGNMENT],
            cwd=course.root,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(choose.uniform(0.5, 12.0))
        process.kill()
        process.wait()
    done = autograde()
    assert f"{N + 1} submissions, {N} graded" in done.stdout
    assert done.returncode == 0, done.stdout + done.stderr
    assert scores(course) == dict.fromkeys(CLASS, 7.0)
