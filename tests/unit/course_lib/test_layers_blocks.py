"""Blocks and stacks: what holds by construction. That they equal PyTorch's is in test_layers_against_torch.py."""

import math

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from course_lib.layers import Decoder, DecoderBlock, Encoder, EncoderBlock, padding_mask

B, H, D_H, N, N_S, HIDDEN = 2, 3, 5, 7, 11, 13
D = H * D_H
both_norms = pytest.mark.parametrize("norm", ["post", "pre"])
with_and_without_weights = pytest.mark.parametrize("need_weights", [True, False])


def draw(generator, *shape):
    return torch.randn(*shape, dtype=torch.float64, generator=generator)


def assert_same(mine, theirs):
    assert_close(mine, theirs, rtol=1e-10, atol=1e-12)


def own_parameters(layer, generator):
    for parameter in layer.double().parameters():
        nn.init.normal_(parameter, std=0.5, generator=generator)
    return layer


def test_the_names_of_the_parts():
    assert [name for name, _ in EncoderBlock(D, H, HIDDEN).named_children()] == [
        "attention",
        "feed_forward",
        "norm_1",
        "norm_2",
        "dropout",
    ]
    assert [name for name, _ in DecoderBlock(D, H, HIDDEN).named_children()] == [
        "self_attention",
        "cross_attention",
        "feed_forward",
        "norm_1",
        "norm_2",
        "norm_3",
        "dropout",
    ]
    assert len(Encoder(3, D, H, HIDDEN).blocks) == len(Decoder(3, D, H, HIDDEN).blocks) == 3


@both_norms
@with_and_without_weights
def test_with_a_dropout_of_1_the_sub_layers_add_nothing(generator, norm, need_weights):
    X, memory = draw(generator, B, N, D), draw(generator, B, N_S, D)
    block = own_parameters(EncoderBlock(D, H, HIDDEN, 1.0, norm), generator)
    expected = X if norm == "pre" else block.norm_2(block.norm_1(X))
    assert_same(block(X, need_weights=need_weights)[0], expected)
    block = own_parameters(DecoderBlock(D, H, HIDDEN, 1.0, norm), generator)
    expected = X if norm == "pre" else block.norm_3(block.norm_2(block.norm_1(X)))
    assert_same(block(X, memory, need_weights=need_weights)[0], expected)


@with_and_without_weights
def test_dropout_acts_on_what_each_sub_layer_adds(generator, need_weights):
    torch.manual_seed(1729)
    rate, length = 0.25, 101
    block = own_parameters(EncoderBlock(D, H, HIDDEN, rate, "pre"), generator)
    block.attention.dropout.p = block.feed_forward.dropout.p = 0.0
    X = draw(generator, B, length, D)
    for silent, loud in (("W_2", block.attention), ("W_O", block.feed_forward)):
        own_parameters(block, generator)
        for name, part in block.named_modules():
            if name.endswith(silent):
                nn.init.zeros_(part.weight)
                nn.init.zeros_(part.bias)
        added = (loud(block.norm_1(X))[0] if silent == "W_2" else loud(block.norm_2(X))).detach()
        found = block(X, need_weights=need_weights)[0].detach() - X
        kept = found.abs() > 1e-12
        assert_close(found[kept], added[kept] / (1 - rate), rtol=1e-7, atol=1e-9)
        share = 1 - kept.double().mean().item()
        assert abs(share - rate) < 5 * math.sqrt(rate * (1 - rate) / kept.numel())


@both_norms
@with_and_without_weights
def test_the_blocks_of_a_stack_are_applied_in_turn_and_share_nothing(generator, norm, need_weights):
    X, memory = draw(generator, B, N, D), draw(generator, B, N_S, D)
    encoder = own_parameters(Encoder(3, D, H, HIDDEN, norm=norm), generator)
    decoder = own_parameters(Decoder(3, D, H, HIDDEN, norm=norm), generator)
    for stack, others in ((encoder, ()), (decoder, (memory,))):
        assert len({id(parameter) for block in stack.blocks for parameter in block.parameters()}) == 3 * len(
            list(stack.blocks[0].parameters())
        )
        expected, weights = X, []
        for block in stack.blocks:
            expected, A = block(expected, *others)
            weights.append(A[1] if others else A)
        Y, found = stack(X, *others, need_weights=need_weights)
        assert_same(Y, stack.norm(expected) if norm == "pre" else expected)
        assert len(found) == (3 if need_weights else 0)
        for A, wanted in zip(found, weights, strict=False):
            assert_same(A, wanted)


