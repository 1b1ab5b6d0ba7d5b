"""What optional parts are worth: the rule, the setting, and the sums in nbgrader's gradebook."""

import made_up
import pytest
from made_up import ASSIGNMENT
from nbgrader.api import Gradebook

from autograder.grading.gradebook.optional_points import BALANCE
from autograder.grading.gradebook.queries import database, released_assignment
from autograder.grading.gradebook.status import load_class_status
from autograder.grading.gradebook.sync import sync_gradebook
from autograder.grading.roster.roster import OptionalRule, read_policy


@pytest.mark.parametrize(
    ("rule", "core", "optional", "expected"),
    [
        ("bonus", 40.0, 5.0, (45.0, 50.0)),
        ("bonus", 48.0, 5.0, (50.0, 50.0)),
        ("bonus", 52.0, 5.0, (52.0, 50.0)),  # a person gave more than the maximum
        ("bonus", 0.0, 0.0, (0.0, 50.0)),
        ("count", 48.0, 5.0, (53.0, 60.0)),
        ("ignore", 40.0, 10.0, (40.0, 50.0)),
    ],
)
def test_points_of_optional_parts_count_by_the_rule(rule, core, optional, expected):
    assert OptionalRule(rule).total(core, optional, 50.0, 10.0) == expected


@pytest.mark.parametrize("rule", OptionalRule)
def test_where_all_is_optional_all_counts(rule):
    assert rule.total(0.0, 6.0, 0.0, 10.0) == (6.0, 10.0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "count"),
        ('optional = "bonus"', "bonus"),
        ('optional = "count"', "count"),
        ('optional = "ignore"', "ignore"),
    ],
)
def test_the_teacher_sets_it_in_the_policy(empty_class, text, expected):
    (empty_class.root / "course.toml").write_text(text, encoding="utf8")
    assert read_policy(empty_class).optional == expected


@pytest.mark.parametrize("value", ['"half"', "0.5", '["bonus"]', "true"])
def test_another_setting_is_refused_with_what_is_expected(empty_class, value):
    (empty_class.root / "course.toml").write_text(f"optional = {value}", encoding="utf8")
    with pytest.raises(ValueError, match="optional is one of 'bonus', 'count', 'ignore', but is"):
        read_policy(empty_class)


#: What is optional in these tests, and is in no other.
LEFT_OUT = ("blockwise_attention", "written-scaling")


@pytest.fixture
def course(empty_class, monkeypatch):
    """A gradebook in which two students have all points, and one only those of the softmax."""
    exercises = empty_class.lessons.of(ASSIGNMENT).exercises
    made_up.hand_in(empty_class, {"ada": {}, "ben": {}, "cyd": dict.fromkeys(exercises[1:], "")})
    monkeypatch.setattr(empty_class.lessons.of(ASSIGNMENT).settings, "OPTIONAL", LEFT_OUT, raising=False)
    return empty_class


def sums(course):
    with Gradebook(database(course)) as gradebook:
        return {one.student.id: (one.score, one.max_score) for one in gradebook.assignment_submissions(ASSIGNMENT)}


def test_a_gradebook_follows_each_change_of_the_rule_and_keeps_the_points_of_each_part(course):
    before = sums(course)
    released = released_assignment(course, ASSIGNMENT)
    assert released.optional == {"check-blockwise_attention", "written-scaling"}
    worth = {name: cell.points for name, cell in released.cells.items() if cell.grade}
    optional = sum(worth[name] for name in released.optional)
    possible = sum(worth.values())
    for rule, most in (
        ("bonus", possible - optional),
        ("count", possible),
        ("ignore", possible - optional),
        ("count", possible),
    ):
        (course.root / "course.toml").write_text(f'optional = "{rule}"', encoding="utf8")
        status = load_class_status(course, ASSIGNMENT)
        assert status.points == most
        assert {one.student.id: (one.raw, one.points) for one in status.students if one.so_far is not None} == sums(
            course
        )
        assert {possible for _, possible in sums(course).values()} == {most}
        with Gradebook(database(course)) as gradebook:
            [notebook] = gradebook.find_assignment(ASSIGNMENT).notebooks
            assert {cell.name: cell.max_score for cell in notebook.grade_cells if cell.name != BALANCE} == worth
            assert (BALANCE in [cell.name for cell in notebook.grade_cells]) == (rule != "count")
    assert sums(course) == before, "as if nothing had been optional"


def test_penalties_are_shares_of_what_counts(course):
    rule = "optional = 'ignore'\n[due]\n01-attention = 2020-01-01T00:00:00\n[late]\nper_day = 0.5\ncap = 0.5\n"
    (course.root / "course.toml").write_text(rule, encoding="utf8")
    sync_gradebook(course)
    with Gradebook(database(course)) as gradebook:
        for one in gradebook.assignment_submissions(ASSIGNMENT):
            if one.timestamp is not None:
                assert one.late_submission_penalty == pytest.approx(0.5 * one.score)
