"""The references of lesson 08 against enumeration, PyTorch's functions and the language's automaton, in float64."""

from itertools import product

import pytest
import torch
from drawn_weights import filled
from torch import nn
from torch.testing import assert_close

from autograder.checks.inputs import Draw
from autograder.lessons.in_context_learning import references
from course_lib.data import draw_chains
from course_lib.data.automata import AutomatonBuilder, split
from course_lib.generators import generator_of


@pytest.fixture
def draw():
    return Draw(5, "in context")


def test_one_layer_in_each_direction_is_torchs_bidirectional_lstm(draw):
    model = filled(references.BidirectionalLanguageModel(11, 5, 1), draw)
    both = nn.LSTM(5, 5, batch_first=True, bidirectional=True).double()
    ahead, back = model.ahead[0].state_dict(), model.back[0].state_dict()
    both.load_state_dict(ahead | {f"{name}_reverse": value for name, value in back.items()})
    ids = draw.integers(11, 3, 7)
    logits, backward, states = model(ids)
    want = both(model.embedding(ids))[0]
    assert_close(states[1], want)
    assert_close(logits, model.output(want[:, :-1, :5]))
    assert_close(backward, model.output(want[:, 1:, 5:]))


def test_counting_is_the_mean_of_all_tables_that_are_still_possible():
    """The posterior mean, by sampling tables from the prior and weighting each with the probability of what was seen."""
    generator, V = torch.Generator().manual_seed(1), 2
    ids = torch.tensor([[0, 1, 1, 0, 1]])
    _, tables = draw_chains(400_000, 1, generator, V, 0.7)
    weight = torch.ones(len(tables)).double()
    for i, token in enumerate(ids[0].tolist()):
        if i:
            weight = weight * tables[:, ids[0, i - 1], token]
        want = (weight[:, None] * tables[:, token]).sum(0) / weight.sum()
        assert_close(references.predict_by_counts(ids, V, 0.7)[0, i], want, atol=0.004, rtol=0)


def test_nothing_predicts_better_than_counting(draw):
    ids, _ = draw_chains(3000, 33, generator_of(2), 4, 0.3)
    losses = {}
    for prior in (0.1, 0.3, 1.0):
        P = references.predict_by_counts(ids[:, :-1], 4, prior)
        losses[prior] = float(-P.gather(2, ids[:, 1:, None]).log().mean())
    assert losses[0.3] == min(losses.values())


def test_induction_score_equals_one_by_hand():
    ids = torch.tensor([[0, 1, 2, 0, 1]])  # token 3 looks for the 1 at 1, token 4 for the 2 at 2
    A = torch.zeros(1, 2, 5, 5).double()
    A[0, 0, 3, 1], A[0, 0, 4, 2] = 1.0, 0.5
    A[0, 1, 3, 0] = A[0, 1, 4, 1] = 1.0  # the copies themselves
    assert_close(references.induction_score(A, ids), torch.tensor([0.75, 0.0]).double())
    assert_close(references.induction_score(A[:, :, :3, :3], ids[:, :3]), torch.zeros(2).double())


def test_the_next_token_is_that_of_the_automaton():
    builder = AutomatonBuilder()
    first, other = split([(0, 1.0)], 0.6)
    ends = [*builder.add(builder.add(first, {1: 0.7, 2: 0.3}), {3: 0.8, 1: 0.2}), *builder.add(other, {2: 1.0})]
    automaton = builder.finish(ends, pad=0)
    everything = torch.tensor([*product(range(4), repeat=3)])
    chances = automaton.log_probability(nn.functional.one_hot(everything, 4).double()).exp()
    sentences, chances = everything[chances > 0], chances[chances > 0]
    P, H = references.next_token_limit(sentences, chances, 4)
    assert_close(P, automaton.following(sentences, 4)[:, :-1])
    assert_close(H.sum(), -(chances * chances.log()).sum())  # the chain rule


def test_next_token_limit_equals_the_lessons_three_sentences():
    sentences, chances = torch.tensor([[0, 1, 3], [0, 2, 3], [0, 2, 4]]), torch.tensor([0.5, 0.3, 0.2]).double()
    P, H = references.next_token_limit(sentences, chances, 5)
    assert_close(P[1, 2], torch.tensor([0, 0, 0, 0.6, 0.4]).double())
    assert_close(H, torch.tensor([0.0, 0.693147, 0.336506]).double(), atol=1e-6, rtol=0)


def test_the_mix_of_one_layer_is_that_layer(draw):
    states = draw.normal(1, 2, 3, 5)
    assert_close(references.scalar_mix(states, draw.normal(1), torch.tensor(2.0).double()), 2 * states[0])
