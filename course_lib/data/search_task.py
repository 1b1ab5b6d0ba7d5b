"""Search across languages: find the translation of a French question among many English sentences.

Hardly a word of the question stands in its answer, so a search for words finds next to nothing. And a bag of words is
not enough either: beside "the queen sees the robot" stands "the robot sees the queen".
"""

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from course_lib.data.sentence_pairs import draw_pairs, pairs_of
from course_lib.data.translation_english import Clause, Meaning, NounPhrase
from course_lib.data.translation_words import english_vocabulary, french_vocabulary


@dataclass(frozen=True)
class SearchTask:
    """Questions, documents, and the answer to each question.

    queries: (Q, N) ids of `french_vocabulary()`; documents: (M, N') ids of `english_vocabulary()`, all different; both padded
    with 0. targets: (Q,) the row of the right document. twins: (Q,) the row of the document in which subject and object are
    swapped, -1 if there is none.
    """

    queries: Tensor
    documents: Tensor
    targets: Tensor
    twins: Tensor


def draw_search(count: int, seed: int, part: str = "training") -> SearchTask:
    """Return a task with `count` questions, each about one clause.

    part: no question of "training" has a held-out combination of two words, every question of "held_out" has at least one.
    Twins are not looked at: one may have such a combination in either part.
    Raises what `draw_pairs` raises.
    """
    meanings = draw_pairs(count, seed, part, clauses=1).meanings
    others = [exchanged(meaning) for meaning in meanings]
    asked = pairs_of(meanings, seed)
    beside = pairs_of([other for other in others if other is not None], seed)
    rows: dict[tuple[str, ...], int] = {}
    for text in (*asked.english, *beside.english):
        rows.setdefault(tuple(text), len(rows))
    twin_texts = iter(beside.english)
    twins = [-1 if other is None else rows[tuple(next(twin_texts))] for other in others]
    return SearchTask(
        french_vocabulary().batch(asked.french)[0],
        english_vocabulary().batch([list(text) for text in rows])[0],
        torch.tensor([rows[tuple(text)] for text in asked.english]),
        torch.tensor(twins),
    )


def exchanged(meaning: Meaning) -> Meaning | None:
    """Return the meaning with subject and object swapped, or None if they cannot be or are equal."""
    [clause] = meaning.clauses
    if not isinstance(clause, Clause):
        return None
    subject, thing = clause.subject, clause.object
    if not isinstance(subject, NounPhrase) or not isinstance(thing, NounPhrase) or subject == thing:
        return None
    return replace(meaning, clauses=(replace(clause, subject=thing, object=subject),))
