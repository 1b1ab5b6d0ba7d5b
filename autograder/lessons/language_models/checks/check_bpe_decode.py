"""bpe_decode(ids, merges)."""

from autograder.checks import Draw, Request, Student, exercise, inputs, points, promises, raises_value_error
from autograder.lessons.language_models import references
from autograder.lessons.language_models.checks.words import LECTURE, STRANGE, computes, ids, word_counts

NAME = "bpe_decode"
Merges = list[tuple[int, int]]


def _agree(student: Student, word: list[int], merges: Merges) -> None:
    setting = f"ids {inputs.format_plain(word)}, {len(merges)} merges" + (f", {merges}" if len(merges) <= 4 else "")
    found = inputs.token_ids(student.bpe_decode(word, merges), "The result", setting)
    inputs.equal(found, references.bpe_decode(word, merges), "The result", setting)


def _merges(draw: Draw) -> Merges:
    """Return merges, some of which join two tokens of many bytes."""
    return references.train_bpe(word_counts(draw, 7, 3, most=9), 17)


@exercise(NAME)
@points(2)
def check_bytes_of_every_token(student: Student, draw: Draw) -> None:
    """Each id becomes the bytes that it was made of, however many merges lie one inside the other"""
    merges = references.train_bpe(LECTURE, 4)
    for word in ([256], [257], [259, 257], [119, 257, 258]):
        _agree(student, word, merges)
    merges = _merges(draw)
    for n in range(references.BYTES, references.BYTES + len(merges)):
        _agree(student, [n], merges)
    for length in (2, 7, 40):
        _agree(student, draw.integers(references.BYTES + len(merges), length).tolist(), merges)
    _agree(student, [266, 97], [(97, 97), *((256 + k, 256 + k) for k in range(10))])


@exercise(NAME)
@points(1)
def check_every_text_comes_back(student: Student, draw: Draw) -> None:
    """What was encoded comes back byte for byte: emoji, broken UTF-8, nothing at all"""
    for merges in (references.train_bpe({"日本": 3, "🤗": 2, "naïve": 1}, 9), _merges(draw), []):
        for word in (*STRANGE, ids(draw, 23)):
            _agree(student, references.bpe_encode(word, merges), merges)


@exercise(NAME)
@points(1)
@promises
def check_unknown_ids(student: Student, draw: Draw) -> None:
    """An id that no merge makes, such as a negative one, raises a ValueError, and the arguments are not changed"""
    merges = _merges(draw)
    for given in ([], merges[:1], merges):
        for each in (-1, references.BYTES + len(given), 5000):
            for word in ([each], [97, each, 98]):
                raises_value_error(
                    f"The id {each} with {len(given)} merges",
                    "There are 256 bytes and one id for each merge. Look whether an id is one of them before you use it, and "
                    "raise a ValueError that says what was expected.",
                    student.bpe_decode,
                    word,
                    given,
                    sentence=True,
                )
    word = [97, references.BYTES, 98]
    answer = student.answer(Request(NAME, (word, merges)))
    found = inputs.token_ids(answer.value, "The result")
    computes(len(found) > 3, "There are not more bytes than ids.")
