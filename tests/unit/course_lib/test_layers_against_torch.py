"""The layers against PyTorch's own, with the same weights in both: values and gradients, in float64."""

import pytest
import torch
from torch import nn
from torch.testing import assert_close

from course_lib.layers import (
    Decoder,
    DecoderBlock,
    Encoder,
    EncoderBlock,
    MultiHeadAttention,
    Transformer,
    TransformerConfig,
    causal_mask,
    padding_mask,
    sinusoidal_positions,
)

B, H, D_H, N, N_S, HIDDEN, BLOCKS = 3, 5, 7, 11, 13, 17, 2
D = H * D_H
LENGTHS = torch.tensor([13, 2, 7])
both_norms = pytest.mark.parametrize("norm", ["post", "pre"])
with_and_without_weights = pytest.mark.parametrize("need_weights", [True, False])


# Which parameters of ours belong to which of theirs. Theirs may hold several of ours, one below the other.


def linear_pairs(mine, theirs):
    yield [mine.weight], theirs.weight
    if mine.bias is not None:
        yield [mine.bias], theirs.bias


def norm_pairs(mine, theirs):
    yield [mine.gamma], theirs.weight
    yield [mine.beta], theirs.bias


def attention_pairs(mine, theirs):
    maps = (mine.W_Q, mine.W_K, mine.W_V)
    yield [part.weight for part in maps], theirs.in_proj_weight
    if theirs.in_proj_bias is not None:
        yield [part.bias for part in maps], theirs.in_proj_bias
    yield from linear_pairs(mine.W_O, theirs.out_proj)


def block_pairs(mine, theirs):
    if isinstance(mine, DecoderBlock):
        yield from attention_pairs(mine.self_attention, theirs.self_attn)
        yield from attention_pairs(mine.cross_attention, theirs.multihead_attn)
        yield from norm_pairs(mine.norm_3, theirs.norm3)
    else:
        yield from attention_pairs(mine.attention, theirs.self_attn)
    yield from linear_pairs(mine.feed_forward.W_1, theirs.linear1)
    yield from linear_pairs(mine.feed_forward.W_2, theirs.linear2)
    yield from norm_pairs(mine.norm_1, theirs.norm1)
    yield from norm_pairs(mine.norm_2, theirs.norm2)


def stack_pairs(mine, theirs):
    for block, layer in zip(mine.blocks, theirs.layers, strict=True):
        yield from block_pairs(block, layer)
    assert (mine.norm is None) == (theirs.norm is None)
    if mine.norm is not None:
        yield from norm_pairs(mine.norm, theirs.norm)


def same_parameters(mine, theirs, pairs, generator):
    """Draw all of my parameters anew, biases and norms too, and copy them into theirs. Returns both, in float64."""
    mine.double()
    theirs.double()
    for parameter in mine.parameters():
        nn.init.normal_(parameter, std=0.4, generator=generator)
    with torch.no_grad():
        for parts, whole in pairs(mine, theirs):
            whole.copy_(torch.cat(parts))
    return mine, theirs


def assert_same_gradients(mine, theirs, pairs):
    covered = 0
    for parts, whole in pairs(mine, theirs):
        assert_close(torch.cat([part.grad for part in parts]), whole.grad, rtol=1e-9, atol=1e-11)
        covered += whole.numel()
    assert covered == sum(parameter.numel() for parameter in mine.parameters())


def assert_same(mine, theirs):
    assert_close(mine, theirs, rtol=1e-9, atol=1e-11)


def draw(generator, *shape):
    return torch.randn(*shape, dtype=torch.float64, generator=generator)


def twice(X):
    """Two copies of an input that gather gradients apart."""
    return X.clone().requires_grad_(), X.clone().requires_grad_()


MASKS = {
    "none": lambda g: (None, {}),
    "queries by keys": lambda g: of_torch(torch.rand(N, N_S, generator=g) < 0.6),
    "each head its own": lambda g: of_torch(torch.rand(B, H, N, N_S, generator=g) < 0.6),
    "padding": lambda g: (padding_mask(LENGTHS, N_S), {"key_padding_mask": ~(torch.arange(N_S) < LENGTHS[:, None])}),
}


def of_torch(allowed):
    """Return a mask, with key 0 for everybody so that no row is empty, and the argument that says it to PyTorch."""
    allowed[..., 0] = True
    hidden = ~allowed if allowed.dim() == 2 else ~allowed.flatten(0, 1)
    return allowed, {"attn_mask": hidden}


