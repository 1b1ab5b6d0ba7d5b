"""Marks by hand: equal answers are grouped and no others, and marks are written as formgrader does, over nobody else's."""

import shutil

import made_up
import pytest
from made_up import ASSIGNMENT
from nbgrader.api import Gradebook

from autograder.grading.gradebook.marking import (
    Answer,
    Change,
    State,
    answers,
    decided_answers,
    group_answers,
    keep_decided,
    open_counts,
    questions,
    write_marks,
)
from autograder.grading.gradebook.queries import database, released_assignment

CELL = "written-scaling"
OPEN = State(None, "", True)


def grouped(*texts):
    """Return the groups of these answers, each as the set of its numbers."""
    given = [Answer(str(number), "", text, None, OPEN) for number, text in enumerate(texts)]
    return [{int(one.grade) for variant in group for one in variant.answers} for group in group_answers(given)]


def test_case_layout_and_markdown_make_no_difference():
    assert grouped("The softmax **saturates**.", "the softmax\nsaturates", "It vanishes") == [{0, 1}, {2}]


LONG = "The weights are nearly uniform, so the query has hardly any influence on the output of the layer at the start"


def test_a_slip_of_the_pen_is_near_and_its_words_are_listed():
    assert grouped(LONG, LONG.replace("influence", "influense")) == [{0, 1}]
    _, variant = group_answers(
        [Answer(str(n), "", text, None, OPEN) for n, text in enumerate((LONG, LONG.replace("hardly", "hardy")))]
    )[0]
    assert {*variant.added, *variant.missing} == {"hardly", "hardy"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (LONG, LONG.replace("are nearly", "are not nearly")),
        (f"{LONG}: 0.2", f"{LONG}: 0.1"),
        (f"{LONG}, a + b", f"{LONG}, a - b"),
        (LONG, "Something else altogether."),
        (LONG, LONG.replace("query", "…").replace("output", "query").replace("…", "output")),
        (LONG, LONG.replace("query", "…").replace("output", "query").replace("…", "output") + " up"),
        pytest.param("ﷺ" * 300_000, "ﷺ" * 299_999 + "x", id="hostile"),
    ],
)
def test_what_says_something_else_is_a_group_of_its_own(one, other):
    assert sorted(map(sorted, grouped(one, other))) == [[0], [1]]


def test_the_largest_group_comes_first_and_the_empty_answers_last():
    assert grouped("", "a", "b b", "b  b", " ", "") == [{2, 3}, {1}, {0, 4, 5}]


def test_answers_with_different_pictures_are_not_equal():
    text = "![](attachment:a.png)"
    given = [Answer(pasted, "", text, None, OPEN, pasted) for pasted in ("{}", '{"a.png": {}}')]
    assert sorted(len(group) for group in group_answers(given)) == [1, 1]


@pytest.fixture
def course(empty_class):
    """Three students: two wrote the same, and the third nothing."""
    made_up.hand_in(empty_class, {"ada": {}, "ben": {}, "cyd": {}})
    made_up.write_answers(empty_class, CELL, {"ada": "It saturates.", "ben": "it saturates", "cyd": "YOUR ANSWER HERE"})
    return empty_class


def rows(course):
    """Return (auto, manual, extra, open, comment) of each student's cells, as nbgrader reads them."""
    with Gradebook(database(course)) as gradebook:
        return {
            (submission.student_id, grade.name): (
                grade.auto_score,
                grade.manual_score,
                grade.extra_credit,
                grade.needs_manual_grade,
                next((one.manual_comment for one in book.comments if one.name == grade.name), None),
            )
            for submission in gradebook.assignment_submissions(ASSIGNMENT)
            for book in submission.notebooks
            for grade in book.grades
        }


def grades(course):
    return {one.student: one.grade for one in answers(course, ASSIGNMENT, CELL)}


