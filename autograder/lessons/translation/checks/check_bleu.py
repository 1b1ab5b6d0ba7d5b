"""bleu(candidates, references, longest=4)."""

import math

import torch

from autograder.checks import CheckFailure, Draw, Student, exercise, points, promises
from autograder.lessons.translation import references

NAME = "bleu"
CAT = ["the", "cat", "is", "on", "the", "mat"]
OTHER = ["there", "is", "a", "cat", "on", "the", "mat"]


def _agree(student: Student, candidates, rights, setting, longest=None, want=None):
    got = student.bleu(candidates, rights, *([] if longest is None else [longest]))
    if isinstance(got, bool) or not isinstance(got, float | int):
        raise CheckFailure(
            "type",
            "BLEU should be one float.",
            setting=setting,
            yours=f"a {type(got).__name__}",
            received=type(got).__name__,
            cause="not a float",
            hint="All sentences of the corpus together have one BLEU.",
        )
    if want is None:
        want = references.bleu(candidates, rights, longest or 4)
    if not math.isclose(got, want, rel_tol=1e-9, abs_tol=1e-12):
        raise CheckFailure(
            "value",
            "BLEU is wrong.",
            setting=setting,
            expected=f"{want:.6f}",
            yours=f"{got:.6f}",
            received=torch.tensor([float(got)], dtype=torch.float64),
            wanted=torch.tensor([want], dtype=torch.float64),
        )


def _sentence(draw: Draw, length):
    return [f"w{n}" for n in draw.integers(4, length).tolist()]  # few words: many n-grams agree


def _near(draw: Draw, words):
    """Return the words with one of them replaced, left out or said twice."""
    place, how = int(draw.integers(len(words))), int(draw.integers(3))
    return [*words[:place], *([["w1"], [], [words[place]] * 2][how]), *words[place + 1 :]]


def _one_wrong(draw: Draw, words):
    """Return the words with one of them replaced by a new one: as long as before, and no n-gram more than once too often."""
    place = int(draw.integers(len(words)))
    return [*words[:place], "another", *words[place + 1 :]]


def _shown(candidates, rights):
    return f"candidates {candidates[:2]}, references {rights[:2]}"


@exercise(NAME)
@points(1)
def check_perfect_and_hopeless(student: Student, draw: Draw) -> None:
    """The reference itself has BLEU 1, also as the second of several; without any match of some size it is 0"""
    for length in (4, 5, 13):
        words = _sentence(draw, length)
        _agree(student, [words], [[words]], _shown([words], [[words]]), want=1.0)
        _agree(student, [words], [[_sentence(draw, length), words]], "the second reference is the candidate", want=1.0)
    _agree(student, [CAT], [[["a", "dog"]]], _shown([CAT], [[["a", "dog"]]]), want=0.0)
    for text in ("the", "on the", "mat the on cat the is", "is on the dog"):
        words = text.split()
        _agree(student, [words], [[CAT]], _shown([words], [[CAT]]), want=0.0)
    _agree(student, [[]], [[CAT]], "an empty candidate", want=0.0)
    near = [*CAT[:5], "dog"]
    _agree(student, [near], [[CAT]], _shown([near], [[CAT]]), want=(5 / 6 * 4 / 5 * 3 / 4 * 2 / 3) ** 0.25)


@exercise(NAME)
@points(1)
def check_clipping(student: Student, draw: Draw) -> None:
    """An n-gram counts at most as often as in the reference that has it most often, and not as often as in all together"""
    seven = ["the"] * 7
    _agree(student, [seven], [[CAT]], _shown([seven], [[CAT]]), 1, want=2 / 7)
    rights = [[CAT, OTHER]]
    _agree(student, [seven], rights, _shown([seven], rights), 1, want=2 / 7)
    for _ in range(5):
        words, rights = _sentence(draw, 9), [[_sentence(draw, 9), _sentence(draw, 9)]]
        while not references.bleu([words], rights, 2):  # 0 is for another row
            words, rights = _sentence(draw, 9), [[_sentence(draw, 9), _sentence(draw, 9)]]
        for longest in (1, 2):
            _agree(student, [words], rights, _shown([words], rights), longest)


@exercise(NAME)
@points(2)
def check_brevity(student: Student, draw: Draw) -> None:
    """Candidates that are too short are punished by exp(1 - r / c), longer ones are not; r is the closest length"""
    for length in (4, 5):
        words = CAT[:length]
        _agree(student, [words], [[CAT]], _shown([words], [[CAT]]), want=math.exp(1 - 6 / length))
    long = [*CAT, *CAT]
    _agree(student, [long], [[CAT]], _shown([long], [[CAT]]))
    six = _sentence(draw, 6)
    # Of two lengths that are equally close, the shorter one counts.
    for lengths in ((5, 7), (7, 5), (4, 9), (6, 3), (3, 7), (7, 2), (13, 8, 9)):
        rights = [[six + ["x"] * (n - 6) if n > 6 else six[:n] for n in lengths]]
        _agree(student, [six], rights, f"a candidate of 6 words, references of {lengths}")
    candidates, rights = [CAT[:4], [*OTHER, "there"]], [[CAT], [OTHER]]
    _agree(student, candidates, rights, "one candidate too short and another too long: the penalty is the corpus's")


@exercise(NAME)
@points(2)
def check_corpus(student: Student, draw: Draw) -> None:
    """Counts and lengths are added up over the corpus before they are divided; the mean over the sizes is geometric"""
    for count in (2, 3, 7):
        for longest in (2, 4):
            rights = [[_sentence(draw, 5 + int(draw.integers(9)))] for _ in range(count)]
            candidates = [_near(draw, _near(draw, one[0])) for one in rights]
            _agree(student, candidates, rights, f"{count} sentences, longest = {longest}", longest)
    candidates, rights = [CAT, ["a", "dog"]], [[CAT], [["one", "dog"]]]
    _agree(student, candidates, rights, "a sentence of two words, which has no run of four")
    candidates, rights = [CAT[:5], OTHER], [[CAT], [OTHER]]
    _agree(student, candidates, rights, "one sentence a word too short and another right")


@exercise(NAME)
@points(1)
def check_several_references(student: Student, draw: Draw) -> None:
    """Each candidate has its own references, and their number differs"""
    for count in (2, 5, 3, 4, 6):
        rights = [[_sentence(draw, 9) for _ in range(1 + n % 3)] for n in range(count)]
        candidates = [_one_wrong(draw, one[-1]) for one in rights]
        _agree(student, candidates, rights, f"{count} sentences with {[len(one) for one in rights]} references")
        _agree(student, candidates, rights, f"{count} sentences, longest = 3", 3)


@exercise(NAME)
@points(1)
@promises
def check_nothing_is_changed(student: Student, draw: Draw) -> None:
    """Words are whole words and their case matters; a second call gives the same"""
    for _ in range(2):
        _agree(student, [["The", *CAT[1:]]], [[CAT]], "a capital letter more")
        _agree(student, [["the cat", "is", "on", "the", "mat"]], [[CAT]], "a word with a space inside")
        _agree(student, [["the cat", "is", *CAT[3:]]], [[["the", "cat is", *CAT[3:]]]], "spaces inside of other words")
        _agree(student, [["t", "hecat", *CAT[2:]]], [[CAT]], "other words of the same letters")
    words = _sentence(draw, 40)
    _agree(student, [_one_wrong(draw, words)], [[words]], "40 words")
