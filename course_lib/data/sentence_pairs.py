"""English sentences, each with a French translation of known probability and its word alignment."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import torch
from jaxtyping import Bool, Float64
from torch import Tensor

from course_lib.data import french
from course_lib.data.translation_draws import draw_meaning, held_out
from course_lib.data.translation_english import Meaning, Treaty
from course_lib.data.translation_french import Word, choices, open_slots, said

PARTS = ("training", "held_out", "long")
MANY = 100_000  # pairs at a time

Text = tuple[str, ...]


@dataclass(frozen=True)
class SentencePairs:
    """Pairs of sentences, each a list of words. `french` is one of several translations, drawn at random.

    probability (N,): that of `french[i]` among all translations of `english[i]`.
    """

    meanings: tuple[Meaning, ...]
    english: list[list[str]]
    french: list[list[str]]
    words: tuple[tuple[Word, ...], ...]

    def __len__(self) -> int:
        return len(self.english)

    def take(self, places: Sequence[int]) -> "SentencePairs":
        """Return the pairs at these places."""
        return SentencePairs(
            tuple(self.meanings[place] for place in places),
            [self.english[place] for place in places],
            [self.french[place] for place in places],
            tuple(self.words[place] for place in places),
        )

    def translations(self, place: int) -> dict[Text, float]:
        """Return every right translation of a sentence, the most probable first; their probabilities add up to 1."""
        return translations(self.meanings[place])

    def probabilities(self, texts: Sequence[Sequence[str]]) -> Float64[Tensor, " N"]:
        """Return the probability of one text for each sentence as its translation; 0 if it is wrong."""
        found = [self.translations(place).get(tuple(text), 0.0) for place, text in enumerate(texts)]
        return torch.tensor(found, dtype=torch.float64)

    def best(self) -> Float64[Tensor, " N"]:
        """Return the probability of each sentence's most probable translation: the highest possible accuracy."""
        highest = [next(iter(self.translations(place).values())) for place in range(len(self))]
        return torch.tensor(highest, dtype=torch.float64)

    def again(self, seed: int) -> "SentencePairs":
        """Return the same sentences with newly drawn translations."""
        return pairs_of(self.meanings, seed)

    def lowest_loss(self) -> float:
        """Return the lowest possible cross-entropy on `french`, in nats per word, including END.

        It is the entropy of the choice between translations, which no model can predict.
        """
        words = sum(len(text) + 1 for text in self.french)
        return float(-self.probabilities(self.french).log().sum()) / words

    def alignment(self, place: int) -> tuple[Bool[Tensor, "T N"], Bool[Tensor, "T N"]]:
        """Return (sure, possible): masks of the English words that a French word translates, and may be aligned to.

        T French words, N English ones; sure links are also possible. A word may depend on others without translating them, as an
        article depends on its noun.
        """
        labels = [label for _, label in self.meanings[place].english()]
        sure = [[label in word.sure for label in labels] for word in self.words[place]]
        maybe = [[label in word.sure + word.possible for label in labels] for word in self.words[place]]
        return torch.tensor(sure), torch.tensor(maybe)


def translations(meaning: Meaning) -> dict[Text, float]:
    """Return every French sentence for this meaning with its probability, the most probable first."""
    found: dict[Text, float] = {}
    for chance, choice in choices(meaning):
        text = tuple(word.text for word in said(meaning, choice))
        found[text] = found.get(text, 0.0) + chance
    return dict(sorted(found.items(), key=lambda pair: -pair[1]))


def draw_pairs(count: int, seed: int, part: str = "training", clauses: int | None = None) -> SentencePairs:
    """Return `count` pairs, drawn at random.

    part: "training" has none of the held-out combinations of two words, every sentence of "held_out" has at least one, and
    "long" has three or four clauses, with combinations of both kinds. clauses: their number in each sentence; by default 1 or 2.

    Raises ValueError for an unknown part and for more than 100,000 pairs.
    """
    if part not in PARTS:
        raise ValueError(f"Expected part to be one of {', '.join(map(repr, PARTS))}, got {part!r}.")
    if not 0 < count <= MANY:
        raise ValueError(f"Expected 1 to {MANY:,} pairs, got {count}.")
    random = Random(f"{part}/{seed}")
    meanings: list[Meaning] = []
    while len(meanings) < count:
        meaning = draw_meaning(random, part, clauses)
        if part == "long" or any(map(held_out, meaning.pairs())) == (part == "held_out"):
            meanings.append(meaning)
    return _pairs(meanings, random)


def pairs_of(meanings: Sequence[Meaning], seed: int = 0) -> SentencePairs:
    """Return pairs with these meanings."""
    return _pairs(meanings, Random(seed))


def european_economic_area() -> SentencePairs:
    """Return the sentence in the well-known figure of Bahdanau et al. (2015). Its combination is held out."""
    treaty = Treaty(
        french.TREATIES[0], french.REGIONS[0], french.FIELDS[0], french.BODIES[0], french.MONTHS[4], "1992", False
    )
    return pairs_of([Meaning((treaty,))])


def _pairs(meanings: Sequence[Meaning], random: Random) -> SentencePairs:
    picked = [{slot: _pick(options, random) for slot, options in open_slots(one).items()} for one in meanings]
    words = tuple(tuple(said(meaning, choice)) for meaning, choice in zip(meanings, picked, strict=True))
    english = [[word for word, _ in meaning.english()] for meaning in meanings]
    return SentencePairs(tuple(meanings), english, [[word.text for word in text] for text in words], words)


def _pick(options: Sequence[tuple[Any, float]], random: Random) -> Any:
    return options[0][0] if len(options) == 1 else random.choices(*zip(*options, strict=True))[0]
