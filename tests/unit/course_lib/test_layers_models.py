"""Whole models: their configuration, their sizes, what they see and how they start."""

import dataclasses
import math
import subprocess
import sys

import pytest
import torch
import torch.nn.functional as F
from torch.testing import assert_close

from course_lib.layers import TransformerConfig, make_model, sinusoidal_positions

B, N, N_S, VOCABULARY = 3, 7, 11, 23
SMALL = TransformerConfig(
    vocab_size=VOCABULARY,
    model_width=15,
    num_heads=3,
    hidden_width=17,
    encoder_blocks=2,
    decoder_blocks=2,
    max_length=13,
    dropout=0.0,
    patch_size=5,
)
with_and_without_weights = pytest.mark.parametrize("need_weights", [True, False])


def small(kind="encoder-decoder", **changes):
    torch.manual_seed(1729)
    return make_model(dataclasses.replace(SMALL, kind=kind, **changes)).double()


def ids(generator, *shape):
    return torch.randint(VOCABULARY, shape, generator=generator)


def assert_same(mine, theirs):
    assert_close(mine, theirs, rtol=1e-10, atol=1e-12)


def count(**fields):
    with torch.device("meta"):
        return sum(parameter.numel() for parameter in make_model(TransformerConfig(**fields)).parameters())


def base(width=768, blocks=12, num_heads=12):
    sizes = {"model_width": width, "num_heads": num_heads, "hidden_width": 4 * width, "activation": "gelu"}
    return {**sizes, "encoder_blocks": blocks, "decoder_blocks": blocks}


def test_the_size_of_bert_base():
    sizes = base() | {"kind": "encoder", "vocab_size": 30522, "max_length": 512, "segments": 2}
    assert count(**sizes, pooler=True) == 109_482_240
    assert count(**sizes, pooler=False) == 109_482_240 - 768 * 768 - 768


@pytest.mark.parametrize(
    ("width", "blocks", "num_heads", "size"),
    [
        (768, 12, 12, 124_439_808),
        (1024, 24, 16, 354_823_168),
        (1280, 36, 20, 774_030_080),
        (1600, 48, 25, 1_557_611_200),
    ],
)
def test_the_sizes_of_gpt_2(width, blocks, num_heads, size):
    assert count(**base(width, blocks, num_heads), kind="decoder", vocab_size=50257, max_length=1024) == size


def test_the_size_of_vit_base_with_patches_of_16():
    assert count(**base(), kind="vision", classes=1000, patch_size=16, max_length=197) == 86_567_656


def test_the_size_of_the_first_transformer():
    attention, feed_forward, norm = 4 * (512 * 512 + 512), 2 * 512 * 2048 + 2048 + 512, 2 * 512
    blocks = 6 * (attention + feed_forward + 2 * norm) + 6 * (2 * attention + feed_forward + 3 * norm)
    assert count(vocab_size=37000) == 37000 * 512 + blocks == 63_082_496
    assert count(vocab_size=37000, tied=False) == 2 * 37000 * 512 + blocks
    assert count(vocab_size=37000, norm="pre") == 37000 * 512 + blocks + 2 * norm


def test_a_model_on_the_meta_device_takes_no_memory():
    with torch.device("meta"):
        model = make_model(SMALL)
    assert {part.device for part in (*model.parameters(), *model.buffers())} == {torch.device("meta")}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kind": "gpt"}, r"one of 'encoder-decoder', 'encoder', 'decoder', 'vision', got 'gpt'"),
        ({"norm": "middle"}, r'"post" .* or "pre" .*, got \'middle\''),
        ({"activation": "tanh"}, r'"relu" .* or "gelu" .*, got \'tanh\''),
        ({"num_heads": 4}, r"got 4 heads for a width of 15"),
        ({"num_heads": 0}, r"num_heads to be at least 1 .*, got 0"),
        ({"vocab_size": 0}, r"vocab_size to be at least 1 for kind=\"encoder-decoder\", got 0"),
        ({"encoder_blocks": -1}, r"encoder_blocks to be at least 0 .*, got -1"),
        ({"patch_size": 0}, r"patch_size to be at least 1 .*, got 0"),
        ({"dropout": 1.5}, r"dropout to be a probability, from 0 to 1, got 1\.5"),
    ],
)
def test_a_configuration_that_no_model_can_have_is_an_error(changes, message):
    with pytest.raises(ValueError, match=message):
        dataclasses.replace(SMALL, **changes)


def test_a_configuration_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        SMALL.model_width = 30


def test_every_field_of_a_configuration_is_documented():
    for field in dataclasses.fields(TransformerConfig):
        assert f"    {field.name}: " in TransformerConfig.__doc__, field.name


def test_a_vision_model_needs_no_vocabulary():
    assert TransformerConfig(kind="vision").vocab_size == 0


# Encoder-decoder


def test_a_tied_transformer_has_no_other_output():
    assert "output.weight" not in small().state_dict()
    assert small(tied=False).state_dict()["output.weight"].shape == (VOCABULARY, 15)


