"""train_bpe_fast(word_counts, num_merges)."""

from functools import partial

from autograder.checks import Draw, Request, SpeedTarget, Student, exercise, inputs, measured, points, promises
from autograder.lessons.language_models import references
from autograder.lessons.language_models.checks.check_train_bpe import ENDS, SCRIPTS, agree
from autograder.lessons.language_models.checks.words import (
    LECTURE,
    describe_inputs,
    pairs_of,
    speech,
    without_ties,
    word_counts,
)

NAME = "train_bpe_fast"
MERGES = 211
SPEED = SpeedTarget(
    NAME,
    full=0.2,
    part=0.4,
    against="counting everything again",
    setting=f"1009 words, {MERGES} merges, processor time",
    hint="Which words does a merge change, and how do you find them without looking at the others? And does every step go "
    "through all words, or through all pairs, for anything else?",
    rounds=(3, 25),
)


@exercise(NAME)
@points(3)
def check_the_same_merges(student: Student, draw: Draw) -> None:
    """The merges are those of `train_bpe`, down to the last"""
    agree(student, NAME, LECTURE, 3)
    agree(student, NAME, {"abcd": 7, "abc": 5, "ab": 3, "xb": 2}, 4)
    for words, letters, num_merges in ((1, 3, 1), (2, 3, 2), (7, 4, 5), (61, 3, 15), (131, 5, 30)):
        counts = without_ties(partial(word_counts, draw, words, letters, most=100_000), num_merges)
        agree(student, NAME, counts, num_merges)


@exercise(NAME)
@points(2)
def check_repeats_and_ties(student: Student, draw: Draw) -> None:
    """They are the same where a pair comes several times in a word, overlaps itself, or is as frequent as another"""
    for word in ("aaa", "aaaa", "aaaaaaa", "abab", "ababa", "abcabcab", "aabaab", "banana"):
        agree(student, NAME, {word: 3, "ab": 2}, 6)
    for words, letters, most in ((2, 2, 2), (5, 2, 3), (11, 3, 2), (23, 2, 5)):
        agree(student, NAME, word_counts(draw, words, letters, longest=13, most=most), 19)


@exercise(NAME)
@points(1)
@promises
def check_scripts_the_end_and_the_arguments(student: Student, draw: Draw) -> None:
    """It takes any script, stops when no pair is left, and does not change its argument or remember earlier calls"""
    for counts, num_merges in (*SCRIPTS, *ENDS):
        agree(student, NAME, counts, num_merges)
    counts = {"low": 5, "slow": 4, "lot": 7}
    answer = student.answer(Request(NAME, (counts, 3), before=((LECTURE, 2), (counts, 4))))
    setting = f"{describe_inputs(counts, 3)}, after other calls"
    inputs.equal(pairs_of(answer.value, setting), references.train_bpe(counts, 3), "The merges", setting)


@exercise(NAME)
@points(6)
@measured
def check_speed(student: Student, draw: Draw) -> None:
    """At most a fifth of the time of counting everything again for each merge (half the points up to two fifths)"""

    def fresh() -> tuple:
        return speech(draw.generator), MERGES

    SPEED.check(student, fresh, right=lambda: agree(student, NAME, *fresh()))
