"""What a teacher does with an answer that is nested very deeply ends with a sentence, or without it."""

import pytest

from autograder.grading.teacher.adopt import _definitions, anonymous
from autograder.grading.teacher.questions import _changes

MANY = 1500
SUM = f"def softmax(E, dim=-1):\n    return {'+'.join(['E'] * MANY)}\n"
CHAIN = (
    "".join(f"def f{n}(E):\n    return f{n + 1}(E)\n" for n in range(MANY))
    + "def softmax(E, dim=-1):\n    return f0(E)\n"
)


@pytest.mark.parametrize("text", [SUM, CHAIN], ids=["sum", "chain"])
def test_is_not_adopted(text):
    with pytest.raises(ValueError, match="by hand"):
        anonymous(_definitions([text], "softmax", frozenset()), ())


def test_nothing_is_asked_about_it():
    assert list(_changes(SUM)) == []


def test_an_answer_far_longer_than_any_is_not_changed():
    """An edit of each of its lines would be an object, outside all limits of memory."""
    line = "def f{}(a, b): return a * 2 + b\n"
    assert [*_changes("".join(map(line.format, range(10))))]
    assert [*_changes("".join(map(line.format, range(7000))))] == []