@both_norms
def test_only_pre_norm_stacks_have_a_last_norm(norm):
    for stack in (Encoder(2, D, H, HIDDEN, norm=norm), Decoder(2, D, H, HIDDEN, norm=norm)):
        assert (stack.norm is not None) == (norm == "pre")
        assert any(name.startswith("norm.") for name in stack.state_dict()) == (norm == "pre")


@both_norms
@with_and_without_weights
def test_an_encoder_does_not_see_padding(generator, norm, need_weights):
    encoder = own_parameters(Encoder(2, D, H, HIDDEN, norm=norm), generator)
    X = draw(generator, B, N, D)
    allowed = padding_mask(torch.tensor([5, 2]), N)
    Y, _ = encoder(X, allowed, need_weights)
    assert_same(Y[0, :5], encoder(X[:1, :5])[0][0])
    assert_same(Y[1, :2], encoder(X[1:, :2])[0][0])


@with_and_without_weights
@both_norms
def test_a_decoder_sees_neither_later_positions_nor_the_padding_of_the_memory(generator, norm, need_weights):
    decoder = own_parameters(Decoder(2, D, H, HIDDEN, norm=norm), generator)
    X, memory = draw(generator, B, N, D), draw(generator, B, N_S, D)
    memory_allowed = padding_mask(torch.tensor([3, 11]), N_S)
    Y, _ = decoder(X, memory, memory_allowed=memory_allowed, need_weights=need_weights)
    for seen in range(1, N):
        assert_same(Y[:1, :seen], decoder(X[:1, :seen], memory[:1, :3])[0])
        assert_same(Y[1:, :seen], decoder(X[1:, :seen], memory[1:])[0])


@with_and_without_weights
def test_a_decoder_joins_its_mask_with_the_causal_one(generator, need_weights):
    block = own_parameters(DecoderBlock(D, H, HIDDEN), generator)
    X, memory = draw(generator, B, N, D), draw(generator, B, N_S, D)
    allowed = torch.ones(1, N, dtype=torch.bool)
    allowed[0, :2] = False  # padding on the left, so the first two positions see nothing
    Y, (A_self, _) = block(X, memory, allowed, need_weights=need_weights)
    assert Y.isfinite().all()
    assert_same(Y[:, 2:], block(X[:, 2:], memory)[0])
    if need_weights:
        assert (A_self[:, :, :2] == 0).all()


@with_and_without_weights
def test_memory_of_padding_only_leaves_the_bias_of_cross_attention(generator, need_weights):
    block = own_parameters(DecoderBlock(D, H, HIDDEN, norm="pre"), generator)
    X, memory = draw(generator, B, N, D), draw(generator, B, N_S, D)
    nothing = padding_mask(torch.tensor([0, 0]), N_S)
    Y, _ = block(X, memory, memory_allowed=nothing, need_weights=need_weights)
    after = X + block.self_attention(block.norm_1(X), causal=True)[0] + block.cross_attention.W_O.bias
    assert_same(Y, after + block.feed_forward(block.norm_3(after)))
    Y.pow(2).sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in block.parameters())


@both_norms
@with_and_without_weights
def test_eval_mode_restores_everything(generator, norm, need_weights):
    encoder = own_parameters(Encoder(2, D, H, HIDDEN, 0.5, norm), generator).eval()
    X = draw(generator, B, N, D)
    before = X.clone()
    first = encoder(X, need_weights=need_weights)[0]
    assert torch.equal(first, encoder(X, need_weights=need_weights)[0])
    assert_same(first, encoder(X)[0])
    assert torch.equal(X, before)


@both_norms
@with_and_without_weights
def test_training_leaves_its_inputs_alone(generator, norm, need_weights):
    X, memory = draw(generator, B, N, D), draw(generator, B, N_S, D)
    before = X.clone(), memory.clone()
    encoder = own_parameters(Encoder(1, D, H, HIDDEN, 0.5, norm), generator)
    decoder = own_parameters(Decoder(1, D, H, HIDDEN, 0.5, norm), generator)
    encoder(X, need_weights=need_weights)
    decoder(X, memory, need_weights=need_weights)
    assert torch.equal(X, before[0])
    assert torch.equal(memory, before[1])


@pytest.mark.parametrize("layer", [EncoderBlock, DecoderBlock])
def test_an_unknown_norm_is_an_error_that_names_the_known_ones(layer):
    with pytest.raises(ValueError, match=r'"post" .* or "pre" .*, got \'before\''):
        layer(D, H, HIDDEN, norm="before")


@pytest.mark.parametrize("layer", [EncoderBlock, DecoderBlock])
def test_other_bad_sizes_are_errors(layer):
    with pytest.raises(ValueError, match="got 4 heads for a width of 15"):
        layer(D, 4, HIDDEN)
    with pytest.raises(ValueError, match="got 'tanh'"):
        layer(D, H, HIDDEN, activation="tanh")
