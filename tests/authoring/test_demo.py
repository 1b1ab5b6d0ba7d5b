"""The demonstration, as a newcomer runs it."""

import re

import pytest
from known import COURSE

from autograder.authoring.sample_class import pupils, sample_lesson

LESSON = sample_lesson(COURSE)
CLASS = pupils(LESSON)


def test_the_class_holds_what_it_should():
    kinds = [pupil.kind for pupil in CLASS]
    assert len(kinds) >= 16
    assert {"release", "syntax error", "missing", "corrupt"} <= set(kinds)
    assert len({pupil.name for pupil in CLASS}) == len(kinds)


@pytest.mark.parametrize("pupil", CLASS, ids=lambda pupil: pupil.name)
def test_whoever_hands_in_a_wrong_answer_is_expected_to_lose_points_on_it_and_nobody_else(pupil):
    wrong = {name for name, case in pupil.answers.items() if case.startswith("wrong/")}
    if pupil.kind == "answers":
        assert set(pupil.lost) == wrong
    assert all(0 < points <= LESSON.points(name) for name, points in pupil.lost.items())


@pytest.mark.slow
def test_every_score_is_as_expected(command, tmp_path):
    done = command("autograder", "demo", "--folder", tmp_path / "class")
    last = done.stdout.splitlines()[-1]
    n = len(CLASS)
    assert re.fullmatch(
        rf"demo: {n} submissions, {n - 2} graded, 2 need a human, 0 failed; scores as expected: yes", last
    ), done.stdout
    assert done.returncode == 0
    assert len(list((tmp_path / "class" / "grading" / "feedback").glob("*/*/*.html"))) == n - 2
    assert (tmp_path / "class" / "grading" / "grades.csv").exists()


def test_a_folder_with_other_things_in_it_is_left_alone(command, tmp_path):
    (tmp_path / "thesis.tex").write_text("years of work", encoding="utf8")
    done = command("autograder", "demo", "--folder", tmp_path)
    assert done.returncode == 2
    assert "was not made by an earlier demo" in done.stderr
    assert (tmp_path / "thesis.tex").read_text(encoding="utf8") == "years of work"