def test_a_checkpoint_does_not_hold_the_positions():
    assert not [name for name in small().state_dict() if "positions" in name]


@with_and_without_weights
def test_the_transformer_sees_neither_later_tokens_nor_padding(generator, need_weights):
    model = small(norm="pre")
    source, target, lengths = ids(generator, B, N_S), ids(generator, B, N), torch.tensor([11, 2, 5])
    logits, weights = model(source, target, lengths, need_weights)
    assert logits.shape == (B, N, VOCABULARY)
    assert [A.shape for A in weights] == [(B, 3, N, N_S)] * (2 if need_weights else 0)
    for b, length in enumerate(lengths):
        for seen in range(1, N + 1):
            alone, _ = model(source[b : b + 1, :length], target[b : b + 1, :seen])
            assert_same(logits[b : b + 1, :seen], alone)


def test_encode_and_decode_are_the_two_halves_of_the_transformer(generator):
    model = small()
    source, target = ids(generator, B, N_S), ids(generator, B, N)
    logits, weights = model.decode(target, model.encode(source))
    expected, expected_weights = model(source, target)
    assert_same(logits, expected)
    for A, wanted in zip(weights, expected_weights, strict=True):
        assert_same(A, wanted)


def test_sinusoidal_positions_have_no_longest_sequence(generator):
    short, long = small(max_length=5), small(max_length=101)
    long.load_state_dict(short.state_dict())
    source, target = ids(generator, B, N_S), ids(generator, B, N)
    assert_same(short(source, target)[0], long(source, target)[0])
    assert torch.equal(long.positions, sinusoidal_positions(101, 15).double())


@pytest.mark.parametrize("tied", [True, False])
@pytest.mark.parametrize("norm", ["post", "pre"])
def test_logits_start_of_order_1(generator, tied, norm):
    torch.manual_seed(1729)
    sizes = {"model_width": 64, "num_heads": 4, "hidden_width": 256, "encoder_blocks": 3, "decoder_blocks": 3}
    model = make_model(TransformerConfig(vocab_size=1009, **sizes, norm=norm, tied=tied, dropout=0.0))
    source, target, following = (torch.randint(1009, (31, 23), generator=generator) for _ in range(3))
    assert (model.embedding.weight * 64**0.5).std().item() == pytest.approx(1, rel=0.05)
    logits, _ = model(source, target)
    assert logits.std().item() == pytest.approx(1, rel=0.2)
    loss = F.cross_entropy(logits.flatten(0, 1), following.flatten()).item()
    assert loss == pytest.approx(math.log(1009) + 0.5, rel=0.05)  # E log Σ exp(z) = log n + 1/2 for normal z


@with_and_without_weights
def test_dropout_of_the_embeddings(generator, need_weights):
    model = small(dropout=1.0, norm="pre", tied=False)
    logits, _ = model(ids(generator, B, N_S), ids(generator, B, N), need_weights=need_weights)
    assert (logits == 0).all()  # nothing but the last norm's beta is left, which starts at 0


# BERT


@with_and_without_weights
def test_the_encoder_reads_in_both_directions_but_no_padding(generator, need_weights):
    model = small("encoder")
    tokens, lengths = ids(generator, B, N), torch.tensor([7, 3, 5])
    Y, weights = model(tokens, lengths=lengths, need_weights=need_weights)
    assert Y.shape == (B, N, 15)
    assert [A.shape for A in weights] == [(B, 3, N, N)] * (2 if need_weights else 0)
    for b, length in enumerate(lengths):
        assert_same(Y[b : b + 1, :length], model(tokens[b : b + 1, :length])[0])
    changed = tokens.clone()
    changed[0, -1] = (changed[0, -1] + 1) % VOCABULARY
    assert not torch.allclose(model(changed)[0][0, 0], model(tokens)[0][0, 0])


def test_the_embeddings_of_the_encoder_are_sums_of_three(generator):
    model = small("encoder", segments=2, encoder_blocks=0)
    tokens, segments = ids(generator, B, N), torch.randint(2, (B, N), generator=generator)
    total = model.embedding.weight[tokens] + model.segments.weight[segments] + model.positions.table[:N]
    assert_same(model(tokens, segments)[0], model.norm(total))
    assert_same(model(tokens)[0], model(tokens, torch.zeros_like(tokens))[0])


def test_the_pooler_reads_the_first_position(generator):
    model = small("encoder", pooler=True)
    Y, _ = model(ids(generator, B, N))
    assert_same(model.pool(Y), torch.tanh(Y[:, 0] @ model.pooler.weight.T + model.pooler.bias))


def test_missing_pooler_or_segments_are_errors(generator):
    model, tokens = small("encoder"), ids(generator, B, N)
    with pytest.raises(ValueError, match="pooler=True"):
        model.pool(model(tokens)[0])
    with pytest.raises(ValueError, match="segments=2"):
        model(tokens, torch.zeros_like(tokens))


# GPT-2


