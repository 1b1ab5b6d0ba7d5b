"""Decoders after Llama (Touvron et al., 2023), such as Mistral, Qwen 2 and SmolLM2, and a loader for their weights."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib.layers.attention import scaled_dot_product_attention
from course_lib.layers.heads import merge_heads, split_heads
from course_lib.layers.initialisation import small_embedding, small_start
from course_lib.layers.masks import causal_mask

Cache = tuple[Tensor, Tensor]
LAYOUTS = ("half", "interleaved")


@dataclass(frozen=True)
class ModernConfig:
    """The sizes and choices of a `ModernDecoder`.

    num_groups: heads of keys and values, each for num_heads / num_groups heads of queries. head_width: None means
    model_width / num_heads. base: the base of the rotary angles. bias: whether the maps to queries, keys and values have
    one (Qwen 2). tied: whether the output reuses the embedding.

    Raises ValueError if a size does not divide another.
    """

    vocab_size: int
    model_width: int
    num_heads: int
    num_groups: int
    hidden_width: int
    blocks: int
    head_width: int | None = None
    base: float = 10000.0
    eps: float = 1e-6
    bias: bool = False
    tied: bool = True

    def __post_init__(self) -> None:
        if self.num_heads % self.num_groups:
            raise ValueError(f"Expected num_groups to divide {self.num_heads} heads, got {self.num_groups}.")
        if self.head_width is None and self.model_width % self.num_heads:
            raise ValueError(
                f"Expected num_heads to divide the width {self.model_width}, got {self.num_heads}. Or state a head_width."
            )
        if self.width_of_a_head % 2:
            raise ValueError(f"Expected heads of even width, for rotary positions, got {self.width_of_a_head}.")

    @property
    def width_of_a_head(self) -> int:
        return self.head_width or self.model_width // self.num_heads

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> "ModernConfig":
        """Return the sizes that a configuration of Hugging Face states, for model_type "llama", "mistral" or "qwen2".

        Raises ValueError for another kind of model, and for what a `ModernDecoder` does not have: scaled rotary angles, a
        window, biases elsewhere, another activation.
        """
        kind = config.get("model_type")
        if kind not in ("llama", "mistral", "qwen2"):
            raise ValueError(f'Expected a model of type "llama", "mistral" or "qwen2", got {kind!r}.')
        rotary = {**(config.get("rope_parameters") or {}), **(config.get("rope_scaling") or {})}
        unknown = {
            "rope_scaling": rotary.get("rope_type", rotary.get("type", "default")) != "default",
            "hidden_act": config.get("hidden_act", "silu") != "silu",
            "mlp_bias": config.get("mlp_bias", False),
            "attention_bias": config.get("attention_bias", False),
            "sliding_window": bool(config.get("sliding_window"))
            and config.get("use_sliding_window", kind == "mistral"),
        }
        if found := [name for name, is_there in unknown.items() if is_there]:
            raise ValueError(f"ModernDecoder has nothing for {', '.join(found)} of this configuration.")
        return cls(
            vocab_size=config["vocab_size"],
            model_width=config["hidden_size"],
            num_heads=config["num_attention_heads"],
            num_groups=config.get("num_key_value_heads") or config["num_attention_heads"],
            hidden_width=config["intermediate_size"],
            blocks=config["num_hidden_layers"],
            head_width=config.get("head_dim"),
            base=float(config.get("rope_theta") or rotary.get("rope_theta") or 10000.0),
            eps=config.get("rms_norm_eps", 1e-6),
            bias=kind == "qwen2",
            tied=config.get("tie_word_embeddings", False),
        )


class _Norm(nn.Module):
    """Divide every row by its root mean square, times gamma; in float32 or better."""

    def __init__(self, width: int, eps: float):
        super().__init__()
        self.gamma, self.eps = nn.Parameter(torch.ones(width)), eps

    def forward(self, X: Tensor) -> Tensor:
        exact = X.to(torch.promote_types(X.dtype, torch.float32))
        return F.rms_norm(exact, self.gamma.shape, None, self.eps).to(X.dtype) * self.gamma


class _Attention(nn.Module):
    """Grouped queries with rotary positions, half-split, and a cache."""

    def __init__(self, config: ModernConfig):
        super().__init__()
        self.num_heads, self.num_groups = config.num_heads, config.num_groups
        width, head = config.model_width, config.width_of_a_head
        self.W_Q = nn.Linear(width, self.num_heads * head, config.bias)
        self.W_K = nn.Linear(width, self.num_groups * head, config.bias)
        self.W_V = nn.Linear(width, self.num_groups * head, config.bias)
        self.W_O = nn.Linear(self.num_heads * head, width, bias=False)

    def forward(
        self, X: Tensor, turns: Cache, allowed: Tensor | None, cache: Cache | None, need_weights: bool
    ) -> tuple[Tensor, Cache, Tensor | None]:
        Q = _turn(split_heads(self.W_Q(X), self.num_heads), *turns)  # (B, H, N, D_H)
        K, V = _turn(split_heads(self.W_K(X), self.num_groups), *turns), split_heads(self.W_V(X), self.num_groups)
        if cache is not None:
            K, V = torch.cat((cache[0], K), -2), torch.cat((cache[1], V), -2)
        if need_weights:
            times = self.num_heads // self.num_groups
            keys, values = (Z.repeat_interleave(times, -3) for Z in (K, V))
            mask = causal_mask(Q.shape[-2], K.shape[-2], X.device) if allowed is None else allowed
            Y, A = scaled_dot_product_attention(Q, keys, values, mask)
            return self.W_O(merge_heads(Y)), (K, V), A
        # PyTorch's own causal mask is for as many queries as keys.
        plain = allowed is None and Q.shape[-2] == K.shape[-2]
        if allowed is None and not plain and Q.shape[-2] > 1:
            allowed = causal_mask(Q.shape[-2], K.shape[-2], X.device)
        Y = F.scaled_dot_product_attention(Q, K, V, allowed, is_causal=plain, enable_gqa=True)
        return self.W_O(merge_heads(Y)), (K, V), None


class _GatedFeedForward(nn.Module):
    """W_down(SiLU(W_gate x) · W_up x)."""

    def __init__(self, width: int, hidden_width: int):
        super().__init__()
        self.W_gate, self.W_up = (nn.Linear(width, hidden_width, bias=False) for _ in range(2))
        self.W_down = nn.Linear(hidden_width, width, bias=False)

    def forward(self, X: Tensor) -> Tensor:
        return self.W_down(F.silu(self.W_gate(X)) * self.W_up(X))


class ModernDecoderBlock(nn.Module):
    """RMSNorm and attention, RMSNorm and gated feed-forward, each added to what goes in."""

    def __init__(self, config: ModernConfig):
        super().__init__()
        self.norm_1, self.norm_2 = (_Norm(config.model_width, config.eps) for _ in range(2))
        self.attention = _Attention(config)
        self.feed_forward = _GatedFeedForward(config.model_width, config.hidden_width)

    def forward(
        self, X: Tensor, turns: Cache, allowed: Tensor | None, cache: Cache | None, need_weights: bool
    ) -> tuple[Tensor, Cache, Tensor | None]:
        """Return (Y, (K, V), the weights or None); turns: cosines and sines of the new positions."""
        Y, cache, A = self.attention(self.norm_1(X), turns, allowed, cache, need_weights)
        X = X + Y
        return X + self.feed_forward(self.norm_2(X)), cache, A


class ModernDecoder(nn.Module):
    """A language model after Llama: RMSNorm, rotary positions, grouped queries, gated feed-forward, and a cache.

    `load_modern` fills one with the weights of a model that others trained.
    """

    def __init__(self, config: ModernConfig):
        super().__init__()
        self.config = config
        self.embedding = small_embedding(config.vocab_size, config.model_width)
        self.blocks = nn.ModuleList(ModernDecoderBlock(config) for _ in range(config.blocks))
        self.norm = _Norm(config.model_width, config.eps)
        self.output = None if config.tied else nn.Linear(config.model_width, config.vocab_size, bias=False)
        small_start(self, config.blocks)

    def forward(
        self,
        ids: Int[Tensor, "B N"],
        caches: Sequence[Cache] | None = None,
        allowed: Tensor | None = None,
        need_weights: bool = False,
    ) -> tuple[Float[Tensor, "B N vocab_size"], list[Cache], list[Tensor]]:
        """Return (logits, the keys and values of each block, the weights (B, H, N, N_K) of each block or an empty list).

        caches: those of the previous call; ids are then the tokens after its own. allowed: a mask in place of the causal one,
        (N, N_K), True where a token may attend to a key.
        """
        past = caches[0][0].shape[-2] if caches else 0
        turns = self._turns(torch.arange(past, past + ids.shape[1], device=ids.device))
        X, kept, weights = self.embedding(ids), list[Cache](), list[Tensor]()
        for number, block in enumerate(self.blocks):
            X, cache, A = block(X, turns, allowed, caches[number] if caches else None, need_weights)
            kept.append(cache)
            if A is not None:
                weights.append(A)
        matrix = self.embedding.weight if self.output is None else self.output.weight
        return F.linear(self.norm(X), matrix), kept, weights

    def _turns(self, positions: Tensor) -> Cache:
        """Return cosines and sines (N, D_H / 2) of the angles, computed in float64."""
        D, dtype = self.config.width_of_a_head, self.embedding.weight.dtype
        two_i = torch.arange(0, D, 2, dtype=torch.float64, device=positions.device)
        angles = positions.double()[:, None] * self.config.base ** (-two_i / D)
        return angles.cos().to(dtype), angles.sin().to(dtype)


def _turn(X: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Turn the pairs of columns i and i + D/2 of X (..., N, D)."""
    a, b = X.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), dim=-1)


