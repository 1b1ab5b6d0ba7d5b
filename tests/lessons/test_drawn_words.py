"""The words that the checks of byte-pair encoding use: ties and the end of all pairs belong to rows of their own."""

import pytest

from autograder.checks.inputs import Draw
from autograder.lessons.language_models.checks import check_train_bpe, words
from autograder.lessons.language_models.references import train_bpe


@pytest.mark.parametrize(("counts", "num_merges"), [*check_train_bpe.SCRIPTS, *check_train_bpe.BORDERS])
def test_no_row_but_that_of_ties_has_one(counts, num_merges):
    assert words.steps(counts, num_merges) == [True] * num_merges


def test_merging_ends_without_pairs():
    for counts, num_merges in check_train_bpe.ENDS:
        found = words.steps(counts, num_merges)
        assert all(found)
        assert num_merges == 0 or len(found) < num_merges


def test_words_are_drawn_with_and_without_ties():
    draw = Draw(3, "words")
    clear = words.without_ties(lambda: words.word_counts(draw, 7, 4), 5)
    assert words.steps(clear, 5) == [True] * 5
    unclear = words.with_ties(lambda: words.word_counts(draw, 5, most=3), 7)
    assert len(words.steps(unclear, 7)) == 7
    assert not all(words.steps(unclear, 7))
    assert min([*clear.values(), *unclear.values()]) >= 2


def test_speech_has_merges_of_merges():
    counts = words.speech(Draw(3, "words").generator)
    merges = train_bpe(counts, 100)
    assert len(counts) == 1009
    assert sum(max(pair) >= 256 for pair in merges) > 30
