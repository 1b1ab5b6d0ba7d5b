"""count_pairs(words, counts)."""

import itertools
from collections.abc import Mapping
from typing import Any

from autograder.checks import CheckFailure, Draw, Request, Student, exercise, inputs, points, promises
from autograder.lessons.language_models import references
from autograder.lessons.language_models.checks.words import computes, ids

NAME = "count_pairs"


def _counted(value: Any, setting: str) -> Mapping[Any, Any]:
    if isinstance(value, Mapping):
        return value
    if value is None:
        inputs.token_ids(value, "The result")
    raise inputs.of_another_type(
        value,
        "The result should be a dictionary.",
        "not a dictionary",
        setting,
        hint="A dictionary, or a Counter, says of each pair (a, b) how often it comes.",
    )


def _agree(student: Student, words: list[list[int]], counts: list[int]) -> None:
    setting = f"words {inputs.format_plain(words)}, counts {inputs.format_plain(counts)}"
    found = _counted(student.count_pairs(words, counts), setting)
    inputs.equal(dict(found), references.count_pairs(words, counts), "The counts", setting)


def _no_twins(draw: Draw, length: int) -> list[int]:
    """Return a word in which no id stands beside itself: whether those count twice is for another row."""
    word = ids(draw, length, 7)
    while any(a == b for a, b in itertools.pairwise(word)):
        word = ids(draw, length, 7)
    return word


@exercise(NAME)
@points(2)
def check_each_pair_as_often_as_its_words(student: Student, draw: Draw) -> None:
    """A pair of neighbours counts once for each place, times how often the word comes; (a, b) is not (b, a)"""
    _agree(student, [[108, 111, 119]], [1])
    _agree(student, [[108, 111, 119]], [5])
    _agree(student, [[108, 111, 119], [119, 111]], [5, 2])
    _agree(student, [[5, 6, 5, 6, 8], [8, 5, 6]], [3, 2])
    for lengths in ((2,), (5,), (3, 2), (7, 2, 3), (4, 4, 11, 3, 5)):
        _agree(student, [_no_twins(draw, n) for n in lengths], [2 + int(draw.integers(40)) for _ in lengths])
    words = [[300 + n for n in _no_twins(draw, 6)] for _ in range(3)]
    _agree(student, words, [3, 1, 2])
    for word in ([5, 6], _no_twins(draw, 4)):  # equal words in two entries are no mistake of the caller
        _agree(student, [word, [8, 9], [*word]], [3, 7, 2])


@exercise(NAME)
@points(1)
def check_overlaps_and_short_words(student: Student, draw: Draw) -> None:
    """7 7 7 holds the pair (7, 7) twice; a word of one id or none has no pair, and words are not joined"""
    for words in ([[7, 7, 7]], [[7, 7, 7, 7, 8, 7, 7]], [ids(draw, 23, 2)], [[7], [8, 9]], [[], [8, 9], [5]]):
        _agree(student, words, [3, 5, 2][: len(words)])
    for words in ([[7]], [[7], [8], []], []):
        _agree(student, words, [1, 2, 3][: len(words)])


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, draw: Draw) -> None:
    """The words and their counts are not changed, and a second call begins from 0"""
    results = []
    for _ in range(2):
        words, counts = [_no_twins(draw, n) for n in (5, 3, 4)], [3, 2, 7]
        for again in ((), ((words, counts),)):
            answer = student.answer(Request(NAME, (words, counts), before=again))
            results.append(inputs.resolve(_counted(answer.value, "")))
    computes(results[0] != results[2], "The result is the same for different words.")
    for first, second in ((results[0], results[1]), (results[2], results[3])):
        if second != first:
            raise CheckFailure(
                "memory",
                "The second of two equal calls counts something else.",
                expected=inputs.format_plain(first),
                yours=inputs.format_plain(second),
                received=second,
                cause="remembers earlier calls",
                hint="What is made when the function is defined, such as a default value, is the same in every call. Look at "
                "where the counting begins from nothing.",
            )
