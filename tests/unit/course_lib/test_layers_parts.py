"""LayerNorm, feed-forward and positions."""

import math

import pytest
import torch
import torch.nn.functional as F
from torch import nn
from torch.testing import assert_close

from course_lib.layers import FeedForward, LayerNorm, LearnedPositions, sinusoidal_positions

B, N, D, HIDDEN = 3, 7, 11, 17


def draw(generator, *shape):
    return torch.randn(*shape, dtype=torch.float64, generator=generator)


def assert_same(mine, theirs):
    assert_close(mine, theirs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize("leading", [(), (N,), (B, N)])
@pytest.mark.parametrize("eps", [1e-5, 1e-2])
def test_layer_norm_is_pytorchs_in_values_and_gradients(generator, leading, eps):
    mine, theirs = LayerNorm(D, eps).double(), nn.LayerNorm(D, eps).double()
    for part, other in ((mine.gamma, theirs.weight), (mine.beta, theirs.bias)):
        nn.init.normal_(part, generator=generator)
        other.data.copy_(part)
    X = draw(generator, *leading, D) * 5 + 3
    X_theirs = X.clone().requires_grad_()
    X.requires_grad_()
    Y, expected = mine(X), theirs(X_theirs)
    assert_same(Y, expected)
    Y.pow(3).sum().backward()
    expected.pow(3).sum().backward()
    for part, other in ((X, X_theirs), (mine.gamma, theirs.weight), (mine.beta, theirs.bias)):
        assert_same(part.grad, other.grad)


def test_layer_norm_by_hand():
    norm = LayerNorm(4, eps=0.0)
    assert torch.equal(norm.gamma, torch.ones(4))
    assert torch.equal(norm.beta, torch.zeros(4))
    X = torch.tensor([[1.0, 3.0, 3.0, 1.0], [10.0, 10.0, 10.0, 14.0]])
    third = 1 / math.sqrt(3)
    assert_close(norm(X), torch.tensor([[-1.0, 1.0, 1.0, -1.0], [-third, -third, -third, 3 * third]]))


def test_layer_norm_of_a_constant_is_beta():
    norm = LayerNorm(5)
    nn.init.constant_(norm.beta, 7.0)
    assert torch.equal(norm(torch.full((3, 5), 4.0)), torch.full((3, 5), 7.0))


def test_layer_norm_is_the_same_in_training_and_evaluation(generator):
    norm, X = LayerNorm(D).double(), draw(generator, B, N, D)
    assert torch.equal(norm.train()(X), norm.eval()(X))


@pytest.mark.parametrize(("activation", "function"), [("relu", F.relu), ("gelu", F.gelu)])
def test_feed_forward_written_out(generator, activation, function):
    layer = FeedForward(D, HIDDEN, activation=activation).double()
    X = draw(generator, B, N, D)
    hidden = function(X @ layer.W_1.weight.T + layer.W_1.bias)
    assert hidden.shape == (B, N, HIDDEN)
    assert_same(layer(X), hidden @ layer.W_2.weight.T + layer.W_2.bias)


def test_gelu_is_the_exact_one():
    layer = FeedForward(1, 1, activation="gelu").double()
    for part in (layer.W_1, layer.W_2):
        nn.init.ones_(part.weight)
    X = torch.linspace(-3, 3, 31, dtype=torch.float64)[:, None]
    assert_same(layer(X), X * (1 + torch.erf(X / math.sqrt(2))) / 2)


@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_dropout_in_feed_forward_acts_on_the_hidden_values(generator, activation):
    torch.manual_seed(1729)
    width, rate = 101, 0.25
    layer = FeedForward(width, width, rate, activation).double()
    nn.init.eye_(layer.W_2.weight)  # the output is the hidden values
    X = draw(generator, B, N, width)
    hidden, dropped = layer.eval()(X), layer.train()(X)
    kept = dropped != 0
    assert_same(dropped[kept], hidden[kept] / (1 - rate))
    alive = hidden != 0
    share = 1 - kept[alive].double().mean().item()
    assert abs(share - rate) < 5 * math.sqrt(rate * (1 - rate) / alive.sum().item())


@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("dropout", [0.0, 0.5])
def test_gradients_of_feed_forward(generator, activation, dropout):
    layer = FeedForward(3, 5, dropout, activation).double()

    def forward(X, *parameters):
        torch.manual_seed(1729)  # the same dropout every time
        names = [name for name, _ in layer.named_parameters()]
        return torch.func.functional_call(layer, dict(zip(names, parameters, strict=True)), X)

    inputs = [draw(generator, 2, 3), *(draw(generator, *parameter.shape) for parameter in layer.parameters())]
    assert torch.autograd.gradcheck(forward, [part.requires_grad_() for part in inputs])


def test_feed_forward_leaves_its_input_alone(generator):
    layer = FeedForward(D, HIDDEN, 0.5).double()
    X = draw(generator, B, N, D)
    before = X.clone()
    layer(X)
    assert torch.equal(X, before)


def test_no_position_of_feed_forward_sees_another(generator):
    layer = FeedForward(D, HIDDEN).double()
    X = draw(generator, N, D)
    assert_same(layer(X)[2:4], layer(X[2:4]))


@pytest.mark.parametrize("activation", ["tanh", "ReLU", ""])
def test_an_unknown_activation_is_an_error_that_names_the_known_ones(activation):
    with pytest.raises(ValueError, match=rf'"relu" .* or "gelu" .*, got {activation!r}'):
        FeedForward(D, HIDDEN, activation=activation)


@pytest.mark.parametrize("D", [1, 2, 7, 12])
def test_sinusoidal_positions_entry_by_entry(D):
    N = 13
    table = sinusoidal_positions(N, D)
    assert table.dtype == torch.float32
    assert table.shape == (N, D)
    for position in range(N):
        for column in range(D):
            angle = position / 10000 ** (2 * (column // 2) / D)
            expected = math.sin(angle) if column % 2 == 0 else math.cos(angle)
            assert table[position, column].item() == pytest.approx(expected, abs=1e-7)


def test_late_sinusoidal_positions_are_exact():
    table = sinusoidal_positions(100_003, 5)
    angle = 100_002 / 10000 ** (2 / 5)
    assert table[-1, 0].item() == pytest.approx(math.sin(100_002), abs=1e-7)
    assert table[-1, 3].item() == pytest.approx(math.cos(angle), abs=1e-7)


def test_no_positions_at_all():
    assert sinusoidal_positions(0, 5).shape == (0, 5)


def test_learned_positions_add_the_first_rows(generator):
    layer = LearnedPositions(13, D).double()
    X = draw(generator, B, N, D)
    assert_same(layer(X), X + layer.table[:N])
    layer(X).sum().backward()
    assert torch.equal(layer.table.grad[:N], torch.full((N, D), float(B), dtype=torch.float64))
    assert (layer.table.grad[N:] == 0).all()


def test_learned_positions_start_small():
    torch.manual_seed(1729)
    assert LearnedPositions(97, 101).table.std().item() == pytest.approx(0.02, rel=0.05)


def test_a_sequence_longer_than_the_learned_positions_is_an_error():
    layer = LearnedPositions(5, D)
    assert layer(torch.ones(1, 5, D)).shape == (1, 5, D)
    with pytest.raises(ValueError, match=r"at most max_length = 5 positions, got 7.*larger max_length"):
        layer(torch.ones(1, 7, D))


def test_the_layers_say_their_sizes():
    assert repr(LayerNorm(5)) == "LayerNorm(5, eps=1e-05)"
    assert repr(LearnedPositions(5, 7)) == "LearnedPositions(max_length=5, width=7)"
    assert "activation='gelu'" in repr(FeedForward(3, 5, activation="gelu"))