def test_the_answers_of_the_class_with_their_question(course):
    asked = {one.cell: one for one in questions(course, ASSIGNMENT)}
    assert asked[CELL].points == 2
    assert asked[CELL].title == "scaling (written)"
    assert {one.student: one.text for one in answers(course, ASSIGNMENT, CELL)} == {
        "ada": "It saturates.",
        "ben": "it saturates",
        "cyd": "",
    }
    assert open_counts(course, ASSIGNMENT)[CELL] == (3, 3)


def test_a_mark_is_written_and_undone_and_nothing_else_is_touched(course):
    before, new = rows(course), State(1.5, "Which factor?", False)
    of = grades(course)
    changes = [Change(of[student], OPEN, new) for student in ("ada", "ben")]
    assert write_marks(course, ASSIGNMENT, CELL, changes) == ({of["ada"]: new, of["ben"]: new}, {})
    expected = {(student, CELL): (None, 1.5, None, False, "Which factor?") for student in ("ada", "ben")}
    assert rows(course) == before | expected
    assert open_counts(course, ASSIGNMENT)[CELL] == (1, 3)
    write_marks(course, ASSIGNMENT, CELL, [Change(one.grade, one.new, one.seen) for one in changes])
    assert rows(course) == before


def test_a_mark_that_somebody_else_changed_meanwhile_is_reported_and_kept(course):
    of, theirs = grades(course), State(2.0, "Fine.", False)
    write_marks(course, ASSIGNMENT, CELL, [Change(of["ada"], OPEN, theirs)])
    mine = State(0.0, "", False)
    written, refused = write_marks(course, ASSIGNMENT, CELL, [Change(of[one], OPEN, mine) for one in ("ada", "ben")])
    assert (written, refused) == ({of["ben"]: mine}, {of["ada"]: theirs})
    assert rows(course)["ada", CELL] == (None, 2.0, None, False, "Fine.")


def test_a_regrade_opens_only_the_marks_of_answers_that_have_changed(course):
    """The autograded notebook is written anew; nbgrader then opens each mark."""
    released, new = released_assignment(course, ASSIGNMENT), State(1.5, "", False)
    of = grades(course)
    write_marks(course, ASSIGNMENT, CELL, [Change(of[student], OPEN, new) for student in ("ada", "ben")])
    for student, text, is_open in (("ada", "It saturates.", False), ("ben", "It does not saturate.", True)):
        with Gradebook(database(course)) as gradebook:
            before = decided_answers(gradebook.db, course, released, student)
            assert [name for name, _ in before.values()] == [CELL]
            gradebook.find_grade(CELL, "attention", ASSIGNMENT, student).needs_manual_grade = True
            gradebook.db.commit()
            shutil.rmtree(course.grading / "autograded" / student)
            made_up.write_answers(course, CELL, {student: text})
            keep_decided(gradebook.db, course, released, student, before)
        assert rows(course)[student, CELL] == (None, 1.5, None, is_open, None)


def test_a_comment_alone_leaves_the_question_open(course):
    written, _ = write_marks(course, ASSIGNMENT, CELL, [Change(grades(course)["ada"], OPEN, State(None, "?", False))])
    assert [*written.values()] == [State(None, "?", True)]
    assert rows(course)["ada", CELL] == (None, None, None, True, "?")


@pytest.mark.parametrize("points", [2.5, -0.5, float("nan"), float("inf")])
def test_refuses_points_that_the_question_cannot_have(course, points):
    before = rows(course)
    with pytest.raises(ValueError, match="from 0 to 2"):
        write_marks(course, ASSIGNMENT, CELL, [Change(grades(course)["ada"], OPEN, State(points, "", False))])
    assert rows(course) == before


def test_the_mark_of_another_question_or_of_an_exercise_is_not_touched(course):
    before = rows(course)
    with Gradebook(database(course)) as gradebook:
        other = next(g.id for g in gradebook.find_submission(ASSIGNMENT, "ada").notebooks[0].grades if g.name != CELL)
    for cell, grade in ((CELL, other), ("check-softmax", other)):
        with pytest.raises(LookupError):
            write_marks(course, ASSIGNMENT, cell, [Change(grade, OPEN, State(1.0, "", False))])
    assert rows(course) == before
