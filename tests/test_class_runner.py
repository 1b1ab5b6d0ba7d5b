"""autograder grade: a whole class, interrupted, resumed, compared and counted."""

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from sample_class import ASSIGNMENT, CLASS, hand_in

from autograder import results, stage_a
from autograder.class_runner import Options, find_jobs, grade_class
from autograder.cli import main
from autograder.nbgrader_plugins import guard
from autograder.stage_a import FAILED, GRADED, HUMAN, work

pytestmark = pytest.mark.sandbox


@pytest.fixture
def autograde(course, monkeypatch, capsys):
    """Run ``autograder grade`` in the course, in this process, and return the exit status and what it printed."""
    monkeypatch.chdir(course.root)

    def run(*arguments):
        capsys.readouterr()
        status = main(["grade", ASSIGNMENT, *arguments])
        printed = capsys.readouterr()
        return SimpleNamespace(returncode=status, stdout=printed.out, stderr=printed.err)

    return run


def scores(course):
    from nbgrader.api import Gradebook

    with Gradebook(f"sqlite:///{course.grading / 'gradebook.db'}") as gradebook:
        return {s.student_id: float(s.score) for s in gradebook.assignment_submissions(ASSIGNMENT)}


def test_a_class_is_graded_counted_and_not_graded_twice(course, autograde):
    done = autograde()
    assert "7 submissions, 6 graded (6 now, 0 before), 1 need a human, 0 failed here" in done.stdout, (
        done.stdout + done.stderr
    )
    assert done.returncode == 0
    assert "there is no attention.ipynb" in " ".join(done.stdout.split())
    assert scores(course) == dict.fromkeys(CLASS, 7.0)
    before = {path: path.stat().st_mtime_ns for path in course.grading.rglob("*.json")}
    done = autograde("--resume")
    assert "6 graded (0 now, 6 before)" in done.stdout
    assert {path: path.stat().st_mtime_ns for path in course.grading.rglob("*.json")} == before


def test_killed_in_the_middle_it_goes_on_where_it_was(course, autograde):
    process = subprocess.Popen(
        [sys.executable, "-m", "autograder", "grade", ASSIGNMENT, "--workers", "1"], cwd=course.root,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    deadline = time.monotonic() + 120
    while not list(course.grading.rglob("results/*/*.json")) and time.monotonic() < deadline:
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    finished = {path: path.stat().st_mtime_ns for path in course.grading.rglob("results/*/*.json")}
    assert finished
    done = autograde()
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path: path.stat().st_mtime_ns for path in finished} == finished
    assert scores(course) == dict.fromkeys(CLASS, 7.0)


def test_different_seeds_give_the_same_points(course, autograde):
    for seed in ("11", "12"):
        assert autograde("--seed", seed).returncode == 0
        assert scores(course) == dict.fromkeys(CLASS, 7.0)


def test_a_regrade_is_shown_before_it_is_made(course, autograde):
    assert autograde().returncode == 0
    hand_in(
        course.root, "ada", "def softmax(E, dim=-1):\n    return torch.exp(E) / torch.exp(E).sum(dim, keepdim=True)"
    )
    done = autograde("--diff")
    text = " ".join(done.stdout.split())
    assert "1 would change; nothing was written" in text
    assert "ada" in text
    assert "any magnitude" in text
    assert scores(course)["ada"] == 7.0
    assert autograde().returncode == 0
    assert scores(course)["ada"] < 7.0
    assert "Nobody's points would change" in autograde("--diff").stdout


def test_a_full_disk_is_a_failure_here_and_nothing_is_lost(course, monkeypatch):
    [job, *_] = find_jobs(course, ASSIGNMENT)

    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(results.os, "replace", full)
    outcome = work(job)
    assert outcome.state == FAILED
    assert "No space left" in outcome.reason
    assert not list(course.grading.rglob("results/*/*"))
    monkeypatch.undo()
    assert work(job).state == GRADED


def test_a_damaged_result_is_made_again(course):
    [job, *_] = find_jobs(course, ASSIGNMENT)
    key = work(job).key
    path = results.Store(course.grading).path(key)
    path.write_text(path.read_text(encoding="utf8")[:100], encoding="utf8")
    assert work(job).ready is False
    assert json.loads(path.read_text(encoding="utf8"))["key"] == key


