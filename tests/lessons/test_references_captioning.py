"""The references of the captioning lesson against PyTorch's functions, plain loops and enumeration, in float64."""

import ast
import itertools
import math

import pytest
import torch
import torch.nn.functional as F
from drawn_weights import filled
from known import COURSE
from torch.testing import assert_close

from autograder.checks.inputs import Draw
from autograder.lessons.captioning import references
from autograder.lessons.captioning.checks import tables
from autograder.lessons.captioning.references import END, PAD, START
from course_lib.layers import TableDecoder

B, N, V = 3, 5, 7


@pytest.fixture
def draw():
    return Draw(5, "captioning")


def random_table(draw):
    return draw.normal(V, V, V, scale=2.0), draw.normal(B, N, V)


def enumerated(table, features, most, finished=True):
    """Every caption over the whole vocabulary with its mean log-probability, one lookup after the other."""
    decoder = TableDecoder(table)
    P = torch.stack(
        [
            torch.log_softmax(decoder.step(torch.arange(V), torch.full((V, 1), a), features.expand(V, -1, -1))[0], -1)
            for a in range(V)
        ]
    ).tolist()
    others = [word for word in range(V) if word != END]
    lengths = range(most) if finished else [most]
    for inner in itertools.chain.from_iterable(itertools.product(others, repeat=n) for n in lengths):
        caption = [*inner, END] if finished else [*inner]
        before = [START, START, *caption]
        total = sum(P[a][b][c] for a, b, c in zip(before, before[1:], before[2:], strict=False))
        yield total / len(caption), caption


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("most", [1, 2, 3])
def test_a_beam_that_drops_nothing_finds_the_best_of_all_captions(seed, most):
    table, features = random_table(Draw(seed, "beam"))
    mean, caption = max(enumerated(table, features[:1], most))
    found, score = references.beam_search(references.TableDecoder(table), features[:1], V**most, most)
    assert found.tolist() == caption
    assert score == pytest.approx(mean)


@pytest.mark.parametrize("seed", range(5))
def test_without_an_end_the_best_unfinished_caption_is_found(seed):
    table, features = random_table(Draw(seed, "beam"))
    table[..., END] = -math.inf
    mean, caption = max(enumerated(table, features[:1], 3, finished=False))
    found, score = references.beam_search(references.TableDecoder(table), features[:1], V**3, 3)
    assert found.tolist() == caption
    assert score == pytest.approx(mean)


@pytest.mark.parametrize("seed", range(10))
def test_a_beam_of_one_is_greedy(seed):
    table, features = random_table(Draw(seed, "greedy"))
    decoder = references.TableDecoder(table)
    captions, _ = references.greedy_caption(decoder, features, max_length=9)
    for b in range(B):
        found, score = references.beam_search(decoder, features[b : b + 1], 1, 9)
        alone, _ = references.greedy_caption(decoder, features[b : b + 1], max_length=9)
        assert found.tolist() == alone[0].tolist() == tables.greedy(table, features[b].mean(0), 9)
        assert captions[b].tolist() == [*found.tolist(), *[PAD] * (captions.shape[1] - len(found))]
        values = tables.log_probabilities(table, features[b].mean(0), found.tolist())
        assert score == pytest.approx(tables.mean(values))


def test_greedy_returns_the_weights_of_every_step(draw):
    table, features = random_table(draw)
    captions, weights = references.greedy_caption(references.TableDecoder(table), features, max_length=4)
    given = F.pad(captions[:, :-1], (1, 0), value=START)
    assert torch.equal(weights, F.one_hot(given % N, N).double())


def test_the_two_table_decoders_are_one(draw):
    table, features = random_table(draw)
    ours, theirs = references.TableDecoder(table), TableDecoder(table)
    state, other = ours.first_state(features), theirs.first_state(features)
    assert torch.equal(state, other)
    for _ in range(4):
        words = draw.integers(V, B)
        results, others = ours.step(words, state, features), theirs.step(words, state, features)
        assert_close(results, others, rtol=0, atol=0)
        state = results[1]


@pytest.mark.parametrize("pad", [0, 3])
def test_the_loss_is_cross_entropy_that_ignores_padding(draw, pad):
    logits, captions = draw.normal(B, N, V).requires_grad_(), draw.integers(V, B, N)
    captions[:, -1] = pad
    want = F.cross_entropy(logits[:, :-1].flatten(0, 1), captions[:, 1:].flatten(), ignore_index=pad)
    loss = references.caption_loss(logits, captions, pad)
    assert_close(loss, want)
    assert_close(*(torch.autograd.grad(x, logits, retain_graph=True)[0] for x in (loss, want)))


@pytest.mark.parametrize("T", [1, 3])
def test_without_a_target_the_loss_and_its_gradients_are_0(draw, T):
    logits = draw.normal(B, T, V).requires_grad_()
    loss = references.caption_loss(logits, torch.full((B, T), PAD))
    assert loss.shape == ()
    assert loss == 0
    assert torch.autograd.grad(loss, logits)[0].eq(0).all()


def test_additive_attention_is_what_its_equation_says(draw):
    state_width, width, hidden = 11, 7, 3
    module = filled(references.AdditiveAttention(state_width, width, hidden), draw)
    state, features = draw.normal(B, state_width), draw.normal(B, N, width)
    allowed = draw.allowed(B, N)
    allowed[1] = False
    module.requires_grad_(False)
    for mask in (None, allowed):
        context, weights = module(state, features, mask)
        for b in range(B):
            shown = [i for i in range(N) if mask is None or bool(mask[b, i])]
            e = [
                float(module.v.weight[0] @ torch.tanh(module.W.weight @ state[b] + module.U.weight @ features[b, i]))
                for i in shown
            ]
            want = torch.zeros(N, dtype=torch.float64)
            for i, value in zip(shown, e, strict=True):
                want[i] = math.exp(value) / sum(map(math.exp, e))
            assert_close(weights[b], want)
            assert_close(context[b], sum((want[i] * features[b, i] for i in range(N)), torch.zeros(width).double()))


@pytest.mark.parametrize("seed", range(20))
def test_in_a_spaced_table_no_two_words_are_nearly_alike(seed):
    draw = Draw(seed, "spaced")
    table = tables.spaced_table(draw, V)
    _, means = tables.whole_features(draw, B, N, V)
    logits = (table + means[:, None, None, None]).flatten(0, 2)
    assert logits.sort(dim=-1).values.diff(dim=-1).min() > 0.9 / V


def test_regulariser_has_a_gradient_at_zero_weights():
    source = (COURSE.root / "solutions/06-captioning/captioning.py").read_text(encoding="utf8")
    given = next(part for part in ast.parse(source).body if getattr(part, "name", "") == "loss_with")
    names = {"torch": torch, "caption_loss": references.caption_loss}
    exec(ast.unparse(given), names)  # the lesson's own code, which no module holds
    for price in (0, 0.003):
        weights = torch.tensor([[[1.0, 0.0], [0.5, 0.5]]], requires_grad=True)
        model = lambda features, captions: (torch.zeros(1, 3, V), weights)  # noqa: E731, B023 - used before the next turn
        names["loss_with"](price)(model, (None, torch.tensor([[START, 5, END]]))).backward()
        assert weights.grad.isfinite().all()