@pytest.mark.parametrize("mask", MASKS)
@pytest.mark.parametrize("bias", [True, False])
@with_and_without_weights
def test_multi_head_attention_equals_torchs(generator, mask, bias, need_weights):
    mine, theirs = same_parameters(
        MultiHeadAttention(D, H, bias=bias),
        nn.MultiheadAttention(D, H, bias=bias, batch_first=True),
        attention_pairs,
        generator,
    )
    inputs = [twice(draw(generator, B, length, D)) for length in (N, N_S, N_S)]
    allowed, theirs_mask = MASKS[mask](generator)
    Y, A = mine(*(pair[0] for pair in inputs), allowed=allowed, need_weights=need_weights)
    expected, weights = theirs(*(pair[1] for pair in inputs), **theirs_mask, average_attn_weights=False)
    assert_same(Y, expected)
    assert A is None if not need_weights else A.shape == (B, H, N, N_S)
    loss, expected_loss = Y.pow(2).sum(), expected.pow(2).sum()
    if need_weights:  # a gradient through the weights as well
        assert_same(A, weights)
        loss, expected_loss = loss + A.pow(3).sum(), expected_loss + weights.pow(3).sum()
    loss.backward()
    expected_loss.backward()
    for ours, others in inputs:
        assert_same(ours.grad, others.grad)
    assert_same_gradients(mine, theirs, attention_pairs)


@both_norms
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@with_and_without_weights
def test_encoder_block_equals_torchs(generator, norm, activation, need_weights):
    options = {"activation": activation, "norm_first": norm == "pre", "dropout": 0.0, "batch_first": True}
    mine, theirs = same_parameters(
        EncoderBlock(D, H, HIDDEN, norm=norm, activation=activation),
        nn.TransformerEncoderLayer(D, H, HIDDEN, **options),
        block_pairs,
        generator,
    )
    X, X_theirs = twice(draw(generator, B, N_S, D))
    allowed = padding_mask(LENGTHS, N_S)
    Y, A = mine(X, allowed, need_weights=need_weights)
    expected = theirs(X_theirs, src_key_padding_mask=~allowed[:, 0, 0])
    assert_same(Y, expected)
    assert A is None if not need_weights else A.shape == (B, H, N_S, N_S)
    Y.pow(2).sum().backward()
    expected.pow(2).sum().backward()
    assert_same(X.grad, X_theirs.grad)
    assert_same_gradients(mine, theirs, block_pairs)


@both_norms
@with_and_without_weights
def test_causal_encoder_block_equals_torchs(generator, norm, need_weights):
    mine, theirs = same_parameters(
        EncoderBlock(D, H, HIDDEN, norm=norm),
        nn.TransformerEncoderLayer(D, H, HIDDEN, dropout=0.0, norm_first=norm == "pre", batch_first=True),
        block_pairs,
        generator,
    )
    X = draw(generator, B, N, D)
    expected = theirs(X, src_mask=~causal_mask(N))
    assert_same(mine(X, need_weights=need_weights, causal=True)[0], expected)
    assert_same(mine(X, causal_mask(N), need_weights)[0], expected)


@both_norms
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@with_and_without_weights
def test_decoder_block_equals_torchs(generator, norm, activation, need_weights):
    options = {"activation": activation, "norm_first": norm == "pre", "dropout": 0.0, "batch_first": True}
    mine, theirs = same_parameters(
        DecoderBlock(D, H, HIDDEN, norm=norm, activation=activation),
        nn.TransformerDecoderLayer(D, H, HIDDEN, **options),
        block_pairs,
        generator,
    )
    X, X_theirs = twice(draw(generator, B, N, D))
    memory, memory_theirs = twice(draw(generator, B, N_S, D))
    allowed, memory_allowed = padding_mask(torch.tensor([1, 11, 5]), N), padding_mask(LENGTHS, N_S)
    Y, weights = mine(X, memory, allowed, memory_allowed, need_weights=need_weights)
    expected = theirs(
        X_theirs,
        memory_theirs,
        tgt_mask=~causal_mask(N),
        tgt_key_padding_mask=~allowed[:, 0, 0],
        memory_key_padding_mask=~memory_allowed[:, 0, 0],
    )
    assert_same(Y, expected)
    shapes = [None if A is None else A.shape for A in weights]
    assert shapes == ([(B, H, N, N), (B, H, N, N_S)] if need_weights else [None, None])
    Y.pow(2).sum().backward()
    expected.pow(2).sum().backward()
    assert_same(X.grad, X_theirs.grad)
    assert_same(memory.grad, memory_theirs.grad)
    assert_same_gradients(mine, theirs, block_pairs)


def torch_encoder(norm, dropout):
    layer = nn.TransformerEncoderLayer(D, H, HIDDEN, dropout, norm_first=norm == "pre", batch_first=True)
    last = nn.LayerNorm(D) if norm == "pre" else None
    return nn.TransformerEncoder(layer, BLOCKS, norm=last, enable_nested_tensor=False)


def torch_decoder(norm, dropout):
    layer = nn.TransformerDecoderLayer(D, H, HIDDEN, dropout, norm_first=norm == "pre", batch_first=True)
    return nn.TransformerDecoder(layer, BLOCKS, norm=nn.LayerNorm(D) if norm == "pre" else None)


def encoders(norm, dropout, generator):
    mine = Encoder(BLOCKS, D, H, HIDDEN, dropout, norm)
    return same_parameters(mine, torch_encoder(norm, dropout), stack_pairs, generator)


def decoders(norm, dropout, generator):
    mine = Decoder(BLOCKS, D, H, HIDDEN, dropout, norm)
    return same_parameters(mine, torch_decoder(norm, dropout), stack_pairs, generator)


