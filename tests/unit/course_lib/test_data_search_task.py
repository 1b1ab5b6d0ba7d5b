"""Questions and documents of the search across languages."""

import torch

from course_lib.data import draw_pairs, draw_search, english_vocabulary, french_vocabulary
from course_lib.data.search_task import exchanged
from course_lib.data.sentence_pairs import pairs_of, translations


def texts(ids, vocabulary):
    return [tuple(vocabulary.decode(row)) for row in ids]


def test_each_question_is_a_translation_of_its_document():
    task = draw_search(60, 3)
    meanings = draw_pairs(60, 3, clauses=1).meanings
    questions, documents = texts(task.queries, french_vocabulary()), texts(task.documents, english_vocabulary())
    assert len(set(documents)) == len(documents)
    for meaning, question, target in zip(meanings, questions, task.targets.tolist(), strict=True):
        assert question in translations(meaning)
        assert documents[target] == tuple(pairs_of([meaning]).english[0])


def test_a_twin_has_the_same_nouns_in_another_order():
    task = draw_search(60, 3, "held_out")
    documents = texts(task.documents, english_vocabulary())
    some = (task.twins >= 0).nonzero()[:, 0].tolist()
    assert 10 < len(some) < 60
    for row in some:
        own, twin = documents[task.targets[row]], documents[task.twins[row]]
        assert own != twin
        assert abs(len(own) - len(twin)) <= 1  # "does not" in the singular, "do not" in the plural


def test_exchanging_twice_restores_the_meaning():
    for meaning in draw_pairs(60, 5, clauses=1).meanings:
        other = exchanged(meaning)
        assert other is None or exchanged(other) == meaning


def test_parts_and_seeds_differ():
    assert not torch.equal(draw_search(20, 1).targets, draw_search(20, 2).targets) or not torch.equal(
        draw_search(20, 1).queries, draw_search(20, 2).queries
    )
    known, new = ({*texts(draw_search(300, 1, part).queries, french_vocabulary())} for part in ("training", "held_out"))
    assert not known & new
