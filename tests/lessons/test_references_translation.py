"""The references of the translation lesson against PyTorch's functions, sacrebleu and plain counting, in float64."""

import math

import pytest
import sacrebleu
import torch
import torch.nn.functional as F
from drawn_weights import filled
from torch import nn
from torch.testing import assert_close

from autograder.checks.inputs import Draw
from autograder.lessons.translation import references
from autograder.lessons.translation.references import PAD
from course_lib.layers import TableDecoder

B, N, T, V = 3, 7, 5, 11


@pytest.fixture
def draw():
    return Draw(5, "translation")


def test_the_encoder_is_the_packed_one(draw):
    model, lengths = filled(references.RecurrentEncoder(V, 5, 3), draw), torch.tensor([4, 7, 1])
    source = draw.integers(V, B, N)
    packed = nn.utils.rnn.pack_padded_sequence(model.embedding(source), lengths, batch_first=True, enforce_sorted=False)
    want, _ = nn.utils.rnn.pad_packed_sequence(model.gru(packed)[0], batch_first=True, total_length=N)
    assert_close(model(source, lengths), want)


def test_additive_scores_pair_by_pair(draw):
    model = filled(references.AdditiveScores(3, 5, 2), draw)
    states, memory = draw.normal(B, T, 3), draw.normal(B, N, 5)
    for b, t, i in ((0, 0, 0), (2, 4, 6), (1, 3, 2)):
        one = model.v(torch.tanh(model.W(states[b, t]) + model.U(memory[b, i])))[0]
        assert_close(model(states, memory)[b, t, i], one)
        assert_close(references.dot_scores(states, memory[..., :3])[b, t, i], states[b, t] @ memory[b, i, :3])


def test_the_decoder_step_by_step(draw):
    model = filled(references.AttentionDecoder(V, 5, 4, 3, 2), draw)
    memory, words, allowed = draw.normal(B, N, 5), draw.integers(V, B, T), draw.allowed(B, N)
    state = torch.tanh(model.start(memory[:, 0]))
    logits, weights = model(memory, words, allowed)
    for t in range(T):
        state = model.cell(model.embedding(words[:, t]), state)
        for b in range(B):
            E = torch.stack([_score(model, state[b], vector) for vector in memory[b]])
            a = torch.zeros(N).double()
            a[allowed[b]] = torch.softmax(E[allowed[b]], dim=0)
            assert_close(weights[b, t], a)
            joined = torch.cat(((a[:, None] * memory[b]).sum(0), state[b]))
            assert_close(logits[b, t], model.output(torch.tanh(model.combine.weight @ joined)))


def _score(model, state, vector):
    return model.scores.v(torch.tanh(model.scores.W(state) + model.scores.U(vector)))[0]


@pytest.mark.parametrize("smoothing", [0.0, 0.1, 1.0])
def test_the_loss_is_pytorchs(draw, smoothing):
    logits, expected = draw.normal(B, T, V), 1 + draw.integers(V - 1, B, T)
    expected[0, 3:] = PAD
    real = expected != PAD
    want = F.cross_entropy(logits[real], expected[real], label_smoothing=smoothing)
    assert_close(references.smoothed_loss(logits, expected, smoothing), want)
    everywhere = F.cross_entropy(logits.transpose(1, 2), expected, label_smoothing=smoothing, ignore_index=PAD)
    assert_close(want, everywhere)


def test_the_rate_is_highest_at_the_end_of_the_warm_up():
    rates = [references.warmup_rate(step, 512) for step in range(1, 10_000)]
    assert rates.index(max(rates)) + 1 == 4000
    assert math.isclose(max(rates), 1 / math.sqrt(512 * 4000))


