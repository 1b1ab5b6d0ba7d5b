"""merge_pair(ids, pair, new)."""

from autograder.checks import Draw, Request, Student, exercise, inputs, points, promises
from autograder.lessons.language_models import references
from autograder.lessons.language_models.checks.words import computes, ids

NAME = "merge_pair"


def _agree(student: Student, word: list[int], pair: tuple[int, int], new: int) -> None:
    setting = f"ids {inputs.format_plain(word)}, pair {pair}, new = {new}"
    found = inputs.token_ids(student.merge_pair(word, pair, new), "The result", setting)
    inputs.equal(found, references.merge_pair(word, pair, new), "The result", setting)


@exercise(NAME)
@points(1)
def check_every_place(student: Student, draw: Draw) -> None:
    """Wherever a is followed by b, the two become one new id, and all other ids stay, in order"""
    for word in ([5, 7, 8, 9], [5, 7, 8, 6, 7, 8, 9], [5, 8, 7, 5], [7, 5, 8, 7, 9, 8], [5, 6, 9]):
        _agree(student, word, (7, 8), 256)
    # Ids are numbers: one whose digits end or begin like those of another is another id.
    _agree(student, [17, 8, 5, 7, 85, 107, 8, 7, 80, 17, 85, 7, 8], (7, 8), 256)
    for length in (5, 11, 40, 131):
        word = [90, *ids(draw, length), 91]
        for pair in ((97, 98), (98, 97), (99, 97)):
            _agree(student, word, pair, 256 + int(draw.integers(90)))
    word = [*(300 + n for n in ids(draw, 40, 4)), 90]
    _agree(student, word, (word[3], word[4] + 10), 777)
    _agree(student, [5, 301, 40, 300, 301, 6], (300, 301), 302)


@exercise(NAME)
@points(1)
def check_overlaps(student: Student, draw: Draw) -> None:
    """An id belongs to one pair: of 7 7 7 the first two become one"""
    for n in (3, 2, 4, 5, 7):
        _agree(student, [5, *[7] * n, 5], (7, 7), 256)
    _agree(student, [5, 7, 7, 7, 8, 7, 7, 5], (7, 7), 300)
    _agree(student, [90, *ids(draw, 41, 2), 90], (97, 97), 256)


@exercise(NAME)
@points(1)
def check_both_ends(student: Student, draw: Draw) -> None:
    """It also works at the beginning and at the end, with one id and with none"""
    for word in ([7, 8, 5], [5, 7, 8], [7, 8], [7, 8, 7, 8], [5, 7], [8, 7], [7], [5], []):
        _agree(student, word, (7, 8), 256)


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, draw: Draw) -> None:
    """The given ids are not changed"""
    for word in ([5, 7, 8, 9, 7, 8], [90, *ids(draw, 23), 97, 98]):
        pair = (word[-2], word[-1])
        answer = student.answer(Request(NAME, (word, pair, 400)))
        found = inputs.token_ids(answer.value, "The result")
        computes(400 in found, "The new id is not in the result.")
        apart = [one for each in found for one in (pair if each == 400 else [each])]
        computes(apart == word, "The result, with the pair in place of the new id, is another word.")
