"""The references of lessons 2 to 4 against PyTorch's own modules, with the weights copied over, in float64."""

import math
import warnings

import pytest
import torch
from drawn_weights import filled
from known import LESSONS
from torch import nn

from autograder.checks.inputs import Draw
from autograder.content.references import source_of
from autograder.lessons.attention import references as attention
from autograder.lessons.multi_head_attention import references as multi_head
from autograder.lessons.transformer import references as transformer
from autograder.lessons.transformer.checks import check_parameter_count
from autograder.lessons.transformer_blocks import references as blocks
from course_lib.layers import TransformerConfig, make_model

WIDTH, HEADS, HIDDEN = 12, 3, 17
B, N, N_M = 2, 5, 7


@pytest.fixture
def draw():
    return Draw(3, "references")


def copy_attention(theirs, ours):
    theirs.in_proj_weight.copy_(torch.cat([ours.W_Q.weight, ours.W_K.weight, ours.W_V.weight]))
    theirs.in_proj_bias.copy_(torch.cat([ours.W_Q.bias, ours.W_K.bias, ours.W_V.bias]))
    theirs.out_proj.weight.copy_(ours.W_O.weight)
    theirs.out_proj.bias.copy_(ours.W_O.bias)


def copy_rest(theirs, ours):
    for linear, mine in ((theirs.linear1, ours.feed_forward.W_1), (theirs.linear2, ours.feed_forward.W_2)):
        linear.weight.copy_(mine.weight)
        linear.bias.copy_(mine.bias)
    for number in (1, 2, 3):
        if hasattr(theirs, f"norm{number}"):
            norm, mine = getattr(theirs, f"norm{number}"), getattr(ours, f"norm_{number}")
            norm.weight.copy_(mine.gamma)
            norm.bias.copy_(mine.beta)


@torch.no_grad()
def copy_encoder_block(theirs, ours):
    copy_attention(theirs.self_attn, ours.attention)
    copy_rest(theirs, ours)


@torch.no_grad()
def copy_decoder_block(theirs, ours):
    copy_attention(theirs.self_attn, ours.self_attention)
    copy_attention(theirs.multihead_attn, ours.cross_attention)
    copy_rest(theirs, ours)


def options(norm, activation):
    return {
        "dropout": 0.0,
        "activation": activation,
        "batch_first": True,
        "norm_first": norm == "pre",
        "dtype": torch.float64,
    }


def same_with_gradients(ours, theirs, *inputs):
    leaves = [x.clone().requires_grad_() for x in inputs]
    others = [x.clone().requires_grad_() for x in inputs]
    mine, other = ours(*leaves), theirs(*others)
    torch.testing.assert_close(mine, other)
    cotangent = torch.randn_like(mine)
    for got, want in zip(
        torch.autograd.grad(mine, leaves, cotangent), torch.autograd.grad(other, others, cotangent), strict=True
    ):
        torch.testing.assert_close(got, want)


