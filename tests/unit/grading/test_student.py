"""One student's work seen closely: why, again, as a case of the bank, and requests with reasons."""

import ast
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import made_up
import pytest
from made_up import ASSIGNMENT
from test_report import autograded

from autograder import grading
from autograder.cli.main import main
from autograder.content.known_answers import read_bank
from autograder.grading.console import show
from autograder.grading.gradebook.regrade_requests import answer, ask, requests
from autograder.grading.student.check import as_text as text_of_check
from autograder.grading.teacher.adopt import _definitions, adopt, assignment_with
from autograder.grading.teacher.questions import Question, as_text
from autograder.grading.teacher.replay import differences
from autograder.grading.teacher.why import find_student, why

MINE = '''\
"""By Ada Lovelace, s17."""
import math, numpy as np

SHIFT = 1e-9

def lovelace_helper(x):
    # Ada wrote this at night
    return x + SHIFT

def softmax(E, dim=-1):
    """Return the shares, says ada@example.org."""
    adas_sum = np.exp(lovelace_helper(E))  # s17
    return adas_sum / adas_sum.sum()
'''


@pytest.fixture
def course(empty_class):
    (empty_class.grading / "roster.csv").write_text(
        "id,last_name,first_name,email\ns17,Lovelace,Ada,ada@example.org\ns18,Babbage,Charles,\n", encoding="utf8"
    )
    made_up.hand_in(
        empty_class,
        {"s17": {"softmax": "base two"}, "s18": {}},
        manual={"s17": {"written-scaling": 1.0}},
        notes={"s17": ("an import cell stopped",)},
    )
    autograded(empty_class, "s17", softmax=MINE, attend="def attend(q, X):\n    return softmax(q @ X.T) @ X")
    return empty_class


def test_why_says_points_causes_seed_and_what_ran(course):
    text = why(find_student(course, "s17", ASSIGNMENT))
    for part in (
        "s17 (Ada Lovelace), 01-attention: not yet marked",
        "64 of 73 points",
        "please look: an import cell stopped",
        "base two",
        "scaling (written) (by hand)",
        "order (written)                           not yet marked",
        "seed 0; checks made up; 0 cells ran in the sandbox; python 3",
        "stopped: set-up: ModuleNotFoundError: No module named 'seaborn'",
        "softmax: 1 of 7",
    ):
        assert part in text, text
    assert "attend: " not in text, "full exercises are not told again"
    assert "attend: 6 of 6" in why(find_student(course, "s17", ASSIGNMENT), "attend")


def test_why_says_of_an_excused_student_that_nothing_counts(course):
    (course.grading / "roster.csv").write_text("id,excused\ns17,all\n", encoding="utf8")
    text = why(find_student(course, "s17", ASSIGNMENT))
    assert "s17, 01-attention: excused" in text
    assert "not yet marked" not in text


#: Clears the screen, by one character too; turns the line round; begins a line of its own.
HOSTILE = "\x1b[2J\x9b2J\u202egive\nfull points\r\u2028"


def test_no_control_character_of_a_students_reaches_a_terminal(course, capsys, tmp_path, monkeypatch):
    made_up.hand_in(course, {"s19": {"softmax": HOSTILE}}, notes={"s19": (HOSTILE,)})
    texts = [why(find_student(course, "s19", ASSIGNMENT))]
    asked = Question("softmax", 3, f"x = '{HOSTILE}'", HOSTILE, {"it is right": True}, HOSTILE)
    texts.append(as_text([asked]))
    made = made_up.result(course, "d", {"softmax": HOSTILE}, 0)
    texts.append(text_of_check(Path("x.ipynb"), replace(made, notes=[HOSTILE], errors=[("cell", HOSTILE)])))
    show(HOSTILE)
    monkeypatch.chdir(tmp_path)
    assert main(["hand-in", HOSTILE]) == 2
    told = capsys.readouterr()
    for text in (*texts, told.out, told.err):
        assert text.replace("\n", "").isprintable()
    for text in texts:
        assert "\nfull points" not in text


