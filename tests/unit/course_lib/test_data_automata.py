"""The messages against plain enumeration, on an automaton small enough to write down every sentence."""

from itertools import product

import pytest
import torch

from course_lib.data.automata import Automaton, AutomatonBuilder, split

PAD, A, B, C = range(4)
V, T = 4, 5


@pytest.fixture(scope="module")
def small():
    """a or b (3 to 1); after an a perhaps c c; then as many words as it takes to say again what came first; end."""
    builder = AutomatonBuilder()
    ends = []
    for word, share in ((A, 0.75), (B, 0.25)):
        front = builder.add([(0, share)], {word: 1.0})
        more, none = split(front, 0.4)
        more = builder.add(builder.add(more, {C: 0.5, A: 0.3, B: 0.2}), {C: 0.9, B: 0.1})
        ends += builder.add([*more, *none], {word: 1.0})
    return builder.finish(ends, PAD)


def _probability(automaton, sentence):
    """Walk through the arcs, one word at a time."""
    here = {0: 1.0}
    for word in sentence:
        after: dict[int, float] = {}
        for arc in range(len(automaton.word)):
            source, said, target = (int(x[arc]) for x in (automaton.source, automaton.word, automaton.target))
            if said == word and source in here:
                after[target] = after.get(target, 0.0) + here[source] * float(automaton.probability[arc])
        here = after
    return sum(here.values())


@pytest.fixture(scope="module")
def language(small):
    sentences = {s: _probability(small, s) for s in product(range(V), repeat=T)}
    return {s: p for s, p in sentences.items() if p > 0}


def _evidence(seed, *shape):
    return torch.rand(*shape, dtype=torch.float64, generator=torch.Generator().manual_seed(seed))


def test_all_sentences_together_have_probability_1(language):
    assert sum(language.values()) == pytest.approx(1.0)
    assert language[(A, A, PAD, PAD, PAD)] == pytest.approx(0.75 * 0.6)
    assert language[(B, A, C, B, PAD)] == pytest.approx(0.25 * 0.4 * 0.3 * 0.9)


def test_the_probability_of_a_sentence_is_that_of_its_path(small, language):
    for sentence, probability in language.items():
        evidence = torch.nn.functional.one_hot(torch.tensor([sentence]), V).double()
        assert small.log_probability(evidence).exp().item() == pytest.approx(probability)


def test_uncertain_evidence_is_summed_over_all_sentences(small, language):
    evidence = _evidence(1, 3, T, V)
    for b in range(3):
        want = sum(p * torch.prod(evidence[b, range(T), list(s)]).item() for s, p in language.items())
        assert small.log_probability(evidence)[b].exp().item() == pytest.approx(want)


def test_the_expected_word_is_that_of_enumeration(small, language):
    evidence = _evidence(2, 2, T, V)
    got = small.expected(evidence)
    for b, t in product(range(2), range(T)):
        want = torch.zeros(V, dtype=torch.float64)
        for sentence, probability in language.items():
            others = [evidence[b, i, word].item() for i, word in enumerate(sentence) if i != t]
            want[sentence[t]] += probability * torch.tensor(others, dtype=torch.float64).prod()
        assert torch.allclose(got[b, t], want / want.sum())


def test_distant_evidence_counts(small):
    evidence = torch.ones(1, T, V, dtype=torch.float64)
    evidence[0, 3] = torch.tensor([0.0, 0.0, 1.0, 0.0])  # the fourth word is b
    assert torch.allclose(small.expected(evidence)[0, 0], torch.tensor([0.0, 0.0, 1.0, 0.0]).double())


def test_samples_are_as_frequent_as_they_are_probable(small, language):
    count = 40_000
    drawn = small.sample(count, T, torch.Generator().manual_seed(4))
    found, counts = drawn.unique(dim=0, return_counts=True)
    for sentence, times in zip(found.tolist(), counts.tolist(), strict=True):
        p = language[tuple(sentence)]
        assert abs(times - count * p) < 6 * (count * p * (1 - p)) ** 0.5 + 1


def test_evidence_that_no_sentence_gives_is_an_error(small):
    evidence = torch.ones(2, T, V, dtype=torch.float64)
    evidence[1, 0] = torch.tensor([1.0, 0.0, 0.0, 1.0])
    with pytest.raises(ValueError, match="none such in row 1"):
        small.expected(evidence)


def test_arcs_that_do_not_add_up_to_1_are_an_error():
    one = torch.zeros(1, dtype=torch.int64)
    with pytest.raises(ValueError, match=r"got 0\.5 for state 0"):
        Automaton(1, one, one, one, torch.tensor([0.5], dtype=torch.float64))


def test_next_word_is_the_share_among_sentences_with_this_prefix(small, language):
    sentences = torch.tensor([*language])
    found = small.following(sentences, V)
    assert found.shape == (len(sentences), T + 1, V)
    for row, sentence in enumerate(language):
        for n in range(T):
            alike = {s: p for s, p in language.items() if s[:n] == sentence[:n]}
            want = [sum(p for s, p in alike.items() if s[n] == word) / sum(alike.values()) for word in range(V)]
            torch.testing.assert_close(found[row, n], torch.tensor(want, dtype=torch.float64))
    torch.testing.assert_close(found[:, T].sum(dim=1), torch.ones(len(sentences)).double())


def test_the_chain_rule_gives_the_probability_of_a_sentence(small, language):
    sentences = torch.tensor([*language])
    steps = small.following(sentences, V)[:, :-1].gather(2, sentences[..., None])[..., 0]
    torch.testing.assert_close(steps.prod(dim=1), torch.tensor([*language.values()], dtype=torch.float64))


def test_empty_prefix_gives_the_first_word(small):
    nothing = small.following(torch.zeros(1, 0, dtype=torch.int64), V)
    torch.testing.assert_close(nothing[0, 0], torch.tensor([0, 0.75, 0.25, 0], dtype=torch.float64))


def test_impossible_prefix_is_an_error(small):
    with pytest.raises(ValueError, match="row 1"):
        small.following(torch.tensor([[A, A], [C, A]]), V)