@pytest.mark.parametrize("kind", ["SGD", "Adam"])
def test_the_loop_gives_the_weights_of_pytorchs_own(draw, kind):
    torch.manual_seed(0)
    ours, theirs = nn.Linear(3, 1).double(), nn.Linear(3, 1).double()
    theirs.load_state_dict(ours.state_dict())
    batches = [(draw.normal(4, 3), draw.normal(4, 1, scale=9.0)) for _ in range(3)]
    make, rate_of = getattr(torch.optim, kind), lambda step: 0.1 / step

    def loss_of(model, batch):
        return F.mse_loss(model(batch[0]), batch[1])

    losses = references.train(ours, loss_of, batches, lambda p: make(p, lr=1.0), rate_of)
    optimizer = make(theirs.parameters(), lr=0.1)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: 1 / (step + 1))
    for batch, loss in zip(batches, losses, strict=True):
        value = loss_of(theirs, batch)
        assert loss == value.item()
        optimizer.zero_grad()
        value.backward()
        nn.utils.clip_grad_norm_(theirs.parameters(), 1.0)
        optimizer.step()
        schedule.step()
    for one, other in zip(ours.parameters(), theirs.parameters(), strict=True):
        assert_close(one, other)
    assert not ours.training


@pytest.mark.parametrize("power", [0.0, 0.5, 1.0])
@pytest.mark.parametrize("grows", [False, True])
def test_a_beam_that_drops_nothing_finds_the_highest_score(draw, power, grows):
    table = draw.normal(5, 5, 5, scale=2.0)
    P = torch.log_softmax(table, dim=-1)
    best = (-math.inf, ())
    for first in range(5):
        for second in range(5):
            for third in range(5):
                for text in ((first,), (first, second), (first, second, third)):
                    if text[-1] == references.END and references.END not in text[:-1]:
                        before = (1, 1, *text)
                        total = sum(float(P[a, b, c]) for a, b, c in zip(before, before[1:], text, strict=False))
                        best = max(best, (total / len(text) ** power, text))
    for decoder in (TableDecoder(table, grows), references.TableDecoder(table, grows)):
        found, score = references.beam_search(decoder, torch.zeros(1, 1, 5).double(), 125, 3, power)
        assert (pytest.approx(score), tuple(found.tolist())) == best


@pytest.mark.parametrize("seed", range(8))
def test_bleu_is_sacrebleus(seed):
    draw = Draw(seed, "bleu")

    def sentence():
        return [f"w{n}" for n in draw.integers(4, 4 + int(draw.integers(12))).tolist()]

    rights = [[sentence(), sentence()] for _ in range(6)]
    candidates = [[*one[0][: 3 + int(draw.integers(9))], "w1"] for one in rights]
    streams = [[" ".join(one[n]) for one in rights] for n in range(2)]
    theirs = sacrebleu.corpus_bleu(
        [" ".join(text) for text in candidates], streams, tokenize="none", smooth_method="none", force=True
    )
    assert references.bleu(candidates, rights) == pytest.approx(theirs.score / 100)


def test_alignment_errors_are_counted():
    found = torch.tensor([[True, False, True], [False, True, False]])
    sure = torch.tensor([[True, False, False], [False, False, True]])
    possible = sure | torch.tensor([[False, False, True], [False, False, False]])
    assert references.alignment_error_rate(found, sure, possible) == pytest.approx(1 - (1 + 2) / (3 + 2))


def test_the_transformer_writes_as_it_was_trained(draw):
    """Word by word the logits are those of all words at once, and padding changes nothing."""
    model = filled(references.TransformerTranslator(V, V + 2, 8, 2, 2, 5), draw)
    source, words = draw.integers(V, 2, N), draw.integers(V + 2, 2, T)
    allowed = torch.arange(N) < torch.tensor([[N], [3]])
    logits, weights = model(source, words, allowed)
    memory = model.encode(source, allowed)
    state = model.first_state(memory)
    for t in range(T):
        step, state, looked = model.step(words[:, t], state, memory, allowed)
        assert_close(step, logits[:, t])
        assert_close(looked, weights[:, t])
    assert_close(model(source[1:, :3], words[1:])[0], logits[1:])
    assert_close(weights.sum(dim=2), torch.ones(2, T).double())
