"""The posterior against plain enumeration of every sentence and of everything that masking can make of it."""

from itertools import product

import pytest
import torch

from course_lib.data.agreement import LONGEST, agreement_language, agreement_words, draw_sentences
from course_lib.data.automata import AutomatonBuilder, split
from course_lib.data.masking_limit import Masking, lowest_loss, posterior
from course_lib.data.special_tokens import MASK, PAD, SPECIAL

V, T = 5, 3
END, HIDDEN, A, B, C = range(V)
RULE = Masking(V, mask=HIDDEN, first=A, chosen=0.3, masked=0.6, random=0.3)


@pytest.fixture(scope="module")
def small():
    builder = AutomatonBuilder()
    first = builder.add([(0, 1.0)], {A: 0.7, B: 0.3})
    more, done = split(first, 0.8)
    second = builder.add(more, {B: 0.5, C: 0.5})
    return builder.finish([*builder.add(second, {A: 0.2, C: 0.8}), *done], END)


def _language(small):
    for sentence in product(range(V), repeat=T):
        evidence = torch.nn.functional.one_hot(torch.tensor([sentence]), V).double()
        probability = small.log_probability(evidence).exp().item()
        if probability > 0:
            yield sentence, probability


def _after_masking(word, chosen):
    """Return what can be seen of one word: (what, probability)."""
    if word == END or not chosen:
        return [(word, 1.0)]
    kept = 1 - RULE.masked - RULE.random
    return [(HIDDEN, RULE.masked), (word, kept), *((other, RULE.random / 3) for other in (A, B, C))]


def test_the_posterior_is_that_of_enumeration(small):
    # P(place, what is seen, word, "place is chosen").
    joint = torch.zeros(T, *[V] * T, V, dtype=torch.float64)
    for sentence, probability in _language(small):
        for pattern in product((False, True), repeat=T):
            if any(chosen and word == END for chosen, word in zip(pattern, sentence, strict=True)):
                continue
            chance = probability
            for chosen, word in zip(pattern, sentence, strict=True):
                chance *= 1.0 if word == END else RULE.chosen if chosen else 1 - RULE.chosen
            ways = [_after_masking(word, chosen) for word, chosen in zip(sentence, pattern, strict=True)]
            for seen in product(*ways):
                weight = chance * torch.tensor([p for _, p in seen], dtype=torch.float64).prod()
                for t in range(T):
                    if pattern[t]:
                        joint[(t, *(word for word, _ in seen), sentence[t])] += weight
    checked = 0
    for seen in product(range(V), repeat=T):
        for t in range(T):
            want = joint[(t, *seen)]
            if want.sum() > 0:
                got = posterior(small, torch.tensor([seen]), RULE)[0, t]
                assert torch.allclose(got, want / want.sum()), (seen, t)
                checked += 1
    assert checked > 50


def test_posterior_at_special_tokens_is_certain(small):
    seen = torch.tensor([[A, END, END]])
    assert posterior(small, seen, RULE)[0, 1].tolist() == [1.0, 0.0, 0.0, 0.0, 0.0]


def _masked(sentences, generator):
    """Mask as BERT does, written once more in the plainest way."""
    chosen = (torch.rand(sentences.shape, generator=generator) < 0.15) & (sentences != PAD)
    fate = torch.rand(sentences.shape, generator=generator)
    other = torch.randint(len(SPECIAL), len(agreement_words()), sentences.shape, generator=generator)
    seen = torch.where(chosen & (fate < 0.8), MASK, sentences)
    return torch.where(chosen & (fate >= 0.9), other, seen), torch.where(chosen, sentences, -100)


@pytest.mark.slow
def test_the_limit_is_calibrated_on_the_agreement_language():
    """Where the posterior says 70 %, it is right in 70 of 100 cases, and its loss is its own entropy."""
    language, rule = agreement_language(), Masking(len(agreement_words()), MASK, len(SPECIAL))
    inputs, labels = _masked(draw_sentences(4000, 8), torch.Generator().manual_seed(9))
    chosen = labels != -100
    found = posterior(language, inputs, rule)[chosen]
    hit = found.argmax(1) == labels[chosen]
    assert abs(hit.double().mean() - found.amax(1).mean()) < 4 * 0.5 / len(hit) ** 0.5
    entropy = torch.special.entr(found).sum(1).mean()
    loss = lowest_loss(language, inputs, labels, rule)
    assert abs(loss - entropy) < 0.05
    assert 0.8 < loss < 2.0


def test_the_verb_follows_its_subject_over_another_noun():
    language, words = agreement_language(), agreement_words()
    rule = Masking(len(words), MASK, len(SPECIAL))
    places = {word: place for place, word in enumerate(words)}

    def at_the_mask(text):
        ids = [MASK if word == "_" else places[word] for word in text.split()]
        seen = torch.tensor([ids + [PAD] * (LONGEST - len(ids))])
        return posterior(language, seen, rule)[0, ids.index(MASK)]

    one = at_the_mask("every queen near the robots _ today and she likes herself .")
    assert one[places["sleeps"]] > 0.3
    assert one[places["sleep"]] < 1e-4
    pronoun = at_the_mask("a monk behind the girl that the aunts see sings and _ likes himself .")
    assert pronoun[places["he"]] > 0.98
