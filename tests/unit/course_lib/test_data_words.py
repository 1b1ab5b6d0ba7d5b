import dataclasses
import random

import pytest
import torch

from course_lib.data import END, PAD, START, UNKNOWN, Vocabulary, draw_scenes, scene_vocabulary, words_of

CAPTIONS = [["a", "dog", "and", "a", "cat"], ["a", "cat"], ["the", "dog", "sleeps"]]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("A man, riding a wave.", ["a", "man", "riding", "a", "wave"]),
        ("The dog's bone; it isn\u2019t hers!", ["the", "dog's", "bone", "it", "isn't", "hers"]),
        ("black-and-white 2 o'clock 'quoted'", ["black", "and", "white", "2", "o'clock", "quoted"]),
        ("  Two\tlines\nof_text  ", ["two", "lines", "of", "text"]),
        ("CAFÉ cafe\u0301", ["café", "café"]),
        ("...", []),
        ("", []),
        ("<end> <pad>", ["end", "pad"]),  # nobody can write the special words into a caption
    ],
)
def test_words_are_lower_case_and_free_of_punctuation(text, words):
    assert words_of(text) == words
    assert words_of(" ".join(words)) == words


def test_a_list_is_no_sentence():
    with pytest.raises(TypeError):
        words_of(["a", "dog"])


def test_ids_are_given_by_frequency_and_then_by_the_alphabet():
    vocabulary = Vocabulary.from_captions(CAPTIONS)
    assert vocabulary.words == ("a", "cat", "dog", "and", "sleeps", "the")
    assert len(vocabulary) == 4 + 6
    assert vocabulary.encode(["a", "cat", "and", "the"]) == [START, 4, 5, 7, 9, END]


def test_the_order_of_the_captions_does_not_matter():
    shuffled = [random.Random(1729).sample(caption, len(caption)) for caption in reversed(CAPTIONS)]
    assert Vocabulary.from_captions(shuffled) == Vocabulary.from_captions(CAPTIONS)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"at_least": 2}, ("a", "cat", "dog")),
        ({"at_least": 4}, ()),
        ({"at_most": 2}, ("a", "cat")),
        ({"at_least": 2, "at_most": 11}, ("a", "cat", "dog")),
        ({"at_most": 0}, ()),
    ],
)
def test_rare_words_can_be_left_out(options, words):
    assert Vocabulary.from_captions(CAPTIONS, **options).words == words


def test_the_special_ids_are_four_different_ones_and_padding_is_0():
    assert [PAD, START, END, UNKNOWN] == [0, 1, 2, 3]


def test_decoding_inverts_encoding():
    vocabulary = Vocabulary.from_captions(CAPTIONS)
    for caption in CAPTIONS:
        ids = vocabulary.encode(caption)
        assert len(ids) == len(caption) + 2
        assert vocabulary.decode(ids) == caption
        assert vocabulary.decode(torch.tensor([*ids, PAD, PAD])) == caption
        assert vocabulary.decode(ids[1:]) == caption  # what a decoder writes has no start


def test_an_unknown_word_becomes_unknown_and_shows():
    vocabulary = Vocabulary.from_captions(CAPTIONS)
    assert vocabulary.encode(["a", "horse"]) == [START, 4, UNKNOWN, END]
    assert vocabulary.decode([START, 4, UNKNOWN, END]) == ["a", "<unknown>"]


def test_decoding_hides_nothing_in_front_of_the_end():
    """A model that writes padding or a second start must not be taken for one that does not."""
    vocabulary = Vocabulary(("a",))
    assert vocabulary.decode([START, 4, PAD, START, END, 4]) == ["a", "<pad>", "<start>"]
    assert vocabulary.decode([4, 4]) == ["a", "a"]  # no end
    assert vocabulary.decode([]) == vocabulary.decode([END]) == vocabulary.decode([START]) == []


@pytest.mark.parametrize("wrong", [-1, 10, 31])
def test_an_id_outside_the_vocabulary_is_an_error(wrong):
    with pytest.raises(ValueError, match=f"Expected ids from 0 to 9, got {wrong}"):
        Vocabulary.from_captions(CAPTIONS).decode([START, wrong])


def test_a_batch_is_padded_to_the_longest():
    vocabulary = Vocabulary.from_captions(CAPTIONS)
    ids, lengths = vocabulary.batch(CAPTIONS)
    assert ids.shape == (3, 7)
    assert ids.dtype == lengths.dtype == torch.int64
    assert lengths.tolist() == [7, 4, 5]
    for caption, row, length in zip(CAPTIONS, ids, lengths, strict=True):
        assert row[:length].tolist() == vocabulary.encode(caption)
        assert (row[length:] == PAD).all()
        assert (row[:length] != PAD).all()


def test_an_empty_caption_is_start_and_end():
    ids, lengths = Vocabulary(("a",)).batch([[], ["a"]])
    assert ids.tolist() == [[START, END, PAD], [START, 4, END]]
    assert lengths.tolist() == [2, 3]


def test_mistakes_are_errors():
    vocabulary = Vocabulary.from_captions(CAPTIONS)
    for mistake in (
        lambda: vocabulary.encode("a cat"),
        lambda: vocabulary.batch(["a cat"]),
        lambda: Vocabulary.from_captions(["a cat"]),
    ):
        with pytest.raises(TypeError, match=r"Expected a caption as a list of words, got one string.*words_of"):
            mistake()
    with pytest.raises(ValueError, match="at least one caption, got none"):
        vocabulary.batch([])
    with pytest.raises(ValueError, match="Expected every word once, got 'cat' again"):
        Vocabulary(("cat", "dog", "cat"))


@pytest.mark.parametrize("word", ["", "two words", " a", "<pad>", "<unknown>"])
def test_an_invalid_word_is_an_error(word):
    with pytest.raises(ValueError, match="Expected words without white space"):
        Vocabulary(("dog", word))


def test_a_vocabulary_does_not_change():
    vocabulary = Vocabulary(("a",))
    with pytest.raises(dataclasses.FrozenInstanceError):
        vocabulary.words = ("b",)


def test_the_vocabulary_of_scenes_has_the_words_that_scenes_use():
    vocabulary = scene_vocabulary()
    used = Vocabulary.from_captions(draw_scenes(4001, seed=1729).captions)
    assert set(vocabulary.words) == set(used.words)
    assert len(vocabulary) == 33