@pytest.mark.parametrize(("width", "heads"), [(2, 1), (6, 3), (33, 3), (20, 5)])
def test_multi_head_attention_equals_pytorchs(draw, width, heads):
    ours = filled(multi_head.MultiHeadAttention(width, heads), draw)
    theirs = nn.MultiheadAttention(width, heads, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        copy_attention(theirs, ours)
    X, Z, V = draw.normal(B, N, width), draw.normal(B, N_M, width), draw.normal(B, N_M, width)
    same_with_gradients(lambda *x: ours(*x)[0], lambda *x: theirs(*x)[0], X, Z, V)
    allowed = draw.allowed(B, heads, N, N_M)
    for got, want in zip(
        ours(X, Z, V, allowed),
        theirs(X, Z, V, attn_mask=~allowed.flatten(0, 1), average_attn_weights=False),
        strict=True,
    ):
        torch.testing.assert_close(got, want)


def test_a_query_that_may_attend_to_nothing_gets_the_bias(draw):
    ours = filled(multi_head.MultiHeadAttention(WIDTH, HEADS), draw)
    Y, A = ours(draw.normal(B, N, WIDTH), allowed=torch.zeros(N, dtype=torch.bool))
    assert not A.any()
    torch.testing.assert_close(Y, ours.W_O.bias.expand_as(Y))


def test_the_cache_changes_nothing(draw):
    whole = filled(multi_head.MultiHeadAttention(WIDTH, HEADS), draw)
    cached = multi_head.CachedSelfAttention(WIDTH, HEADS).double()
    cached.load_state_dict(whole.state_dict())
    X = draw.normal(B, N, WIDTH)
    want, _ = whole(X, allowed=attention.causal_mask(N))
    cache, outputs = None, []
    for piece in X.split([2, 1, 2], 1):
        Y, cache = cached(piece, cache)
        outputs.append(Y)
    torch.testing.assert_close(torch.cat(outputs, 1), want)


def test_convolutional_attention_is_attention_over_the_pixels(draw):
    layer = filled(multi_head.ConvSelfAttention(4, 3), draw)
    X = draw.normal(B, 4, 2, 5)
    pixels = X.permute(0, 2, 3, 1).reshape(B, 10, 4)
    Q, K, V = (pixels @ W.weight[:, :, 0, 0].T + W.bias for W in (layer.W_Q, layer.W_K, layer.W_V))
    Y, A = attention.scaled_dot_product_attention(Q, K, V)
    want = pixels + Y @ layer.W_O.weight[:, :, 0, 0].T + layer.W_O.bias
    got, weights = layer(X)
    torch.testing.assert_close(weights, A)
    torch.testing.assert_close(got, want.reshape(B, 2, 5, 4).permute(0, 3, 1, 2))


def test_layer_norm_equals_pytorchs(draw):
    ours = filled(blocks.LayerNorm(WIDTH, 1e-3), draw)
    X = draw.normal(B, N, WIDTH)
    same_with_gradients(ours, lambda x: nn.functional.layer_norm(x, (WIDTH,), ours.gamma, ours.beta, 1e-3), X)


def test_positions_by_hand():
    P = blocks.sinusoidal_positions(3, 5)
    for position in range(3):
        for i, k in enumerate((0, 0, 2, 2, 4)):
            angle = position / 10000 ** (k / 5)
            assert P[position, i].item() == pytest.approx((math.sin, math.cos)[i % 2](angle), abs=1e-6)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
def test_blocks_equal_pytorchs(draw, norm, activation):
    arguments = (WIDTH, HEADS, HIDDEN, 0.0, norm, activation)
    X, memory = draw.normal(B, N, WIDTH), draw.normal(B, N_M, WIDTH)
    ours = filled(blocks.EncoderBlock(*arguments), draw)
    theirs = nn.TransformerEncoderLayer(WIDTH, HEADS, HIDDEN, **options(norm, activation))
    copy_encoder_block(theirs, ours)
    same_with_gradients(lambda x: ours(x)[0], theirs, X)
    ours = filled(blocks.DecoderBlock(*arguments), draw)
    theirs = nn.TransformerDecoderLayer(WIDTH, HEADS, HIDDEN, **options(norm, activation))
    copy_decoder_block(theirs, ours)
    hidden = ~attention.causal_mask(N)
    same_with_gradients(lambda x, m: ours(x, m)[0], lambda x, m: theirs(x, m, tgt_mask=hidden), X, memory)
    padding = torch.arange(N_M) < torch.tensor([[3], [7]])
    got, _ = ours(X, memory, memory_allowed=padding[:, None, None])
    torch.testing.assert_close(got, theirs(X, memory, tgt_mask=hidden, memory_key_padding_mask=~padding))


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_stacks_equal_pytorchs(draw, norm):
    arguments = (2, WIDTH, HEADS, HIDDEN, 0.0, norm)
    encoder, decoder = filled(transformer.Encoder(*arguments), draw), filled(transformer.Decoder(*arguments), draw)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it tells that a fast path is not taken
        theirs = nn.Transformer(WIDTH, HEADS, 2, 2, HIDDEN, **options(norm, "relu"))
    for stack, ours, copy in (
        (theirs.encoder, encoder, copy_encoder_block),
        (theirs.decoder, decoder, copy_decoder_block),
    ):
        for layer, block in zip(stack.layers, ours.blocks, strict=True):
            copy(layer, block)
        if norm == "post":
            stack.norm = None  # nn.Transformer normalises once more at the end, whatever the blocks do
        else:
            with torch.no_grad():
                stack.norm.weight.copy_(ours.norm.gamma)
                stack.norm.bias.copy_(ours.norm.beta)
    X, Z = draw.normal(B, N_M, WIDTH), draw.normal(B, N, WIDTH)
    same_with_gradients(
        lambda x, z: decoder(z, encoder(x)[0])[0], lambda x, z: theirs(x, z, tgt_mask=~attention.causal_mask(N)), X, Z
    )


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("tied", [True, False])
def test_parameters_counted_by_hand(norm, tied):
    config = transformer.TransformerConfig(
        vocab_size=19,
        model_width=12,
        num_heads=3,
        hidden_width=17,
        encoder_blocks=2,
        decoder_blocks=3,
        norm=norm,
        tied=tied,
    )
    counted = sum(parameter.numel() for parameter in transformer.Transformer(config).parameters())
    assert transformer.parameter_count(config) == counted


@pytest.mark.parametrize(("fields", "published", "what"), check_parameter_count.KNOWN)
def test_a_known_answer_counts_published_models(fields, published, what):
    config = transformer.TransformerConfig(**fields)
    with torch.device("meta"):
        assert sum(parameter.numel() for parameter in transformer.layers.make_model(config).parameters()) == published
    assert transformer.parameter_count(config) == published


@pytest.mark.parametrize("more", [{}, {"classes": 0}])
def test_a_small_model_of_pictures_is_the_courses_own(more):
    fields = check_parameter_count.SMALL | check_parameter_count.VISION | more
    with torch.device("meta"):
        model = make_model(TransformerConfig(**fields))
    assert isinstance(model.class_token, nn.Parameter)  # no part holds it: who counts parts only is told by it
    counted = sum(parameter.numel() for parameter in model.parameters())
    assert transformer.parameter_count(transformer.TransformerConfig(**fields)) == counted


def test_the_source_of_a_reference_stands_alone():
    names: dict = {}
    exec(source_of(LESSONS.of("04-transformer"), ["Transformer", "MultiHeadAttention"]), names)
    assert names["MultiHeadAttention"](4, 2)(torch.zeros(1, 3, 4))[0].shape == (1, 3, 4)
    assert "blockwise_attention" not in names
