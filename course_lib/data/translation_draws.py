"""Draw random meanings of sentences, split by their combinations of two words."""

from collections.abc import Sequence
from functools import cache
from random import Random

from course_lib.data import french
from course_lib.data.translation_english import Clause, Meaning, NounPhrase, Pronoun, Treaty
from course_lib.data.translation_french import CONJUNCTIONS

TREATIES, TWO_CLAUSES, QUESTIONS, NEGATED = 0.08, 0.25, 0.25, 0.3
ADJECTIVE_ALONE, PRONOUN, MANY_THINGS, WITH_ADJECTIVE = 0.25, 0.35, 0.4, 0.45
SINGULAR = ("the", "a", "this", "my", "every")
PLURAL = ("the", "these", "my", "many", "two")


def held_out(pair: tuple[str, str]) -> bool:
    """Return whether a combination of two words never occurs in training: one in seven, so that each word has others."""
    first, second = _places()[pair[0]], _places()[pair[1]]
    return (first + 2 * second) % 7 == 3


@cache
def _places() -> dict[str, int]:
    firsts = [word.english for word in (*french.ADJECTIVES, *french.VERBS)]
    groups = (
        firsts,
        [noun.english for noun in french.NOUNS],
        [f[0] for f in french.FIELDS],
        [b[0] for b in french.BODIES],
    )
    places = {word: place for group in groups for place, word in enumerate(group)}
    return places | {"economic": 3, "area": 0}


def draw_meaning(random: Random, part: str, clauses: int | None) -> Meaning:
    """Draw the meaning of one sentence of this part, not yet filtered by combinations."""
    if random.random() < TREATIES and clauses in (None, 1) and part != "long":
        pick = random.choice
        treaty, region, field = pick(french.TREATIES), pick(french.REGIONS), pick(french.FIELDS)
        body, month, year = pick(french.BODIES), pick(french.MONTHS), pick(french.YEARS)
        return Meaning((Treaty(treaty, region, field, body, month, year, random.random() < NEGATED),))
    count = clauses or (random.choice((3, 4)) if part == "long" else 1 + (random.random() < TWO_CLAUSES))
    asks = count == 1 and random.random() < QUESTIONS
    joined = tuple(random.choice([*CONJUNCTIONS]) for _ in range(count - 1))
    return Meaning(tuple(_draw_clause(random, asks) for _ in range(count)), joined)


def _draw_clause(random: Random, asks: bool) -> Clause:
    subject = _draw_part(random, [name for name in french.PRONOUNS if name != "I" or not asks])
    negated = random.random() < NEGATED
    if random.random() < ADJECTIVE_ALONE:
        return Clause(subject, None, None, random.choice(french.ADJECTIVES), negated, asks)
    barred = {"I": ("I", "we"), "we": ("I", "we")}.get(getattr(subject, "name", ""), (getattr(subject, "name", ""),))
    thing = _draw_part(random, [name for name in (*french.PRONOUNS, "it") if name not in barred])
    return Clause(subject, random.choice(french.VERBS), thing, None, negated, asks)


def _draw_part(random: Random, pronouns: Sequence[str]) -> NounPhrase | Pronoun:
    if random.random() < PRONOUN:
        return Pronoun(random.choice(pronouns))
    plural = random.random() < MANY_THINGS
    adjective = random.choice(french.ADJECTIVES) if random.random() < WITH_ADJECTIVE else None
    return NounPhrase(random.choice(PLURAL if plural else SINGULAR), random.choice(french.NOUNS), plural, adjective)
