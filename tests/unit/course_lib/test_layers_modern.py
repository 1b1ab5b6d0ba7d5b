"""ModernDecoder against transformers: random checkpoints of Llama, Mistral and Qwen 2, their caches and their refusals."""

import pytest
import torch
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    MistralConfig,
    MistralForCausalLM,
    Qwen2Config,
    Qwen2ForCausalLM,
)

from course_lib.data import random_checkpoint
from course_lib.layers import ModernConfig, ModernDecoder, load_modern

SIZES = {
    "vocab_size": 101,
    "hidden_size": 36,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
    "intermediate_size": 52,
    "num_hidden_layers": 3,
    "rms_norm_eps": 0.1,
    "max_position_embeddings": 200,
    "pad_token_id": 0,
}
KINDS = {
    "llama": (LlamaConfig, LlamaForCausalLM, {"tie_word_embeddings": True}),
    "llama with an output of its own": (LlamaConfig, LlamaForCausalLM, {"tie_word_embeddings": False}),
    "llama of wide heads": (LlamaConfig, LlamaForCausalLM, {"head_dim": 10, "tie_word_embeddings": True}),
    "mistral": (MistralConfig, MistralForCausalLM, {"sliding_window": None}),
    "qwen2": (Qwen2Config, Qwen2ForCausalLM, {"tie_word_embeddings": True}),
}


@pytest.fixture(params=KINDS)
def theirs(request):
    """A model of transformers, of which every tensor is random."""
    make_config, make_model, options = KINDS[request.param]
    rotary = {"rope_type": "default", "rope_theta": 500.0}
    torch.manual_seed(0)
    model = make_model(make_config(**SIZES, rope_parameters=rotary, **options)).eval()
    for parameter in model.parameters():
        torch.nn.init.normal_(parameter, 1.0 if parameter.dim() == 1 else 0.0, 0.3)
    return model


@pytest.fixture
def ids():
    return torch.randint(1, 101, (2, 13), generator=torch.Generator().manual_seed(1))


def loaded(theirs, **options):
    return load_modern(theirs.state_dict(), theirs.config.to_dict(), **options).eval()


@torch.no_grad()
def test_equals_transformers_after_every_block(theirs, ids):
    own, found = loaded(theirs), []
    for block in own.blocks[:-1]:
        block.register_forward_hook(lambda _, __, output: found.append(output[0]))
    logits, _, weights = own(ids, need_weights=True)
    wanted = theirs(ids, output_hidden_states=True)
    for layer, (one, other) in enumerate(zip(found, wanted.hidden_states[1:-1], strict=True)):
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4, msg=f"after block {layer}")
    torch.testing.assert_close(logits, wanted.logits, rtol=1e-4, atol=1e-4)
    assert [tuple(one.shape) for one in weights] == [(2, 6, 13, 13)] * 3
    torch.testing.assert_close(own(ids)[0], logits, rtol=1e-4, atol=1e-4)


@torch.no_grad()
@pytest.mark.parametrize("pieces", [1, [12, 1], [4, 7, 2]])
def test_in_pieces_with_a_cache_it_gives_the_same(theirs, ids, pieces):
    own, caches, rows = loaded(theirs), None, []
    for piece in ids.split(pieces, 1):
        logits, caches, _ = own(piece, caches)
        rows.append(logits)
    torch.testing.assert_close(torch.cat(rows, 1), own(ids)[0], rtol=1e-4, atol=1e-4)
    assert caches[0][0].shape == (2, 2, 13, own.config.width_of_a_head)


@torch.no_grad()
def test_weights_in_the_interleaved_order_give_the_same(theirs, ids):
    """The order of GGUF: the inverse of what its reader does."""
    state = theirs.state_dict()
    for name, tensor in state.items():
        if ".q_proj." in name or ".k_proj." in name:
            heads = 6 if ".q_proj." in name else 2
            state[name] = tensor.unflatten(0, (heads, 2, -1)).transpose(1, 2).flatten(0, 2)
    given = theirs.config.to_dict()
    wanted = loaded(theirs)(ids)[0]
    torch.testing.assert_close(load_modern(state, given, "interleaved")(ids)[0], wanted)
    assert (load_modern(state, given)(ids)[0] - wanted).abs().max() > 0.1


@torch.no_grad()
def test_fused_maps_are_cut(theirs, ids):
    state = theirs.state_dict()
    for fused, parts in (("self_attn.qkv_proj", "qkv"), ("mlp.gate_up_proj", ("gate", "up"))):
        for name in [name for name in state if f".{parts[0]}_proj." in name]:
            part = fused.partition(".")[0]
            pieces = [state.pop(name.replace(f"{part}.{parts[0]}_", f"{part}.{letter}_")) for letter in parts]
            state[name.replace(f"{part}.{parts[0]}_proj", fused)] = torch.cat(pieces)
    torch.testing.assert_close(load_modern(state, theirs.config.to_dict())(ids)[0], loaded(theirs)(ids)[0])


@torch.no_grad()
def test_a_mask_replaces_the_causal_one(ids):
    given = random_checkpoint("smollm2")
    own = load_modern(given.state_dict, given.config)
    window = torch.ones(13, 13, dtype=torch.bool).tril().triu(-3)
    logits, _, weights = own(ids, allowed=window, need_weights=True)
    assert not any(bool(one[:, :, ~window].any()) for one in weights)
    torch.testing.assert_close(own(ids, allowed=window)[0], logits, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"model_type": "gemma"}, "gemma"),
        ({"rope_scaling": {"rope_type": "yarn", "factor": 4.0}}, "rope_scaling"),
        ({"hidden_act": "gelu"}, "hidden_act"),
        ({"attention_bias": True}, "attention_bias"),
        ({"num_key_value_heads": 4}, "num_groups"),
        ({"intermediate_size": 81}, "size mismatch"),
        ({"num_hidden_layers": 2}, "Unexpected"),
    ],
)
def test_refuses_what_it_cannot_follow(change, said):
    given = random_checkpoint("smollm2")
    with pytest.raises(ValueError, match=said):
        load_modern(given.state_dict, {**given.config, **change})


def test_refuses_weights_that_do_not_fit():
    given = random_checkpoint("smollm2")
    name = "model.layers.1.self_attn.q_proj.weight"
    rest = {each: tensor for each, tensor in given.state_dict.items() if each != name}
    with pytest.raises(ValueError, match=r"blocks\.1\.attention\.W_Q\.weight"):
        load_modern(rest, given.config)
    with pytest.raises(ValueError, match="has no place"):
        load_modern({**given.state_dict, "model.layers.1.self_attn.q_norm.weight": torch.ones(6)}, given.config)
    with pytest.raises(ValueError, match="interleaved"):
        load_modern(given.state_dict, given.config, "halves")


def test_begins_near_the_uniform_distribution(ids):
    torch.manual_seed(0)
    own = ModernDecoder(ModernConfig(101, 24, 4, 2, 40, 2))
    logits = own(ids)[0]
    assert logits.std() < 0.2
    logits.logsumexp(-1).sum().backward()
    assert all(parameter.grad is not None for parameter in own.parameters())
