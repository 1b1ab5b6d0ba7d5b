"""Convert between words and a model's ids."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import torch
from jaxtyping import Int64, Integer
from torch import Tensor

PAD, START, END, UNKNOWN = range(4)
SPECIAL = ("<pad>", "<start>", "<end>", "<unknown>")


@dataclass(frozen=True)
class Vocabulary:
    """Words and their ids. Ids 0 to 3 are padding, start, end and unknown; the words follow in the given order.

    Raises ValueError if a word is repeated, is empty, contains white space or is one of the four special ones.
    """

    words: tuple[str, ...]
    ids: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        twice = [word for word, count in Counter(self.words).items() if count > 1]
        if twice:
            raise ValueError(f"Expected every word once, got {twice[0]!r} again.")
        for word in self.words:
            if word.split() != [word] or word in SPECIAL:
                raise ValueError(f"Expected words without white space, other than {', '.join(SPECIAL)}, got {word!r}.")
        object.__setattr__(self, "ids", {word: place + len(SPECIAL) for place, word in enumerate(self.words)})

    @classmethod
    def from_captions(
        cls, captions: Iterable[Sequence[str]], at_least: int = 1, at_most: int | None = None
    ) -> "Vocabulary":
        """Return the vocabulary of words that occur `at_least` times in the captions, the most frequent first.

        Equally frequent words are in alphabetical order. at_most: the maximum number of words, without the four special ones;
        None for all. Raises TypeError if a caption is one string instead of a list of words.
        """
        counts: Counter[str] = Counter()
        for caption in captions:
            _check_caption(caption)
            counts.update(caption)
        ranked = sorted(counts, key=lambda word: (-counts[word], word))
        return cls(tuple(word for word in ranked if counts[word] >= at_least)[:at_most])

    def __len__(self) -> int:
        """Return the number of ids, including the four special ones: the width of a model's output."""
        return len(SPECIAL) + len(self.words)

    def encode(self, caption: Sequence[str]) -> list[int]:
        """Return the ids of start, the words and end. A word that is not in the vocabulary becomes unknown.

        Raises TypeError if `caption` is one string instead of a list of words.
        """
        _check_caption(caption)
        return [START, *(self.ids.get(word, UNKNOWN) for word in caption), END]

    def decode(self, ids: Sequence[int] | Integer[Tensor, " T"]) -> list[str]:
        """Return the words up to the first end. A leading start is left out; other special tokens stay visible.

        Raises ValueError for an id that is not in the vocabulary.
        """
        numbers = ids.tolist() if isinstance(ids, Tensor) else list(ids)
        numbers = numbers[1:] if numbers[:1] == [START] else numbers
        numbers = numbers[: numbers.index(END)] if END in numbers else numbers
        for number in numbers:
            if not 0 <= number < len(self):
                raise ValueError(f"Expected ids from 0 to {len(self) - 1}, got {number}.")
        return [(SPECIAL + self.words)[number] for number in numbers]

    def batch(self, captions: Sequence[Sequence[str]]) -> tuple[Int64[Tensor, "B T"], Int64[Tensor, " B"]]:
        """Return the ids of all captions, padded to the longest, and the length of each without padding.

        Start and end count. Raises ValueError if there is no caption and TypeError if one is a string.
        """
        if not captions:
            raise ValueError("Expected at least one caption, got none.")
        rows = [torch.tensor(self.encode(caption)) for caption in captions]
        lengths = torch.tensor([len(row) for row in rows])
        return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=PAD), lengths


def _check_caption(caption: Sequence[str]) -> None:
    if isinstance(caption, str):
        raise TypeError(f"Expected a caption as a list of words, got one string. Try words_of({caption!r}).")
