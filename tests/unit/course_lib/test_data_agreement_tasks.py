"""The labels of the small tasks, by hand and against the sentences' own agreement."""

import pytest
import torch

from course_lib.data import (
    CLS,
    PAD,
    SEP,
    SUBJECTS,
    TAGS,
    agreement_words,
    draw_sentences,
    framed,
    subject_classes,
    unframed,
    who_does_it,
    word_tags,
)

WORDS = agreement_words()


def ids_of(*sentences):
    rows = [torch.tensor([WORDS.index(word) for word in sentence.split()]) for sentence in sentences]
    return torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)


@pytest.mark.parametrize(
    ("sentence", "pronoun"),
    [
        ("the queen near the robots sleeps .", "she"),
        ("some monks that the girl hears wait .", "they"),
        ("every old clock sings and it likes itself .", "it"),
        ("a king behind the queens waits .", "he"),
    ],
)
def test_the_subject_is_the_first_noun(sentence, pronoun):
    assert SUBJECTS[subject_classes(ids_of(sentence))] == pronoun


def test_the_subjects_pronoun_is_the_one_that_the_sentence_uses():
    sentences = draw_sentences(2000, seed=3)
    for row, number in zip(sentences.tolist(), subject_classes(sentences).tolist(), strict=True):
        spoken = {WORDS[i] for i in row} & set(SUBJECTS)
        assert spoken <= {SUBJECTS[number]}


def test_tags_by_hand():
    tags = word_tags(ids_of("many old queens near the robot that the boy likes sleep often and they see themselves ."))
    assert [TAGS[tag] for tag in tags[0]] == [
        "determiner",
        "adjective",
        "subject",
        "preposition",
        "determiner",
        "other noun",
        "other",
        "determiner",
        "other noun",
        "another's verb",
        "the subject's verb",
        "adverb",
        "other",
        "pronoun",
        "the subject's verb",
        "pronoun",
        "other",
    ]


def test_every_sentence_has_one_subject_and_every_tag_comes():
    sentences = draw_sentences(2000, seed=4)
    tags = word_tags(sentences)
    assert bool(((tags == TAGS.index("subject")).sum(dim=1) == 1).all())
    assert set(tags.unique().tolist()) == set(range(len(TAGS)))


def test_questions_ask_for_a_verb_and_the_answer_agrees_with_it():
    sentences = draw_sentences(2000, seed=5)
    verbs, first, last = who_does_it(sentences, torch.Generator().manual_seed(0))
    inside = 0
    for row, verb, i, j in zip(sentences.tolist(), verbs.tolist(), first.tolist(), last.tolist(), strict=True):
        assert verb in row
        assert 0 <= i <= j
        noun = WORDS[row[j]]
        # The plural has its s on the noun, the singular on the verb.
        assert noun.endswith("s") != WORDS[verb].endswith("s")
        inside += i > 0
    assert 200 < inside < 600  # half of the four in ten that have a relative clause


def test_the_same_generator_asks_the_same():
    sentences = draw_sentences(50, seed=6)
    one, two = (who_does_it(sentences, torch.Generator().manual_seed(7)) for _ in range(2))
    assert all(map(torch.equal, one, two))


def test_frames_go_on_and_off():
    sentences = draw_sentences(200, seed=7)
    ids = framed(sentences)
    assert bool((ids[:, 0] == CLS).all())
    assert bool(((ids == SEP).sum(dim=1) == 1).all())
    assert torch.equal((ids != PAD).sum(dim=1), (sentences != PAD).sum(dim=1) + 2)
    assert torch.equal(unframed(ids), sentences)