def test_the_same_submission_gives_the_same_result(course):
    [job, *_] = find_jobs(course, ASSIGNMENT)
    kept = []
    for _ in range(2):
        key = work(job).key
        path = results.Store(course.grading).path(key)
        kept.append(path.read_text(encoding="utf8"))
        path.unlink()
    assert kept[0] == kept[1]


def test_a_process_that_dies_costs_no_grade(course, monkeypatch):
    monkeypatch.setattr(stage_a, "work_many", _die_once)
    outcomes = []
    stage_a.run_locally(find_jobs(course, ASSIGNMENT), 1, False, None, outcomes.append)
    assert (course.root / "died").exists()
    assert sorted(o.state for o in outcomes) == [GRADED] * 6 + [HUMAN]


def _die_once(jobs, trust=False, seed=None):
    mark = Path(jobs[0].root, "died")
    if not mark.exists():
        mark.touch()
        os._exit(9)
    return [work(job, trust, seed) for job in jobs]


def test_a_process_that_always_dies_is_counted(monkeypatch, course):
    monkeypatch.setattr(stage_a, "work_many", _always_die)
    outcomes = []
    stage_a.run_locally(find_jobs(course, ASSIGNMENT)[:2], 1, False, None, outcomes.append)
    assert [o.state for o in outcomes] == [FAILED, FAILED]


def _always_die(jobs, trust=False, seed=None):
    os._exit(9)


def test_without_bubblewrap_grading_refuses_and_says_what_to_install(course, tmp_path, autograde, monkeypatch):
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    done = autograde()
    assert done.returncode == 2
    assert "apt-get install bubblewrap" in done.stderr
    plain = subprocess.run(
        [sys.executable, "-m", "nbgrader", "autograde", ASSIGNMENT], cwd=course.root,
        env=os.environ | {"PATH": str(tmp_path / "bin")}, capture_output=True, text=True,
    )  # fmt: skip
    assert plain.returncode != 0
    assert "apt-get install bubblewrap" in plain.stderr
    assert not (course.grading / "autograded").exists()


def test_trusted_submissions_are_graded_without_a_sandbox_and_marked(course, tmp_path, autograde, monkeypatch):
    (tmp_path / "bin").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    done = autograde("--trust-submissions")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Not sealed" in done.stdout
    assert scores(course) == dict.fromkeys(CLASS, 7.0)
    page = (course.grading / "autograded" / "ada" / ASSIGNMENT / "attention.ipynb").read_text(encoding="utf8")
    assert "graded without a sandbox" in page
    monkeypatch.undo()
    monkeypatch.chdir(course.root)
    done = autograde()
    assert "6 graded (6 now" in done.stdout, "a result without a sandbox does not count for one with it"


def test_an_assignment_that_the_gradebook_does_not_know(course):
    done = subprocess.run(
        [sys.executable, "-m", "autograder", "grade", "77-nothing"], cwd=course.root, capture_output=True, text=True
    )
    assert done.returncode == 2
    assert "nbgrader generate_assignment 77-nothing" in done.stderr


def test_nobody_has_handed_anything_in(course):
    shutil.rmtree(course.grading / "submitted")
    with pytest.raises(LookupError, match="There are no submissions"):
        grade_class(course, Options(ASSIGNMENT, 1))


@pytest.mark.parametrize("make", [lambda p: os.symlink("/etc/passwd", p), os.mkfifo], ids=["link", "pipe"])
def test_links_and_pipes_are_for_a_human(course, make):
    make(course.grading / "submitted" / "ada" / ASSIGNMENT / "extra")
    outcome = work(find_jobs(course, ASSIGNMENT)[0])
    assert outcome.state == HUMAN
    assert "extra is" in outcome.reason


def test_too_many_files_are_for_a_human(tmp_path):
    for number in range(guard.MOST_FILES + 1):
        (tmp_path / str(number)).touch()
    with pytest.raises(guard.UnsafeSubmission, match="Expected at most"):
        guard.inspect(tmp_path)


def test_a_reason_that_looks_like_markup_is_only_text(course, autograde):
    place = course.grading / "submitted" / "ada" / ASSIGNMENT / "a["
    place.mkdir()
    os.symlink("/etc/passwd", place / "b]")
    done = autograde()
    assert "1 need a human" in done.stdout or "2 need a human" in done.stdout


def test_a_notebook_that_begins_with_a_byte_order_mark(course):
    path = course.grading / "submitted" / "ada" / ASSIGNMENT / "attention.ipynb"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert work(find_jobs(course, ASSIGNMENT)[0]).state == GRADED