def test_whatever_is_printed_beside_students_words_goes_one_way():
    """``show`` and the tables take out what a terminal obeys; ``print`` does not."""
    rooms = [Path(grading.__file__).parent / room for room in ("lms", "student", "teacher")]
    for path in [path for room in rooms for path in room.glob("*.py")]:
        calls = [node for node in ast.walk(ast.parse(path.read_text(encoding="utf8"))) if isinstance(node, ast.Call)]
        assert not [one.lineno for one in calls if isinstance(one.func, ast.Name) and one.func.id == "print"], path


def test_why_refuses_an_unknown_student_or_exercise(course):
    with pytest.raises(LookupError, match=r"no student 'lovelace' in 01-attention. Did you mean s17"):
        why(find_student(course, "lovelace", ASSIGNMENT))
    with pytest.raises(LookupError, match=r"no exercise 'softmx'. Expected one of: softmax, attend"):
        why(find_student(course, "s17", ASSIGNMENT), "softmx")


def test_an_adopted_answer_is_a_case_without_its_student(course):
    path = adopt(
        course,
        find_student(course, "s17", ASSIGNMENT),
        "softmax",
        name="no_dim",
        hint='The sum is over "everything". Look at dim.',
    )
    assert path == course.root / "bank" / ASSIGNMENT / "softmax" / "wrong" / "no_dim.py"
    [case] = read_bank(course.root / "bank")
    assert (case.exercise, case.right, case.name) == ("softmax", False, "no_dim")
    assert case.hint == "The sum is over 'everything'. Look at dim."
    assert not {"ada", "lovelace", "s17", "example.org", "night"} & set(case.text.lower().replace("_", " ").split())
    assert "lovelace" not in case.text.lower()
    names: dict = {}
    exec(case.text, names)
    assert names["softmax"](names["np"].zeros(4)).tolist() == [0.25] * 4, "with the helpers that it uses"
    assert "math" not in names, "and without what it does not use"
    assert adopt(course, find_student(course, "s17", ASSIGNMENT), "softmax", name="no_dim", hint=case.hint) == path, (
        "again is no harm"
    )
    with pytest.raises(ValueError, match="exists with other content"):
        adopt(course, find_student(course, "s17", ASSIGNMENT), "softmax", name="no_dim")


def test_an_adopted_answer_has_its_helpers_and_not_what_has_the_name_of_a_local_variable():
    helper = "SCALE = 2\ndef halve(x):\n    return x / SCALE"
    answer = "def softmax(E):\n    A = halve(E)\n    return A"
    found = _definitions(["A = experiment()\nE = 2", helper, answer], "softmax", frozenset({"softmax"}))
    assert "\n".join(map(ast.unparse, found)) == f"{helper}\n{answer}"


def test_adopt_refuses_what_cannot_become_a_case(course):
    with pytest.raises(LookupError, match="has no definition of blockwise_attention"):
        adopt(course, find_student(course, "s17", ASSIGNMENT), "blockwise_attention")
    with pytest.raises(LookupError, match="in no lesson"):
        assignment_with(course, "softmx")
    with pytest.raises(ValueError, match="lower-case letters"):
        adopt(course, find_student(course, "s17", ASSIGNMENT), "softmax", name="../x")


def test_requests_are_kept_with_their_reasons_and_answers(course, capsys, monkeypatch):
    monkeypatch.chdir(course.root)
    assert main(["request", "s17", ASSIGNMENT, "--reason", "softmax is\nright \x1b[31m", "--exercise", "softmax"]) == 0
    assert main(["requests", ASSIGNMENT]) == 0
    assert "s17: request 1 about softmax: softmax is right [31m – not yet answered" in capsys.readouterr().out
    assert main(["requests", ASSIGNMENT, "--answer", "1", "--text", "It is not: look at dim."]) == 0
    [one] = requests(course, ASSIGNMENT)["s17"]
    assert (one.before, one.after, one.answer) == (64.0, 64.0, "It is not: look at dim.")
    assert "request 1 about softmax" in why(find_student(course, "s17", ASSIGNMENT))
    assert main(["requests", ASSIGNMENT, "--answer", "1", "--text", "again"]) == 2
    assert "was answered on" in capsys.readouterr().err
    assert main(["request", "s17", ASSIGNMENT, "--reason", " "]) == 2
    assert main(["request", "nobody", ASSIGNMENT, "--reason", "x"]) == 2


