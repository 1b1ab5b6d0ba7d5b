"""The references of byte-pair encoding against Hugging Face's tokenizers, plain counting, and the lecture's example."""

import json
from pydoc_data.topics import topics

import pytest
from tokenizers import Tokenizer, models, pre_tokenizers, trainers

from autograder.content.lesson import Lessons
from autograder.content.references import source_of
from autograder.lessons.language_models import references
from autograder.lessons.language_models.references import bpe_decode, bpe_encode, merge_pair, train_bpe
from course_lib.data import gpt2_words, word_counts
from course_lib.data.english import paragraphs_of

LECTURE = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
TEXTS = ["", "a", "naïve café", "日本語", "🤗 and 👩🏽‍🚀", "    if x == 1234:\n\treturn -0.5\n\n", "\u0000\uffff"]


@pytest.fixture(scope="module")
def paragraphs():
    """The language reference's: the docstrings, which python_english reads too, take seconds."""
    return [paragraph for text in [*topics.values()][::2] for paragraph in paragraphs_of(text)]


@pytest.fixture(scope="module")
def merges(paragraphs):
    return train_bpe(word_counts(paragraphs), 60)


def letters():
    """Return the character that `tokenizers` writes for each byte."""
    plain = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in plain]
    return [chr(byte) if byte in plain else chr(256 + others.index(byte)) for byte in range(256)]


def trained(texts, num_merges):
    """Return a byte-level tokenizer of Hugging Face's: its first 256 ids are the bytes, in order."""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    trainer = trainers.BpeTrainer(vocab_size=256 + num_merges, special_tokens=letters(), show_progress=False)
    tokenizer.train_from_iterator(texts, trainer)
    return tokenizer


def bytes_of(merges):
    """Return the two byte strings that each merge joins."""
    parts = [bytes([byte]) for byte in range(256)]
    for a, b in merges:
        parts.append(parts[a] + parts[b])
    return [(parts[a], parts[b]) for a, b in merges]


def their_merges(tokenizer):
    of = {letter: byte for byte, letter in enumerate(letters())}
    return [
        tuple(bytes(map(of.get, part)) for part in pair) for pair in json.loads(tokenizer.to_str())["model"]["merges"]
    ]


def test_the_lectures_example():
    assert bytes_of(train_bpe(LECTURE, 3)) == [(b"e", b"s"), (b"es", b"t"), (b"l", b"o")]


@pytest.mark.slow
def test_the_merges_are_those_of_tokenizers(paragraphs):
    merges = train_bpe(word_counts(paragraphs), 100)
    assert bytes_of(merges) == their_merges(trained(paragraphs, 100))
    assert len({a + b for a, b in bytes_of(merges)}) == 100  # two merges that make one string share an id there


def test_ids_are_those_of_tokenizers(paragraphs, merges):
    theirs = trained(paragraphs, 60)
    of = {letter: byte for byte, letter in enumerate(letters())}
    ids = {bytes(map(of.get, piece)): number for piece, number in theirs.get_vocab().items()}
    again = Tokenizer(
        models.BPE(theirs.get_vocab(), [tuple(p) for p in json.loads(theirs.to_str())["model"]["merges"]])
    )
    again.pre_tokenizer = theirs.pre_tokenizer
    for text in [*TEXTS, *paragraphs[:20]]:
        want = again.encode(text).ids
        found = [each for word in gpt2_words(text) for each in bpe_encode(word.encode(), merges)]
        assert [ids[bytes(bpe_decode([each], merges))] for each in found] == want
        assert found == want


@pytest.mark.parametrize("text", [*(t.encode() for t in TEXTS), b"\xff\xfe\x80", bytes(range(256)), "é".encode()[:1]])
def test_every_byte_string_comes_back(merges, text):
    for known in ([], merges):
        assert bytes(bpe_decode(bpe_encode(text, known), known)) == text


def test_overlapping_pairs_are_merged_from_the_left():
    assert merge_pair([7, 7, 7, 7, 7], (7, 7), 300) == [300, 300, 7]
    assert merge_pair([7, 7], (7, 7), 7) == [7]


@pytest.mark.parametrize("each", [-1, 256, 1000])
def test_an_id_that_no_merge_makes_is_refused(each):
    with pytest.raises(ValueError, match=f"from 0 to 255, got {each}"):
        bpe_decode([each], [])


def test_the_reference_for_timing_is_self_contained():
    """In the sandbox it runs without our packages: its source follows the imports of the lesson's modules of references."""
    names = {}
    exec(source_of(Lessons().of("07-language-models"), ["train_bpe_fast"]), names)
    assert names["train_bpe_fast"](LECTURE, 5) == references.train_bpe(LECTURE, 5)
