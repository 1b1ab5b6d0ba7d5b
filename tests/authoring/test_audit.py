"""The audit: the course's own cases, a bank from outside, and banks that are wrong."""

import re
import subprocess

import pytest
from known import CASES

from autograder.authoring.audited import selected

RIGHT = "def softmax(E, dim=-1):\n    return torch.softmax(E, dim)\n"


@pytest.fixture
def bank(tmp_path):
    def add(text, verdict, name="case", exercise="softmax", assignment="01-attention"):
        path = tmp_path / assignment / exercise / verdict / f"{name}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf8")
        return tmp_path

    return add


@pytest.mark.slow
def test_a_sample_of_the_known_answers_gets_the_right_verdict(command, tmp_path):
    """Sealed, in their notebooks. Every 120th answer: test_seeds runs the checks on more of them, the nightly audit on all."""
    for case in sorted(CASES.values(), key=str)[::120]:
        path = tmp_path / f"{case}.py"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(case.text, encoding="utf8")
    done = command("autograder", "audit", "--bank", tmp_path)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
    answers, bad, unnamed = map(
        int, re.search(r"audit: (\d+) answers, (\d+) wrong verdicts, (\d+) wrong", done.stdout).groups()
    )
    assert answers >= 15
    assert bad == 0
    assert unnamed <= answers / 10


def test_a_bank_from_outside(bank, command):
    bank(RIGHT, "right")
    bank("def softmax(E, dim=-1):\n    return E.exp() / E.exp().sum(dim, keepdim=True)\n", "wrong", "overflows")
    bank("def softmax(E, dim=-1:\n", "wrong", "syntax_error")
    bank("import os\ndef softmax(E, dim=-1):\n    os._exit(0)\n", "wrong", "ends_the_process")
    folder = bank("x = 1\n", "wrong", "defines_nothing")
    done = command("autograder", "audit", "--bank", folder, "--verbose")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "audit: 5 answers, 0 wrong verdicts, 0 wrong answers without a name" in done.stdout
    assert "named: no maximum subtracted" in done.stdout


def test_wrong_verdicts_fail_the_audit_and_are_listed(bank, command):
    bank(RIGHT, "wrong", "really_right")
    folder = bank(RIGHT.replace("softmax(E, dim)", "sigmoid(E)"), "right", "really_wrong")
    done = command("autograder", "audit", "--bank", folder)
    assert done.returncode == 1
    assert "2 wrong verdicts" in done.stdout
    for name in ("wrong/really_right", "right/really_wrong"):
        assert f"WRONG VERDICT: 01-attention/softmax/{name}" in done.stdout


def test_an_unknown_exercise_or_folder_is_a_clear_error(bank, command, tmp_path):
    done = command("autograder", "audit", "--bank", bank(RIGHT, "right", exercise="sofmax"))
    assert done.returncode == 2
    assert "has no exercise 'sofmax'. Expected one of: softmax," in done.stderr
    done = command("autograder", "audit", "--bank", tmp_path / "nowhere")
    assert done.returncode == 2
    assert "There is no folder" in done.stderr


def test_what_has_changed_is_audited_whole_and_of_the_rest_a_tenth(second_course, capsys):
    def git(*arguments):
        subprocess.run(["git", *arguments], cwd=second_course.root, check=True, capture_output=True)

    git("init")
    git("add", ".")
    git("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-m", "all")
    everything = list(selected(second_course, None, None, None, None))
    assert len(everything) == 8
    assert list(selected(second_course, None, None, "HEAD", 3)) == [everything[3]]
    assert "(--tenth 3)" in capsys.readouterr().out
    path = second_course.root / "signal_lessons" / "averages" / "references.py"
    path.write_text(path.read_text(encoding="utf8") + "\n", encoding="utf8")
    assert list(selected(second_course, None, None, "HEAD", 3)) == everything
    with pytest.raises(ValueError, match="git cannot compare with 'nowhere'"):
        list(selected(second_course, None, None, "nowhere", None))