def test_numbers_of_requests_go_on(course):
    for student in ("s17", "s18", "s17"):
        ask(course, ASSIGNMENT, student, "please", "", None)
    assert [one.number for one in requests(course, ASSIGNMENT)["s17"]] == [1, 3]
    with pytest.raises(LookupError, match="no request 9"):
        answer(course, ASSIGNMENT, 9, "x", {})


def test_results_that_differ_say_where(course):
    before, after = made_up.result(course, "d", {"softmax": "base two"}), made_up.result(course, "d", {})
    assert differences(before, before) == []
    assert differences(before, after) == ["softmax: property 1 of softmax: 6 of 6 (before: 0 base two)"]


@pytest.mark.nightly(reason="a minute; what a replay compares is tested on results that are made up")
@pytest.mark.sandbox
@pytest.mark.e2e
def test_replay_gives_the_same_result_and_the_shell_is_sealed(course, root):
    """The real way: a hand-in is graded, replayed, changed, and looked at inside."""
    from sample_class import SHARES, hand_in
    from whole_way import run

    hand_in(course.root, "s18", f"def softmax(E, dim=-1):\n{SHARES}")
    run(course.root, "autograder", "grade", ASSIGNMENT, "--student", "s18")
    said = run(course.root, "autograder", "replay", "s18", ASSIGNMENT, "--exercise", "softmax")
    assert "The same result again." in said
    assert "7 of 7 points" in said
    hand_in(course.root, "s18", "def softmax(E, dim=-1):\n    return E")
    said = run(course.root, "autograder", "replay", "s18", ASSIGNMENT, "--exercise", "softmax", good=(1,))
    assert "it was changed since" in said
    assert "checks came out differently" in said
    command = [sys.executable, "-m", "autograder", "replay", "s18", ASSIGNMENT, "--shell"]
    typed = (
        "softmax(3)\nfor i in range(2):\n    print('row', i)\n\nopen('" + str(course.grading / "roster.csv") + "')\n"
    )
    done = subprocess.run(command, cwd=course.root, input=typed, capture_output=True, text=True)
    assert "row 1" in done.stdout, done.stdout + done.stderr
    assert "3" in done.stdout
    assert "FileNotFoundError" in done.stdout, "the teacher's files are not there"


@pytest.mark.sandbox
@pytest.mark.e2e
def test_questions_about_own_code_have_answers_that_the_checks_confirm(course, root):
    """The local checks of the answer with the changed line lose, with the same seed, just the properties that are named."""
    from known import LESSONS
    from sample_class import SHARES, hand_in
    from whole_way import run

    from autograder.checks.execute import NotebookStudent
    from autograder.content import references
    from autograder.verdict.runner import run_single

    mine = f"def softmax(E, dim=-1):\n{SHARES}"
    hand_in(course.root, "s18", mine)
    run(course.root, "autograder", "grade", ASSIGNMENT, "--student", "s18", "--seed", "3")
    said = run(course.root, "autograder", "questions", "s18", ASSIGNMENT, "--exercise", "softmax", "--count", "2")
    questions, _, answers = said.partition("Answers, by the checks:\n")
    lesson = LESSONS.of(ASSIGNMENT)
    found = re.findall(r"line (\d+):  (.*)\n   What if it said instead:  (.*)\n", questions)
    assert len(found) == 2
    for (number, line, changed), told in zip(found, answers.splitlines(), strict=False):
        assert mine.splitlines()[int(number) - 1].strip() == line
        names = references.namespace(lesson)
        exec(mine.replace(line, changed), names)
        report = run_single("softmax", NotebookStudent(names, lesson), seed=3)
        lost = [letter for letter, result in zip("abcdefgh", report.results, strict=False) if result.failure]
        assert told.partition(". ")[2].partition("  (")[0] == ", ".join(lost)
    run(course.root, "autograder", "questions", "s17", ASSIGNMENT, "--exercise", "softmax", good=(2,))


def test_reports_the_stored_result_only(course):
    """A result edited on disk is refused, and nothing is said in its name."""
    from autograder.grading.run.status import load_status
    from autograder.grading.run.store import Store

    path = Store(course.grading).path(load_status(course.grading, ASSIGNMENT)["s17"].key)
    path.write_text(path.read_text(encoding="utf8").replace("base two", "base ten"), encoding="utf8")
    assert "base ten" not in why(find_student(course, "s17", ASSIGNMENT))
