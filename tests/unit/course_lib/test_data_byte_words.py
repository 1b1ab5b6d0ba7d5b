import pytest
from tokenizers import pre_tokenizers

from course_lib.data import gpt2_words, python_english, word_counts

TEXTS = [
    "",
    " ",
    "It's what they've said, isn't it?",
    "x_1 = [3.14, -2]  # two\n\n    return  x\t\n",
    "naïve Übergröße 日本語 مرحبا 🤗👩🏽‍🚀 ΑΒΓ",
    "'' ' s 's 'S",
    "\u00a0\u3000 a\u0301",
]


@pytest.mark.parametrize("text", TEXTS)
def test_words_are_those_of_gpt2(text):
    theirs = pre_tokenizers.ByteLevel(add_prefix_space=False).pre_tokenize_str(text)
    assert gpt2_words(text) == [text[a:b] for _, (a, b) in theirs]
    assert "".join(gpt2_words(text)) == text


@pytest.mark.nightly(reason="the same as on drawn texts, on a megabyte")
@pytest.mark.slow
def test_words_of_real_text_are_those_of_gpt2():
    theirs = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for document in python_english("held_out"):
        for text in document.paragraphs:
            assert gpt2_words(text) == [text[a:b] for _, (a, b) in theirs.pre_tokenize_str(text)]


def test_counts_come_with_the_most_frequent_first():
    assert list(word_counts(["b a a", "a b"]).items()) == [(" a", 2), ("b", 1), ("a", 1), (" b", 1)]
    assert word_counts([]) == {}
