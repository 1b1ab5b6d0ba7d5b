"""What a wrong list shows: the input, one entry again and again, a part of the right list, or its entries in another order."""

import pytest
from known import LESSONS

from autograder.checks.execute import NotebookStudent
from autograder.content.references import namespace
from autograder.diagnosis import lists
from autograder.runtime.student import Request
from autograder.verdict.runner import run_checks

CALL = Request("f", ([5, 7, 8], (7, 8), 9))


@pytest.mark.parametrize(
    ("got", "want", "name"),
    [
        ([5, 7, 8], [5, 9], "the input comes back unchanged"),
        ((5, 7, 8), [5, 9], "the input comes back unchanged"),
        ([(1, 2), (1, 2), (1, 2)], [(1, 2), (9, 3), (9, 4)], "the same entry again and again"),
        ([3, 2, 1], [1, 2, 3], "the right entries from back to front"),
        ([2, 1, 3], [1, 2, 3], "the right entries in the wrong order"),
        ([1], [1, 2, 3], "the list ends too early"),
        ([1, 2, 3, 4], [1, 2, 3], "the list goes on too long"),
        ([2, 3], [1, 2, 3], "the list begins too late"),
        ([2, 3, 5], [1, 2, 4], "every number off by one and the same"),
    ],
)
def test_names_what_a_wrong_list_shows(got, want, name):
    found = lists.symptom(got, want, CALL)
    assert found is not None
    assert found[0] == name


@pytest.mark.parametrize(
    ("got", "want"), [([1, 2], [1, 2]), ([4, 2], [1, 3]), ("abc", "abd"), ([], [1]), ([1, 1], [1, 1]), (3, [1, 2])]
)
def test_says_nothing_of_other_lists(got, want):
    assert lists.symptom(got, want, CALL) is None


def _named(exercise, text):
    lesson = LESSONS.of("07-language-models")
    names = namespace(lesson)
    exec(text, names)
    return run_checks(exercise, NotebookStudent(names, lesson, deep=False), 5).named


def test_a_guess_that_nothing_is_computed_gives_way_to_what_the_lists_show():
    returned = "def merge_pair(ids, pair, new):\n    return ids[:1]\n"
    assert _named("merge_pair", returned) == ["the list ends too early"]
