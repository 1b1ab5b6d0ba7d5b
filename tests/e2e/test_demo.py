"""The demonstration, as a newcomer runs it."""

import pytest
from known import COURSE
from some_cases import only

from autograder.authoring.demo import pupils, sample_lesson
from autograder.checks.execute import NotebookStudent
from autograder.cli.main import main
from autograder.content import references
from autograder.content.known_answers import cases_of
from autograder.verdict.runner import run_single

LESSON = sample_lesson(COURSE)
CLASS = pupils(LESSON)
KINDS = ("release", "syntax error", "missing", "corrupt")


def test_the_class_holds_what_it_should():
    kinds = [pupil.kind for pupil in CLASS]
    assert len(kinds) >= 16
    assert set(KINDS) <= set(kinds)
    assert len({pupil.name for pupil in CLASS}) == len(kinds)


@pytest.mark.parametrize("pupil", CLASS, ids=lambda pupil: pupil.name)
def test_exactly_wrong_answers_are_expected_to_lose_points(pupil):
    wrong = {name for name, case in pupil.answers.items() if case.startswith("wrong/")}
    if pupil.kind == "answers":
        assert set(pupil.lost) == wrong
    assert all(0 < points <= LESSON.points(name) for name, points in pupil.lost.items())


@pytest.mark.parametrize("pupil", [pupil for pupil in CLASS if pupil.answers], ids=lambda pupil: pupil.name)
def test_the_answers_cost_the_points_that_are_expected(pupil):
    """By the checks alone. Checks that measure take seconds: they are left to the demonstration itself, below."""
    texts = {str(case): case.text for name in pupil.answers for case in cases_of(LESSON, name)}
    code = "\n".join(texts[f"{LESSON.assignment}/{name}/{case}"] for name, case in pupil.answers.items())
    names = references.namespace(LESSON)
    exec(compile(code, "<cell>", "exec"), names)
    for name in (name for name in pupil.answers if not LESSON.measures(name)):
        report = run_single(name, NotebookStudent(names, LESSON), seed=5)
        assert report.points - report.earned == pupil.lost.get(name, 0), report


#: Of the class, one of five with answers, and all whose submission is of another kind.
SOME = sorted({*(pupil.name for pupil in CLASS if pupil.kind in KINDS), *(pupil.name for pupil in CLASS[::5])})


@pytest.mark.slow
@pytest.mark.parametrize(
    "students", only([SOME], [SOME, []], "the others have the same exercises, and their points are checked above")
)
def test_every_score_is_as_expected(students, tmp_path, capsys):
    """As ``make demo`` grades the class; with no students named, all of it."""
    chosen = [option for student in students for option in ("--student", student)]
    assert main(["demo", "--folder", str(tmp_path / "class"), *chosen]) == 0
    n = len(students or CLASS)
    last = capsys.readouterr().out.splitlines()[-1]
    assert last == f"demo: {n} submissions, {n - 2} graded, 2 need a human, 0 failed; scores as expected: yes"
    assert len(list((tmp_path / "class" / "grading" / "feedback").glob("*/*/*.html"))) == n - 2
    assert (tmp_path / "class" / "grading" / "grades.csv").exists()


def test_a_folder_with_other_things_in_it_is_left_alone(tmp_path, capsys):
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf8")
    assert main(["demo", "--folder", str(tmp_path)]) == 2
    assert "was not made by an earlier demo" in capsys.readouterr().err
    assert (tmp_path / "thesis.tex").read_text(encoding="utf8") == "years of work"


def test_a_pupil_who_is_not_there_is_a_clear_error_and_an_earlier_class_stays(tmp_path, capsys):
    (tmp_path / "made-by-autograder-demo").touch()
    assert main(["demo", "--folder", str(tmp_path), "--student", "zoe"]) == 2
    assert "There is no 'zoe' in the sample class. Expected one of: ada," in capsys.readouterr().err
    assert (tmp_path / "made-by-autograder-demo").exists()
