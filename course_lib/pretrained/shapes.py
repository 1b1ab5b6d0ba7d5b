"""The names and shapes of a model's weights, as Hugging Face writes them, from its configuration."""

from collections.abc import Callable, Mapping
from typing import Any

Shapes = dict[str, tuple[int, ...]]
Config = Mapping[str, Any]


def weight_shapes(config: Config) -> Shapes:
    """Return the shape of each weight, by name. A tokenizer alone has none."""
    return _SHAPES[config["model_type"]](config) if "hidden_size" in config else {}


def _linear(name: str, width: int, out: int) -> Shapes:
    return {f"{name}.weight": (out, width), f"{name}.bias": (out,)}


def _norm(name: str, width: int) -> Shapes:
    return {f"{name}.weight": (width,), f"{name}.bias": (width,)}


def _bert(config: Config) -> Shapes:
    D, hidden = config["hidden_size"], config["intermediate_size"]
    shapes: Shapes = {
        "embeddings.word_embeddings.weight": (config["vocab_size"], D),
        "embeddings.position_embeddings.weight": (config["max_position_embeddings"], D),
        "embeddings.token_type_embeddings.weight": (config["type_vocab_size"], D),
        **_norm("embeddings.LayerNorm", D),
        **(_linear("pooler.dense", D, D) if config.get("add_pooling_layer", True) else {}),
    }
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        for part in ("query", "key", "value"):
            shapes |= _linear(f"{layer}.attention.self.{part}", D, D)
        shapes |= _linear(f"{layer}.attention.output.dense", D, D) | _norm(f"{layer}.attention.output.LayerNorm", D)
        shapes |= _linear(f"{layer}.intermediate.dense", D, hidden) | _linear(f"{layer}.output.dense", hidden, D)
        shapes |= _norm(f"{layer}.output.LayerNorm", D)
    return shapes


def _dinov2(config: Config) -> Shapes:
    D, size = config["hidden_size"], config["patch_size"]
    hidden, patches = D * config["mlp_ratio"], (config["image_size"] // size) ** 2
    shapes: Shapes = {
        "embeddings.cls_token": (1, 1, D),
        "embeddings.position_embeddings": (1, patches + 1, D),
        "embeddings.patch_embeddings.projection.weight": (D, config["num_channels"], size, size),
        "embeddings.patch_embeddings.projection.bias": (D,),
        **_norm("layernorm", D),
    }
    for number in range(config["num_hidden_layers"]):
        layer = f"encoder.layer.{number}"
        for part in ("query", "key", "value"):
            shapes |= _linear(f"{layer}.attention.attention.{part}", D, D)
        shapes |= _linear(f"{layer}.attention.output.dense", D, D)
        shapes |= _linear(f"{layer}.mlp.fc1", D, hidden) | _linear(f"{layer}.mlp.fc2", hidden, D)
        for half in (1, 2):
            shapes |= _norm(f"{layer}.norm{half}", D) | {f"{layer}.layer_scale{half}.lambda1": (D,)}
    return shapes


def _llama(config: Config) -> Shapes:
    D, hidden, width = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    queries, keys = width * config["num_attention_heads"], width * config["num_key_value_heads"]
    shapes: Shapes = {"model.embed_tokens.weight": (config["vocab_size"], D), "model.norm.weight": (D,)}
    for number in range(config["num_hidden_layers"]):
        layer = f"model.layers.{number}"
        shapes |= {
            f"{layer}.input_layernorm.weight": (D,),
            f"{layer}.post_attention_layernorm.weight": (D,),
            f"{layer}.self_attn.q_proj.weight": (queries, D),
            f"{layer}.self_attn.k_proj.weight": (keys, D),
            f"{layer}.self_attn.v_proj.weight": (keys, D),
            f"{layer}.self_attn.o_proj.weight": (D, queries),
            f"{layer}.mlp.gate_proj.weight": (hidden, D),
            f"{layer}.mlp.up_proj.weight": (hidden, D),
            f"{layer}.mlp.down_proj.weight": (D, hidden),
        }
    return shapes


_SHAPES: dict[str, Callable[[Config], Shapes]] = {"bert": _bert, "dinov2": _dinov2, "llama": _llama}
