"""train_bpe(word_counts, num_merges)."""

from functools import partial

from autograder.checks import Draw, Request, Student, exercise, inputs, points, promises
from autograder.lessons.language_models import references
from autograder.lessons.language_models.checks.words import (
    LECTURE,
    computes,
    describe_inputs,
    pairs_of,
    with_ties,
    without_ties,
    word_counts,
)

NAME = "train_bpe"
#: Several bytes for each character, and one pair that is the most frequent for so many merges.
SCRIPTS = (
    ({"é": 4}, 1),
    ({"日": 4, "旦": 3}, 3),
    ({"😀": 7, "😁": 5, "😂": 3, "🤗": 4}, 3),
    ({"naïve": 3, "vé": 4, "né": 11}, 3),
    ({"ο": 3, "ό": 5, "λόγος": 7}, 2),
)
#: What would be merged if a pair could reach from one word into the next.
BORDERS = (({"ab": 2, "ba": 3, " a": 4}, 3), ({"a": 9, "b": 8, "xy": 2}, 1))
#: Nothing is asked for, or nothing is left.
ENDS: tuple[tuple[dict[str, int], int], ...] = (
    ({"ab": 1}, 0),
    (LECTURE, 0),
    ({"ab": 2}, 3),
    ({"a": 3}, 2),
    ({}, 2),
    ({"abc": 1, "ab": 1}, 7),
)


def agree(student: Student, name: str, counts: dict[str, int], num_merges: int) -> None:
    """Compare the merges with those of the reference, from the first that differs on."""
    setting = describe_inputs(counts, num_merges)
    merges = pairs_of(student.call(name, counts, num_merges), setting)
    inputs.equal(merges, references.train_bpe(counts, num_merges), "The merges", setting)


@exercise(NAME)
@points(1)
def check_the_lectures_example(student: Student) -> None:
    """low ×5, lower ×2, newest ×6 and widest ×3 give e+s, es+t and l+o, in this order"""
    setting = describe_inputs(LECTURE, 3)
    merges = pairs_of(student.train_bpe(LECTURE, 3), setting)
    inputs.equal(merges, [(101, 115), (256, 116), (108, 111)], "The merges", setting)


@exercise(NAME)
@points(2)
def check_the_most_frequent_pair(student: Student, draw: Draw) -> None:
    """Each step merges the pair that comes most often, counted after all merges before it"""
    for words, letters, num_merges in ((1, 3, 1), (2, 3, 2), (5, 4, 3), (7, 4, 5), (17, 5, 7), (131, 3, 17)):
        counts = without_ties(partial(word_counts, draw, words, letters), num_merges)
        agree(student, NAME, counts, num_merges)


@exercise(NAME)
@points(1)
def check_ties(student: Student, draw: Draw) -> None:
    """Of pairs that come equally often the smallest is merged: first the smaller a, then the smaller b"""
    for counts in ({"ba": 2, "ab": 2}, {"acab": 2}, {"cb": 3, "ca": 3, "bc": 3}, {"ba": 2, "abdc": 2, "dca": 2}):
        agree(student, NAME, counts, 2)
    # Token 256 is larger than 99, and its bytes come first.
    for counts in ({"aa": 9, "aab": 1, "bc": 1}, {"aa": 9, "baa": 1, "bc": 1}):
        agree(student, NAME, counts, 2)
    for words in (3, 5, 11):
        agree(student, NAME, with_ties(partial(word_counts, draw, words, most=3), 7), 7)


@exercise(NAME)
@points(1)
def check_bytes_and_borders(student: Student, draw: Draw) -> None:
    """A word is its bytes in UTF-8, in any script, and no pair reaches from one word into the next"""
    for counts, num_merges in (*SCRIPTS, *BORDERS):
        agree(student, NAME, counts, num_merges)


@exercise(NAME)
@points(1)
def check_the_end(student: Student, draw: Draw) -> None:
    """If no merges are asked for, there are none; if no pair is left, it stops"""
    for counts, num_merges in ENDS:
        agree(student, NAME, counts, num_merges)


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, draw: Draw) -> None:
    """The counts of the words are not changed, and a second call gives the same merges"""
    counts = without_ties(partial(word_counts, draw, 7), 5)
    first = student.answer(Request(NAME, (counts, 5)))
    merges = pairs_of(first.value, describe_inputs(counts, 5))
    computes(len(merges) == 5, "There are not as many merges as were asked for.")
    others = pairs_of(student.train_bpe(LECTURE, 5), describe_inputs(LECTURE, 5))
    computes(inputs.resolve(others) != inputs.resolve(merges), "Different words give the same merges.")
    second = student.answer(Request(NAME, (counts, 5), before=((counts, 5), (LECTURE, 3)))).value
    inputs.equal(second, merges, "The result of a later call")