@both_norms
@with_and_without_weights
def test_encoder_equals_torchs(generator, norm, need_weights):
    mine, theirs = encoders(norm, 0.0, generator)
    X, X_theirs = twice(draw(generator, B, N_S, D))
    allowed = padding_mask(LENGTHS, N_S)
    Y, weights = mine(X, allowed, need_weights)
    expected = theirs(X_theirs, src_key_padding_mask=~allowed[:, 0, 0])
    assert_same(Y, expected)
    assert [A.shape for A in weights] == [(B, H, N_S, N_S)] * (BLOCKS if need_weights else 0)
    Y.pow(2).sum().backward()
    expected.pow(2).sum().backward()
    assert_same(X.grad, X_theirs.grad)
    assert_same_gradients(mine, theirs, stack_pairs)


@both_norms
def test_an_encoder_in_eval_mode_has_no_dropout(generator, norm):
    mine, theirs = encoders(norm, 0.3, generator)
    X = draw(generator, B, N_S, D)
    theirs.eval()
    with torch.no_grad():  # PyTorch takes another way here, with one operator for a whole block
        expected = theirs(X)
        for need_weights in (True, False):
            assert_same(mine.eval()(X, need_weights=need_weights)[0], expected)
            assert not torch.allclose(mine.train()(X, need_weights=need_weights)[0], expected)


@both_norms
@with_and_without_weights
def test_decoder_equals_torchs(generator, norm, need_weights):
    mine, theirs = decoders(norm, 0.0, generator)
    X, X_theirs = twice(draw(generator, B, N, D))
    memory, memory_theirs = twice(draw(generator, B, N_S, D))
    memory_allowed = padding_mask(LENGTHS, N_S)
    Y, weights = mine(X, memory, memory_allowed=memory_allowed, need_weights=need_weights)
    masks = {"tgt_mask": ~causal_mask(N), "memory_key_padding_mask": ~memory_allowed[:, 0, 0]}
    expected = theirs(X_theirs, memory_theirs, **masks)
    assert_same(Y, expected)
    assert [A.shape for A in weights] == [(B, H, N, N_S)] * (BLOCKS if need_weights else 0)
    Y.pow(2).sum().backward()
    expected.pow(2).sum().backward()
    assert_same(X.grad, X_theirs.grad)
    assert_same(memory.grad, memory_theirs.grad)
    assert_same_gradients(mine, theirs, stack_pairs)


class TorchTransformer(nn.Module):
    """nn.Transformer between embeddings and an output, which it leaves to others."""

    def __init__(self, vocab_size, norm, tied):
        super().__init__()
        stacks = {"custom_encoder": torch_encoder(norm, 0.0), "custom_decoder": torch_decoder(norm, 0.0)}
        self.embedding = nn.Embedding(vocab_size, D)
        self.transformer = nn.Transformer(D, H, **stacks, batch_first=True)
        self.output = None if tied else nn.Linear(D, vocab_size, bias=False)

    def forward(self, source, target, lengths):
        hidden = torch.arange(source.shape[1]) >= lengths[:, None]
        masks = {"tgt_mask": ~causal_mask(N), "src_key_padding_mask": hidden, "memory_key_padding_mask": hidden}
        Y = self.transformer(self.embed(source), self.embed(target), **masks)
        return Y @ (self.embedding if self.output is None else self.output).weight.T

    def embed(self, ids):
        return self.embedding(ids) * D**0.5 + sinusoidal_positions(ids.shape[1], D)


def transformer_pairs(mine, theirs):
    yield [mine.embedding.weight], theirs.embedding.weight
    yield from stack_pairs(mine.encoder, theirs.transformer.encoder)
    yield from stack_pairs(mine.decoder, theirs.transformer.decoder)
    if theirs.output is not None:
        yield from linear_pairs(mine.output, theirs.output)


@both_norms
@pytest.mark.parametrize("tied", [True, False])
@with_and_without_weights
def test_transformer_equals_torchs(generator, norm, tied, need_weights):
    vocab_size = 23
    sizes = {"model_width": D, "num_heads": H, "hidden_width": HIDDEN, "encoder_blocks": BLOCKS, "dropout": 0.0}
    config = TransformerConfig(vocab_size=vocab_size, decoder_blocks=BLOCKS, norm=norm, tied=tied, **sizes)
    mine, theirs = same_parameters(
        Transformer(config), TorchTransformer(vocab_size, norm, tied), transformer_pairs, generator
    )
    source = torch.randint(vocab_size, (B, N_S), generator=generator)
    target = torch.randint(vocab_size, (B, N), generator=generator)
    logits, weights = mine(source, target, LENGTHS, need_weights)
    expected = theirs(source, target, LENGTHS)
    assert_same(logits, expected)
    assert [A.shape for A in weights] == [(B, H, N, N_S)] * (BLOCKS if need_weights else 0)
    logits.pow(2).sum().backward()
    expected.pow(2).sum().backward()
    assert_same_gradients(mine, theirs, transformer_pairs)
