"""Checks of exercises with numbers of each student's own, in a notebook: what is right, and whose numbers a wrong answer has."""

import pytest

from autograder.checks.execute import NotebookStudent, call_check
from autograder.content import references
from autograder.content.lesson import exercises_with_variants, require_variant
from autograder.diagnosis.search import FailedCheck
from autograder.notebook import api
from autograder.verdict.runner import diagnose_failures, owner_of_variant, run_checks, run_single
from course_lib import variants


@pytest.fixture
def lesson(second_course):
    return second_course.lessons.of("01-averages")


def answer(lesson, who):
    """The answer of a student who has written their numbers down."""
    return {"echo": lambda x: lesson.module("references").in_room(x, variants.numbers("echo", who))}


def report(lesson, answered, mine, others=()):
    with variants.graded_as(mine):
        student = NotebookStudent(answered, lesson)
        return diagnose_failures(run_single("echo", student, 3), student, others)


def test_each_students_own_numbers_are_right_and_no_others(lesson):
    for mine in ("ada", "ben", ""):
        assert report(lesson, answer(lesson, mine), mine).full
    wrong = report(lesson, answer(lesson, "ada"), "ben")
    assert (wrong.earned, wrong.points, wrong.right_for, wrong.named) == (1, 3, None, [])


def test_the_numbers_of_nobody_and_of_another_are_named(lesson):
    nobodys = report(lesson, answer(lesson, ""), "ben")
    assert (nobodys.right_for, nobodys.named) == ("", ["nobody's numbers"])
    assert "Look at the cell with variants.i_am" in str(nobodys)
    others = ["ada", "BEN", "Cleo", ""]
    anothers = report(lesson, answer(lesson, "cleo"), "ben", others)
    assert (anothers.right_for, anothers.named) == ("Cleo", ["another student's numbers"])
    assert "cleo" not in str(anothers).lower()


def test_a_known_mistake_is_still_named_with_ones_own_numbers(lesson):
    def as_loud(x):
        delay = variants.numbers("echo", "ben").randrange(2, 40)
        y = x.clone()
        y[delay:] += x[:-delay]
        return y

    for mine, named in (("ben", ["as loud"]), ("ada", [])):
        assert report(lesson, {"echo": as_loud}, mine, ["cleo"]).named == named


def test_numbers_that_fit_two_others_are_chance(lesson, monkeypatch):
    checks = lesson.checks("echo")
    with variants.graded_as("ben"):
        student = NotebookStudent(answer(lesson, "ada"), lesson)
        lost = [FailedCheck(checks["check_values"], call_check(checks["check_values"], student, 3))]
        assert owner_of_variant(lost, student, 3, ["ada", "cleo"]) == "ada"
        drawn = variants.numbers
        monkeypatch.setattr(variants, "numbers", lambda name, who: drawn(name, "ada" if who == "cleo" else who))
        assert owner_of_variant(lost, student, 3, ["ada", "cleo"]) is None


def test_an_answer_that_raises_matches_nobody(lesson):
    def stops(x):
        raise ValueError(len(x))

    assert report(lesson, {"echo": stops}, "ben", ["ada"]).right_for is None


def test_a_right_version_draws_the_students_numbers_too(lesson):
    """It takes the place of the student's exercise where a later one builds on it, in a namespace of its own."""
    names = {}
    exec(references.source_of(lesson, ["echo"]), names)
    with variants.graded_as("ada"):
        assert report(lesson, {"echo": names["echo"]}, "ada").full


def test_reports_a_missing_or_misspelt_variant(lesson, monkeypatch):
    check = lesson.checks("echo")["check_values"]
    monkeypatch.setattr(lesson.settings, "VARIANTS", ())
    with pytest.raises(
        LookupError, match=r"check_values takes variant, but VARIANTS of signal_lessons\.averages lacks 'echo'"
    ):
        require_variant(check, lesson)
    monkeypatch.setattr(lesson.settings, "VARIANTS", ("ecko",))
    with pytest.raises(LookupError, match=r"VARIANTS of signal_lessons\.averages names 'ecko'\. Expected some of"):
        exercises_with_variants(lesson)


def test_asks_for_a_missing_id_in_one_sentence(lesson, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(variants, "_HERE", "")
    monkeypatch.delenv("JUPYTERHUB_USER", raising=False)
    monkeypatch.setattr("autograder.notebook.api._caller", lambda: references.namespace(lesson))
    sentence = "this notebook does not know who you are"
    check = api.check_of(lesson.package)
    assert (check("echo", 3), sentence in capsys.readouterr().out) == (3, True)
    assert (check("standardise", 3), sentence in capsys.readouterr().out) == (3, False)
    variants.i_am("ada")
    assert (check("echo", 3), sentence in capsys.readouterr().out) == (3, False)


def test_the_student_of_a_check_has_the_id(lesson):
    with variants.graded_as("ada"):
        assert NotebookStudent({}, lesson).student_id == "ada"
        assert run_checks("echo", NotebookStudent(answer(lesson, "ada"), lesson), 3).full
