"""Small fine-tuning tasks on the language of agreement, with labels that follow from the sentence alone."""

import torch
from jaxtyping import Int64
from torch import Tensor

from course_lib.data.agreement import (
    ADJECTIVES,
    ADVERBS,
    ALONE,
    DETERMINERS,
    NOUNS,
    PREPOSITIONS,
    REFLEXIVES,
    TOWARDS,
    agreement_words,
    conjugated,
    inflected,
)

#: The classes of `subject_classes`: the pronouns for the subject.
SUBJECTS = tuple(REFLEXIVES)
#: The classes of `word_tags`.
TAGS = (
    "other",
    "determiner",
    "adjective",
    "preposition",
    "adverb",
    "pronoun",
    "subject",
    "other noun",
    "the subject's verb",
    "another's verb",
)


def subject_classes(sentences: Int64[Tensor, "B T"]) -> Int64[Tensor, " B"]:
    """Return, for each sentence, the index of the pronoun for its subject: he, she, it or they."""
    words = agreement_words()
    of_noun = torch.full((len(words),), -1)
    for gender, nouns in NOUNS.items():
        for noun in nouns:
            of_noun[words.index(inflected(noun, "one"))] = SUBJECTS.index(gender)
            of_noun[words.index(inflected(noun, "many"))] = SUBJECTS.index("they")
    return of_noun[sentences.gather(1, _subject(sentences)[:, None])[:, 0]]


def word_tags(sentences: Int64[Tensor, "B T"]) -> Int64[Tensor, "B T"]:
    """Return the index of each word's tag. The subject is the first noun; a verb with an object has its own tag after "and"."""
    words = agreement_words()
    kinds = {
        "determiner": [word for group in DETERMINERS.values() for word in group],
        "adjective": ADJECTIVES,
        "preposition": PREPOSITIONS,
        "adverb": ADVERBS,
        "pronoun": (*REFLEXIVES, *REFLEXIVES.values()),
        "other noun": _nouns(),
        "the subject's verb": [conjugated(verb, number) for verb in ALONE for number in DETERMINERS],
        "another's verb": [conjugated(verb, number) for verb in TOWARDS for number in DETERMINERS],
    }
    of_word = torch.zeros(len(words), dtype=torch.int64)
    for kind, members in kinds.items():
        of_word[[words.index(word) for word in members]] = TAGS.index(kind)
    tags = of_word[sentences]
    tags.scatter_(1, _subject(sentences)[:, None], TAGS.index("subject"))
    behind = (sentences == words.index("and")).cumsum(dim=1) > 0
    return torch.where(behind & (tags == TAGS.index("another's verb")), TAGS.index("the subject's verb"), tags)


def who_does_it(
    sentences: Int64[Tensor, "B T"], generator: torch.Generator
) -> tuple[Int64[Tensor, " B"], Int64[Tensor, " B"], Int64[Tensor, " B"]]:
    """Return a question about each sentence and its answer: a verb, and the first and last word of who does it.

    The verb is the one without an object, whose subject is the sentence's; or, in half of the sentences that have a relative
    clause, the verb of that clause, whose subject is the noun before it ("the robots" in "that the robots like").
    """
    tags = word_tags(sentences)
    asked = (tags == TAGS.index("the subject's verb")).int().argmax(dim=1)
    other = tags == TAGS.index("another's verb")
    use_other = other.any(dim=1) & (torch.rand(len(sentences), generator=generator) < 0.5)
    place = torch.where(use_other, other.int().argmax(dim=1), asked)
    first = torch.where(use_other, place - 2, 0)
    last = torch.where(use_other, place - 1, _subject(sentences))
    return sentences.gather(1, place[:, None])[:, 0], first, last


def _subject(sentences: Tensor) -> Tensor:
    """Return the position of the first noun in each sentence."""
    words = agreement_words()
    return torch.isin(sentences, torch.tensor([words.index(noun) for noun in _nouns()])).int().argmax(dim=1)


def _nouns() -> list[str]:
    return [inflected(noun, number) for group in NOUNS.values() for noun in group for number in DETERMINERS]