@pytest.mark.parametrize("tied", [True, False])
@with_and_without_weights
def test_the_language_model_sees_no_later_token(generator, tied, need_weights):
    model = small("decoder", tied=tied)
    tokens = ids(generator, B, N)
    logits, weights = model(tokens, need_weights)
    assert logits.shape == (B, N, VOCABULARY)
    assert [A.shape for A in weights] == [(B, 3, N, N)] * (2 if need_weights else 0)
    for seen in range(1, N + 1):
        assert_same(logits[:, :seen], model(tokens[:, :seen])[0])


def test_language_model_without_blocks(generator):
    model = small("decoder", decoder_blocks=0)
    tokens = ids(generator, B, N)
    X = model.embedding.weight[tokens] + model.positions.table[:N]
    assert_same(model(tokens)[0], F.layer_norm(X, (15,)) @ model.embedding.weight.T)


def test_the_language_model_starts_as_gpt_2():
    torch.manual_seed(1729)
    sizes = {"model_width": 96, "num_heads": 4, "hidden_width": 384, "decoder_blocks": 8, "max_length": 97}
    model = make_model(TransformerConfig(kind="decoder", vocab_size=101, **sizes))
    for name, parameter in model.named_parameters():
        if name.endswith(("bias", "beta")):
            assert (parameter == 0).all(), name
        elif name.endswith("gamma"):
            assert (parameter == 1).all(), name
        else:
            std = 0.02 / 4 if "W_O" in name or "W_2" in name else 0.02  # 16 additions
            assert parameter.std().item() == pytest.approx(std, rel=0.05), name


# ViT


@with_and_without_weights
def test_the_tokens_of_a_picture_are_its_patches_row_by_row(generator, need_weights):
    model = small("vision", classes=19)
    pictures = torch.randn(B, 3, 10, 15, dtype=torch.float64, generator=generator)
    logits, weights = model(pictures, need_weights)
    assert logits.shape == (B, 19)
    assert [A.shape for A in weights] == [(B, 3, 7, 7)] * (2 if need_weights else 0)
    matrix, bias = model.patches.weight.flatten(1), model.patches.bias
    corners = [(row, column) for row in (0, 5) for column in (0, 5, 10)]
    patches = [pictures[:, :, i : i + 5, j : j + 5].flatten(1) @ matrix.T + bias for i, j in corners]
    tokens = torch.stack((model.class_token[0].expand(B, -1), *patches), dim=1)
    Y, _ = model.encoder(tokens + model.positions.table[:7])
    assert_same(logits, model.head(Y[:, 0]))


def test_without_a_head_the_class_tokens_vector_is_returned(generator):
    model = small("vision")
    pictures = torch.randn(B, 3, 5, 10, dtype=torch.float64, generator=generator)
    assert model(pictures)[0].shape == (B, 15)
    assert model.head is None


def test_pictures_that_do_not_divide_into_patches_are_an_error():
    with pytest.raises(ValueError, match=r"multiples of the patch size 5, got \(10, 12\)"):
        small("vision")(torch.zeros(1, 3, 10, 12, dtype=torch.float64))


@pytest.mark.parametrize("kind", ["encoder", "decoder", "vision"])
def test_too_long_input_for_learned_positions_is_an_error(kind):
    inputs = torch.zeros(1, 3, 25, 25).double() if kind == "vision" else torch.zeros(1, 26, dtype=torch.int64)
    with pytest.raises(ValueError, match="at most max_length = 13 positions, got 26"):
        small(kind)(inputs)


# All of them


def calls(generator):
    tokens, pictures = ids(generator, B, N), torch.randn(B, 3, 10, 15, dtype=torch.float64, generator=generator)
    return {
        "encoder-decoder": (ids(generator, B, N_S), tokens),
        "encoder": (tokens,),
        "decoder": (tokens,),
        "vision": (pictures,),
    }


@pytest.mark.parametrize("kind", ["encoder-decoder", "encoder", "decoder", "vision"])
@with_and_without_weights
def test_every_parameter_learns_and_eval_mode_drops_nothing(generator, kind, need_weights):
    model = small(kind, segments=2, classes=19, dropout=0.3)
    inputs = calls(generator)[kind]
    output, _ = model(*inputs, need_weights=need_weights)
    output.pow(3).sum().backward()
    for name, parameter in model.named_parameters():
        assert parameter.grad is not None, name
        assert parameter.grad.isfinite().all(), name
        # A key's bias adds the same to all similarities of a row, which the softmax does not see.
        assert parameter.grad.any() or name.endswith("W_K.bias"), name
    model.eval()
    first = model(*inputs, need_weights=need_weights)[0]
    assert_same(first, model(*inputs)[0])
    assert not torch.allclose(first, output)


def test_counting_on_the_meta_device_loads_no_further_modules():
    code = """if True:
        import sys, torch
        from course_lib.layers import TransformerConfig, make_model
        before = set(sys.modules)
        for kind in ("encoder-decoder", "encoder", "decoder", "vision"):
            with torch.device("meta"):
                make_model(TransformerConfig(kind=kind, vocab_size=23, tied=False, segments=2, pooler=True, classes=3))
        print(sorted({"sympy", "torch._inductor", "torch._dynamo"} & (set(sys.modules) - before)))
    """
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
