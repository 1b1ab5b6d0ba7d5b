import math

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from course_lib.layers import MultiHeadAttention, attention_weights, causal_mask, padding_mask, split_heads

B, H, D_H, N_Q, N_K = 2, 3, 5, 7, 11
D = H * D_H
with_and_without_weights = pytest.mark.parametrize("need_weights", [True, False])


def draw(generator, *shape):
    return torch.randn(*shape, dtype=torch.float64, generator=generator)


def layer_of(generator, **options):
    layer = MultiHeadAttention(D, H, **options).double()
    for parameter in layer.parameters():
        nn.init.normal_(parameter, std=0.5, generator=generator)
    return layer


def assert_same(mine, theirs):
    assert_close(mine, theirs, rtol=1e-10, atol=1e-12)


def test_its_parts_are_four_square_maps():
    layer = MultiHeadAttention(D, H)
    names = [f"{part}.{kind}" for part in ("W_Q", "W_K", "W_V", "W_O") for kind in ("weight", "bias")]
    assert [name for name, _ in layer.named_parameters()] == names
    assert all(getattr(layer, name).weight.shape == (D, D) for name in ("W_Q", "W_K", "W_V", "W_O"))
    assert [name for name, _ in MultiHeadAttention(D, H, bias=False).named_parameters()] == names[::2]


def test_every_head_attends_with_its_own_columns(generator):
    layer = layer_of(generator)
    queries, keys, values = draw(generator, B, N_Q, D), draw(generator, B, N_K, D), draw(generator, B, N_K, D)
    Y, A = layer(queries, keys, values)
    outputs = []
    for h in range(H):
        own = slice(h * D_H, (h + 1) * D_H)
        weights = attention_weights(layer.W_Q(queries)[..., own], layer.W_K(keys)[..., own])
        assert_same(A[:, h], weights)
        outputs.append(weights @ layer.W_V(values)[..., own])
    assert_same(Y, layer.W_O(torch.cat(outputs, dim=-1)))


@with_and_without_weights
def test_keys_default_to_queries_and_values_to_keys(generator, need_weights):
    layer = layer_of(generator)
    X, M = draw(generator, B, N_Q, D), draw(generator, B, N_K, D)
    assert_same(layer(X, need_weights=need_weights)[0], layer(X, X, X)[0])
    assert_same(layer(X, M, need_weights=need_weights)[0], layer(X, M, M)[0])
    assert_same(layer(X, values=2 * X, need_weights=need_weights)[0], layer(X, X, 2 * X)[0])


@pytest.mark.parametrize("causal", [False, True])
def test_with_and_without_weights_agree_in_values_and_gradients(generator, causal):
    layer = layer_of(generator)
    X, M = draw(generator, B, N_Q, D), draw(generator, B, N_K, D)
    allowed = torch.rand(B, H, N_Q, N_K, generator=generator) < 0.3
    allowed[1, 2, 3] = False  # an empty row
    found = []
    for need_weights in (True, False):
        layer.zero_grad()
        Y, A = layer(X, M, allowed=allowed, need_weights=need_weights, causal=causal)
        assert (A is None) != need_weights
        Y.pow(2).sum().backward()
        found.append([Y, *(parameter.grad for parameter in layer.parameters())])
    for one, other in zip(*found, strict=True):
        assert one.isfinite().all()
        assert_same(one, other)


@with_and_without_weights
def test_an_example_of_padding_only_gets_the_last_bias(generator, need_weights):
    layer = layer_of(generator)
    X, M = draw(generator, B, N_Q, D), draw(generator, B, N_K, D)
    Y, A = layer(X, M, allowed=padding_mask(torch.tensor([0, 5]), N_K), need_weights=need_weights)
    assert_same(Y[0], layer.W_O.bias.expand(N_Q, D))
    assert_same(Y[1:], layer(X[1:], M[1:, :5])[0])
    if need_weights:
        assert (A[0] == 0).all()
        assert (A[1, ..., 5:] == 0).all()