_UNUSED = re.compile(r".*\.rotary_emb\.inv_freq")


def modern_name(name: str) -> str | None:
    """Return the name in `ModernDecoder` of the tensor that Hugging Face calls `name`, or None if it has no place there.

    The fused maps of Phi 3 and GLM are split first. The table is inside the function, because lesson 15 asks for the table and
    forbids this function.
    """
    places = {
        "embed_tokens.weight": "embedding.weight",
        "norm.weight": "norm.gamma",
        "lm_head.weight": "output.weight",
        "input_layernorm.weight": "norm_1.gamma",
        "post_attention_layernorm.weight": "norm_2.gamma",
        **{
            f"self_attn.{letter.lower()}_proj.{kind}": f"attention.W_{letter}.{kind}"
            for letter in "QKVO"
            for kind in ("weight", "bias")
        },
        **{f"mlp.{part}_proj.weight": f"feed_forward.W_{part}.weight" for part in ("gate", "up", "down")},
    }
    part = name.removeprefix("model.")
    block = re.match(r"layers\.(\d+)\.", part)
    own = places.get(part[block.end() :] if block else part)
    return f"blocks.{block[1]}.{own}" if block and own else own


def load_modern(
    state: Mapping[str, Tensor], config: Mapping[str, Any], layout: str = "half", dtype: torch.dtype = torch.float32
) -> ModernDecoder:
    """Return a `ModernDecoder` with weights under Hugging Face's names: those of Llama, Mistral and Qwen 2.

    layout: the rotary layout for which the rows of the maps to queries and keys are ordered, "half" (Hugging Face) or
    "interleaved" (GGUF, Meta's own files); the latter are put into the order of the former. Fused maps (`qkv_proj`,
    `gate_up_proj`, as Phi 3 has them) are cut apart.
    Raises ValueError for another layout, a configuration that ModernDecoder cannot follow, or weights that do not fit it.
    """
    if layout not in LAYOUTS:
        raise ValueError(f'Expected layout "half" or "interleaved", got {layout!r}.')
    sizes = ModernConfig.of(config)
    own = dict[str, Tensor]()
    for name, tensor in _cut(state, sizes).items():
        place = modern_name(name)
        if place is None and not _UNUSED.fullmatch(name):
            raise ValueError(f"The tensor {name} has no place in ModernDecoder.")
        if place is None or (sizes.tied and place == "output.weight"):
            continue
        turned = re.search(r"\.W_([QK])\.", place)
        if turned and layout == "interleaved":
            heads = sizes.num_heads if turned[1] == "Q" else sizes.num_groups
            tensor = tensor.unflatten(0, (heads, -1, 2)).transpose(1, 2).flatten(0, 2)
        own[place] = tensor.to(dtype)
    with torch.device("meta"):
        model = ModernDecoder(sizes)
    try:
        model.load_state_dict(own, assign=True)
    except RuntimeError as error:
        raise ValueError(str(error)) from error
    return model


def _cut(state: Mapping[str, Tensor], sizes: ModernConfig) -> dict[str, Tensor]:
    """Return the same tensors, with fused maps cut into their parts."""
    queries, keys = (heads * sizes.width_of_a_head for heads in (sizes.num_heads, sizes.num_groups))
    parts = {"qkv_proj": ("qkv", [queries, keys, keys]), "gate_up_proj": (("gate", "up"), [sizes.hidden_width] * 2)}
    found = dict[str, Tensor]()
    for name, tensor in state.items():
        fused = next((part for part in parts if f".{part}." in name), None)
        if fused is None:
            found[name] = tensor
            continue
        letters, rows = parts[fused]
        if tensor.shape[0] != sum(rows):
            raise ValueError(f"{name}: expected {sum(rows)} rows, got {tensor.shape[0]}.")
        for letter, piece in zip(letters, tensor.split(rows), strict=True):
            found[name.replace(fused, f"{letter}_proj")] = piece
    return found
