"""bpe_encode(ids, merges)."""

from autograder.checks import Draw, Request, Student, exercise, inputs, points, promises
from autograder.lessons.language_models import references
from autograder.lessons.language_models.checks.words import LECTURE, STRANGE, computes, ids, word_counts

NAME = "bpe_encode"
Merges = list[tuple[int, int]]


def _agree(student: Student, word: list[int], merges: Merges) -> None:
    setting = f"ids {inputs.format_plain(word)}, {len(merges)} merges" + (f", {merges}" if len(merges) <= 4 else "")
    found = inputs.token_ids(student.bpe_encode(word, merges), "The result", setting)
    inputs.equal(found, references.bpe_encode(word, merges), "The result", setting)


def _longest_first(word: list[int], merges: Merges) -> list[int]:
    """Return the longest tokens that fit, from left to right: what encoding is not."""
    tokens = {tuple(references.bpe_decode([n], merges)): n for n in range(references.BYTES + len(merges))}
    found, i = [], 0
    while i < len(word):
        j = max(j for j in range(i + 1, len(word) + 1) if tuple(word[i:j]) in tokens)
        found.append(tokens[tuple(word[i:j])])
        i = j
    return found


def _telling(draw: Draw) -> tuple[list[int], Merges]:
    """Draw a word and merges for which the longest tokens from left to right are others."""
    while True:
        merges = references.train_bpe(word_counts(draw, 7, 3, most=9), 12)
        word = ids(draw, 13)
        if references.bpe_encode(word, merges) != _longest_first(word, merges):
            return word, merges


@exercise(NAME)
@points(1)
def check_the_lectures_example(student: Student) -> None:
    """With the merges of the lecture, lowest, which was in no text, is low and est"""
    merges = references.train_bpe(LECTURE, 4)
    _agree(student, list(b"est"), merges[:2])
    for word in (b"low", b"lowest", b"newest", b"slow", b"west"):
        _agree(student, list(word), merges)


@exercise(NAME)
@points(2)
def check_the_earliest_merge_first(student: Student, draw: Draw) -> None:
    """Of the possible merges, the one that was learned first is applied first, wherever the pair stands"""
    _agree(student, [97, 98, 99], [(98, 99), (97, 98)])
    _agree(student, [97, 98, 99, 97, 98], [(98, 99), (97, 98), (97, 256)])
    for _ in range(7):
        _agree(student, *_telling(draw))
    for length in (2, 3, 5, 41):
        merges = references.train_bpe(word_counts(draw, 11, 3, most=5), 17)
        _agree(student, ids(draw, length), merges)


@exercise(NAME)
@points(1)
def check_all_bytes(student: Student, draw: Draw) -> None:
    """Every list of bytes is accepted: emoji, broken UTF-8, nothing at all; without merges it stays as it is"""
    merges = references.train_bpe({"日本": 3, "🤗": 2, "naïve": 1}, 9)
    for word in STRANGE:
        _agree(student, word, merges)
        _agree(student, word, [])
    _agree(student, [97], merges)
    _agree(student, [97] * 8, [(97, 97), (256, 256)])
    _agree(student, [97] * 7, [(97, 97), (256, 97), (256, 256)])


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, draw: Draw) -> None:
    """The given ids and merges are not changed"""
    for letters in (2, 3):
        word, merges = [97, 98, 97, *ids(draw, 11, letters)], [(97, 98), (256, 97)]
        answer = student.answer(Request(NAME, (word, merges)))
        found = inputs.token_ids(answer.value, "The result")
        computes(any(n >= references.BYTES for n in found), "Nothing is merged.")
        same = all(n < references.BYTES + len(merges) for n in found) and references.bpe_decode(found, merges) == word
        computes(same, "The tokens do not make up the word.")
