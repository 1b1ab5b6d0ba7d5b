"""Cut text into words, across which byte-pair encoding never merges."""

import re
from collections import Counter
from collections.abc import Iterable

#: GPT-2's pattern (Radford et al. 2019) in the letters of Python's `re`: a clitic; letters, digits or signs with the space before
#: them; spaces. A number that is no digit, such as ½, counts as a letter here.
_WORD = re.compile(r"'(?:[sdmt]|ll|ve|re)| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+|\s+(?!\S)|\s+")


def gpt2_words(text: str) -> list[str]:
    """Return the words of a text, each with the space before it; joined, they are the text.

    A word is a run of letters, of digits or of other signs, so that no token holds two of these kinds.
    """
    return _WORD.findall(text)


def word_counts(texts: Iterable[str]) -> dict[str, int]:
    """Count the words in the texts, the most frequent first; equally frequent ones in order of appearance."""
    return dict(Counter(word for text in texts for word in gpt2_words(text)).most_common())