@with_and_without_weights
@pytest.mark.parametrize("keys", [N_Q, N_K])
def test_causal_is_the_causal_mask(generator, need_weights, keys):
    layer = layer_of(generator)
    X, M = draw(generator, B, N_Q, D), draw(generator, B, keys, D)
    Y, A = layer(X, M, need_weights=need_weights, causal=True)
    expected, weights = layer(X, M, allowed=causal_mask(N_Q, keys))
    assert_same(Y, expected)
    assert A is None or torch.equal(A, weights)


def identity_layer(dropout):
    """A layer in which a head's output is what it takes from the values, so that Y shows the dropped weights."""
    layer = MultiHeadAttention(D, H, dropout).double()
    with torch.no_grad():
        for part in (layer.W_V, layer.W_O):
            part.weight.copy_(torch.eye(D))
    return layer


@with_and_without_weights
def test_dropout_acts_on_the_weights_and_what_is_returned_is_from_before(generator, need_weights):
    torch.manual_seed(1729)
    rate, batch, queries = 0.375, 17, 101
    layer = identity_layer(rate)
    X = draw(generator, batch, queries, D)
    keys = draw(generator, batch, D_H, D)
    values = torch.eye(D_H, dtype=torch.float64).repeat(batch, 1, H)  # value i is one-hot in every head
    A = layer.eval()(X, keys, values)[1]
    Y, returned = layer.train()(X, keys, values, need_weights=need_weights)
    dropped = split_heads(Y, H)  # (batch, H, queries, D_H): a weight for each of the D_H keys
    kept = dropped != 0
    assert_same(dropped[kept], A[kept] / (1 - rate))
    share = 1 - kept.double().mean().item()
    assert abs(share - rate) < 5 * math.sqrt(rate * (1 - rate) / kept.numel())
    if need_weights:
        assert_same(returned, A)


@with_and_without_weights
def test_there_is_no_dropout_in_eval_mode(generator, need_weights):
    layer = identity_layer(0.9).eval()
    X = draw(generator, B, N_Q, D)
    assert_same(layer(X, need_weights=need_weights)[0], layer(X)[0])


def test_examples_do_not_mix(generator):
    layer = layer_of(generator)
    X = draw(generator, B, N_Q, D)
    Y, A = layer(X)
    for b in range(B):
        assert_same(Y[b : b + 1], layer(X[b : b + 1])[0])
        assert_same(A[b : b + 1], layer(X[b : b + 1])[1])


def test_nothing_is_left_on_the_layer(generator):
    layer = layer_of(generator)
    before = set(vars(layer))
    layer(draw(generator, B, N_Q, D))
    assert set(vars(layer)) == before
    assert not list(layer.buffers())


def test_the_weights_start_after_glorot_and_the_biases_at_zero():
    torch.manual_seed(1729)
    layer = MultiHeadAttention(208, 13)
    bound = math.sqrt(6 / (208 + 208))
    for part in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O):
        assert part.weight.abs().max() <= bound
        assert part.weight.std().item() == pytest.approx(bound / math.sqrt(3), rel=0.02)
        assert (part.bias == 0).all()


def test_a_number_of_heads_that_does_not_divide_is_an_error():
    with pytest.raises(ValueError, match="got 4 heads for a width of 15"):
        MultiHeadAttention(15, 4)


def test_a_dropout_that_is_no_probability_is_an_error():
    with pytest.raises(ValueError, match="between 0 and 1"):
        MultiHeadAttention(15, 3, dropout=1.5)


@with_and_without_weights
def test_masks_that_do_not_fit_are_errors(generator, need_weights):
    layer = layer_of(generator)
    X = draw(generator, B, N_Q, D)
    for_each_example = torch.ones(B, N_Q, N_Q, dtype=torch.bool)
    for causal in (False, True):
        with pytest.raises(TypeError):
            layer(X, allowed=torch.zeros(N_Q, N_Q), need_weights=need_weights, causal=causal)
        with pytest.raises(ValueError, match=r"= \(2, 3, 7, 7\), got \(2, 7, 7\)"):
            layer(X, allowed=for_each_example, need_weights=need_weights, causal=causal)
