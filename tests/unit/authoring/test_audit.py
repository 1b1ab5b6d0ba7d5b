"""The audit: the course's own cases, a bank from outside, and banks that are wrong."""

import contextlib
import re
import subprocess

import pytest
from known import CASES

from autograder.authoring.audit import Verdict, select_cases
from autograder.authoring.build import build_all
from autograder.cli.main import main
from autograder.grading.run.pool import WorkerPool

RIGHT = "def softmax(E, dim=-1):\n    W = torch.exp(E - E.amax(dim, keepdim=True))\n    return W / W.sum(dim, keepdim=True)\n"


def bank(folder, text, verdict, name="case", exercise="softmax", assignment="01-attention"):
    path = folder / assignment / exercise / verdict / f"{name}.py"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf8")
    return folder


@pytest.fixture(scope="module")
def audit():
    """``autograder audit`` in this process, with one grading process for all calls."""
    with pytest.MonkeyPatch.context() as patch, WorkerPool(1) as helpers:
        patch.setattr("autograder.authoring.audit.WorkerPool", lambda workers: contextlib.nullcontext(helpers))
        yield lambda *arguments: main(["audit", "--workers", "1", *map(str, arguments)])


@pytest.mark.slow
def test_a_sample_of_the_known_answers_and_a_bank_from_outside_get_the_right_verdict(audit, tmp_path, capsys):
    """Sealed, in their notebooks. Every 500th answer: test_seeds runs the checks on more of them, the nightly audit on all."""
    own, outside = tmp_path / "own", tmp_path / "outside"
    for case in sorted(CASES.values(), key=str)[::500]:
        bank(own, case.text, "right" if case.right else "wrong", case.name, case.exercise, case.assignment)
    bank(outside, RIGHT, "right")
    bank(
        outside, "def softmax(E, dim=-1):\n    return E.exp() / E.exp().sum(dim, keepdim=True)\n", "wrong", "overflows"
    )
    bank(outside, "def softmax(E, dim=-1:\n", "wrong", "syntax_error")
    bank(outside, "import os\ndef softmax(E, dim=-1):\n    os._exit(0)\n", "wrong", "ends_the_process")
    bank(outside, "x = 1\n", "wrong", "defines_nothing")
    status = audit("--bank", own, "--bank", outside, "--verbose")
    told = capsys.readouterr().out
    assert status == 0, told[-4000:]
    answers, bad, unnamed = map(
        int, re.search(r"audit: (\d+) answers, (\d+) wrong verdicts, (\d+) wrong", told).groups()
    )
    assert answers >= 5 + 7
    assert bad == 0
    assert unnamed <= answers / 10
    shown = {
        name: line
        for line in told.splitlines()
        if (name := line.partition(": ")[0]).startswith("01-attention/softmax/")
    }
    assert len(shown) >= 5
    assert "named: no maximum subtracted" in shown["01-attention/softmax/wrong/overflows"]
    assert "rejected without a name: 01-attention/softmax/" not in told


@pytest.mark.slow
def test_wrong_verdicts_fail_the_audit_and_are_listed(audit, tmp_path, capsys):
    bank(tmp_path, RIGHT, "wrong", "really_right")
    bank(tmp_path, RIGHT.replace("W / W.sum(dim, keepdim=True)", "torch.sigmoid(E)"), "right", "really_wrong")
    assert audit("--bank", tmp_path) == 1
    told = capsys.readouterr().out
    assert "2 wrong verdicts" in told
    for name in ("wrong/really_right", "right/really_wrong"):
        assert f"WRONG VERDICT: 01-attention/softmax/{name}" in told


def test_an_audit_that_is_stopped_shows_what_it_has_found(audit, tmp_path, capsys, monkeypatch):
    def stopped(cases, course, workers, seed):
        yield Verdict(cases[0], 0, 3, trouble="the sum is not 1")
        raise KeyboardInterrupt

    monkeypatch.setattr("autograder.authoring.audit.run_cases", stopped)
    bank(tmp_path, RIGHT, "right", "first")
    with pytest.raises(KeyboardInterrupt):
        audit("--bank", bank(tmp_path, RIGHT, "right", "second"))
    told = capsys.readouterr().out
    assert "WRONG VERDICT: 01-attention/softmax/right/first" in told
    assert "audit: 1 answers, 1 wrong verdicts" in told


def test_an_unknown_exercise_or_folder_is_a_clear_error(audit, tmp_path, capsys):
    assert audit("--bank", bank(tmp_path, RIGHT, "right", exercise="sofmax")) == 2
    assert "has no exercise 'sofmax'. Expected one of: softmax," in capsys.readouterr().err
    assert audit("--bank", tmp_path / "nowhere") == 2
    assert "There is no folder" in capsys.readouterr().err


def test_an_audit_of_nothing_is_an_error(second_course):
    """A misspelt name has passed: no answer was checked, so no verdict was wrong."""
    chosen = list(select_cases(second_course, None, ["echo", "standardise"], None, None))
    assert {case.exercise for case in chosen} == {"echo", "standardise"}
    with pytest.raises(
        LookupError, match=r"no known answer to 'standardize' here. Expected one of: echo, .*standardise"
    ):
        list(select_cases(second_course, None, ["echo", "standardize"], None, None))
    [source] = second_course.sources()
    source.unlink()
    with pytest.raises(LookupError, match="no lesson with known answers"):
        list(select_cases(second_course, None, None, None, None))
    with pytest.raises(LookupError, match="no source of a lesson"):
        build_all(second_course)


def test_audits_changed_lessons_in_full_and_a_tenth_of_others(second_course, capsys):
    def git(*arguments):
        subprocess.run(["git", *arguments], cwd=second_course.root, check=True, capture_output=True)

    git("init")
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-m", "all")
    everything = list(select_cases(second_course, None, None, None, None))
    assert len(everything) == 12
    assert list(select_cases(second_course, None, None, "HEAD", 3)) == [everything[3]]
    assert "(--tenth 3)" in capsys.readouterr().out
    path = second_course.root / "signal_lessons" / "averages" / "references.py"
    path.write_text(path.read_text(encoding="utf8") + "\n", encoding="utf8")
    assert list(select_cases(second_course, None, None, "HEAD", 3)) == everything
    with pytest.raises(ValueError, match="git cannot compare with 'nowhere'"):
        list(select_cases(second_course, None, None, "nowhere", None))
