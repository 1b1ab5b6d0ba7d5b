"""A small, exactly known language in which words agree with others far away.

    sentence = subject [place] [relative] verb [adverb] ["and" pronoun verb reflexive] "."
    subject  = determiner [adjective] noun            "every tall queen"
    place    = preposition "the" noun                 "near the robots"
    relative = "that" "the" noun verb                 "that the boys like"

The verb, the pronoun and the reflexive agree with the subject in number and gender; the nouns in between are distractors. The
nearer noun determines only the verb of its own relative clause.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import product

import torch
from jaxtyping import Int64
from torch import Tensor

from course_lib.data.automata import Automaton, AutomatonBuilder, Front, split
from course_lib.data.special_tokens import CLS, PAD, SEP, SPECIAL
from course_lib.generators import generator_of

LONGEST = 17  # words, the full stop among them

NOUNS = {
    "he": ("king", "uncle", "monk", "boy"),
    "she": ("queen", "aunt", "nun", "girl"),
    "it": ("robot", "dog", "parrot", "clock"),
}
DETERMINERS = {"one": ("the", "a", "every"), "many": ("the", "some", "many")}
ADJECTIVES = ("old", "tall", "quiet", "happy", "young")
PREPOSITIONS = ("near", "behind", "beside")
ADVERBS = ("today", "again", "often", "slowly")
ALONE = ("sleep", "wait", "sing", "laugh", "work")  # verbs without an object
TOWARDS = ("like", "see", "hear", "follow")  # verbs with one
REFLEXIVES = {"he": "himself", "she": "herself", "it": "itself", "they": "themselves"}


@cache
def agreement_words() -> tuple[str, ...]:
    """Return all tokens of the language: five special ones, then the words in alphabetical order."""
    nouns = [noun for group in NOUNS.values() for noun in group]
    verbs = [*ALONE, *TOWARDS]
    words = {"that", "and", ".", *ADJECTIVES, *PREPOSITIONS, *ADVERBS, *REFLEXIVES, *REFLEXIVES.values()}
    words |= {word for group in DETERMINERS.values() for word in group}
    words |= {inflected(word, number) for word in nouns for number in DETERMINERS}
    words |= {conjugated(verb, number) for verb in verbs for number in DETERMINERS}
    return (*SPECIAL, *sorted(words))


@cache
def agreement_language() -> Automaton:
    """Return the automaton of these sentences. The frequencies of words of one kind are in the ratio 1 : 1/2 : 1/3 …"""
    builder = AutomatonBuilder()
    ends: list[tuple[int, float]] = []
    kinds = list(product(DETERMINERS, NOUNS))
    for number, gender in kinds:
        ends += _sentence(builder, [(0, 1 / len(kinds))], number, gender)
    return builder.finish(builder.add(ends, _ids(["."])), PAD)


def draw_sentences(count: int, seed: int) -> Int64[Tensor, "count 17"]:
    """Return the ids of `count` sentences, each padded with [PAD]."""
    return agreement_language().sample(count, LONGEST, generator_of(seed))


def framed(sentences: Int64[Tensor, "B T"]) -> Int64[Tensor, "B T_2"]:
    """Return [CLS] sentence [SEP] for padded sentences, with two columns more."""
    ids = torch.nn.functional.pad(sentences, (1, 1), value=PAD)
    ids[:, 0] = CLS
    ids.scatter_(1, (sentences != PAD).sum(dim=1, keepdim=True) + 1, SEP)
    return ids


def unframed(ids: Int64[Tensor, "B T"]) -> Int64[Tensor, "B T_2"]:
    """Undo `framed`, also for masked sentences: two columns fewer, and padding in place of [SEP]."""
    inside = ids[:, 1:-1]
    return inside.masked_fill(inside == SEP, PAD)


def _sentence(builder: AutomatonBuilder, front: Front, number: str, gender: str) -> Front:
    """Add a sentence without its full stop. Its states are its own, so that it remembers its subject."""
    pronoun = gender if number == "one" else "they"
    front = builder.add(front, _ids(DETERMINERS[number]))
    front = _maybe(front, 0.5, lambda there: builder.add(there, _ids(ADJECTIVES)))
    front = builder.add(front, _ids([inflected(noun, number) for noun in NOUNS[gender]]))
    front = _maybe(front, 0.5, lambda there: _place(builder, there))
    front = _maybe(front, 0.4, lambda there: _relative(builder, there))
    front = builder.add(front, _ids([conjugated(verb, number) for verb in ALONE]))
    front = _maybe(front, 0.3, lambda there: builder.add(there, _ids(ADVERBS)))
    return _maybe(front, 0.6, lambda there: _second(builder, there, number, pronoun))


def _place(builder: AutomatonBuilder, front: Front) -> Front:
    front = builder.add(front, _ids(PREPOSITIONS))
    front = builder.add(front, _ids(["the"]))
    return builder.add(front, _ids([inflected(noun, n) for n in DETERMINERS for noun in _all_nouns()]))


def _relative(builder: AutomatonBuilder, front: Front) -> Front:
    front = builder.add(builder.add(front, _ids(["that"])), _ids(["the"]))
    ends: list[tuple[int, float]] = []
    for number in DETERMINERS:
        share = [(state, probability / len(DETERMINERS)) for state, probability in front]
        noun = builder.add(share, _ids([inflected(noun, number) for noun in _all_nouns()]))
        ends += builder.add(noun, _ids([conjugated(verb, number) for verb in TOWARDS]))
    return ends


def _second(builder: AutomatonBuilder, front: Front, number: str, pronoun: str) -> Front:
    front = builder.add(builder.add(front, _ids(["and"])), _ids([pronoun]))
    front = builder.add(front, _ids([conjugated(verb, number) for verb in TOWARDS]))
    return builder.add(front, _ids([REFLEXIVES[pronoun]]))


def _maybe(front: Front, share: float, add: Callable[[Front], Front]) -> Front:
    """Add something with probability `share`, and nothing otherwise."""
    there, not_there = split(front, share)
    return [*add(there), *not_there]


def _ids(words: Sequence[str]) -> dict[int, float]:
    """Return the ids of words of one kind with their probabilities, in the ratio 1 : 1/2 : 1/3 …"""
    places = {word: place for place, word in enumerate(agreement_words())}
    total = sum(1 / rank for rank in range(1, len(words) + 1))
    return {places[word]: 1 / rank / total for rank, word in enumerate(words, start=1)}


def _all_nouns() -> list[str]:
    """Return all nouns, the first of each gender first."""
    return [noun for group in zip(*NOUNS.values(), strict=True) for noun in group]


def inflected(noun: str, number: str) -> str:
    """Return the noun in the singular ("one") or the plural ("many")."""
    return noun if number == "one" else noun + "s"


def conjugated(verb: str, number: str) -> str:
    """Return the verb form for the singular ("one") or the plural ("many")."""
    return verb + "s" if number == "one" else verb
