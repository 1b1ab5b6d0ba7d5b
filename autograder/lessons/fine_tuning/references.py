"""Right versions of the exercises of 10-fine-tuning: the heads, and an encoder with published weights."""

from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from autograder.lessons.mlm_pretraining.references import BertEncoder


class SequenceClassifier(nn.Module):
    """Classes of a whole sequence from the vector of its first token (Devlin et al. 2019, section 4.1)."""

    def __init__(self, model_width: int, classes: int, dropout: float = 0.1):
        super().__init__()
        self.pooler = nn.Linear(model_width, model_width)
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(model_width, classes)

    def forward(self, Y: Tensor) -> Tensor:
        return self.output(self.dropout(torch.tanh(self.pooler(Y[:, 0]))))


class TokenTagger(nn.Module):
    """A tag for every token (Devlin et al. 2019, section 5.3)."""

    def __init__(self, model_width: int, tags: int, dropout: float = 0.1):
        super().__init__()
        self.dropout = nn.Dropout(dropout)
        self.output = nn.Linear(model_width, tags)

    def forward(self, Y: Tensor) -> Tensor:
        return self.output(self.dropout(Y))


class SpanHead(nn.Module):
    """Where an answer begins and where it ends (Devlin et al. 2019, section 4.2)."""

    def __init__(self, model_width: int):
        super().__init__()
        self.output = nn.Linear(model_width, 2)

    def forward(self, Y: Tensor, allowed: Tensor | None = None) -> tuple[Tensor, Tensor]:
        scores = self.output(Y)
        if allowed is not None:
            scores = scores.masked_fill(~allowed[..., None], -torch.inf)
        return scores[..., 0], scores[..., 1]


def best_span(start: Tensor, end: Tensor) -> tuple[Tensor, Tensor]:
    """Return first and last of the span with the largest start + end, first ≤ last."""
    N = start.shape[1]
    scores = start[:, :, None] + end[:, None, :]
    scores = scores.masked_fill(~torch.ones(N, N, dtype=torch.bool, device=scores.device).triu(), -torch.inf)
    best = scores.flatten(1).argmax(dim=1)
    return best // N, best % N


#: Names in Hugging Face's BERT → names in the course's encoder.
_PLACES = {
    "embeddings.word_embeddings": "embeddings.tokens",
    "embeddings.token_type_embeddings": "embeddings.segments",
    "embeddings.position_embeddings": "embeddings.positions",
    "embeddings.LayerNorm": "embeddings.norm",
    "attention.self.query": "attention.W_Q",
    "attention.self.key": "attention.W_K",
    "attention.self.value": "attention.W_V",
    "attention.output.dense": "attention.W_O",
    "attention.output.LayerNorm": "norm_1",
    "intermediate.dense": "feed_forward.W_1",
    "output.dense": "feed_forward.W_2",
    "output.LayerNorm": "norm_2",
}
_IN_A_NORM = {"weight": "gamma", "bias": "beta"}


def our_name(name: str) -> str | None:
    """Return the name that a tensor of Hugging Face's BERT has in the course's encoder, or None."""
    part, _, kind = name.rpartition(".")
    if not part.startswith("encoder.layer."):
        return f"{_PLACES[part]}.{kind}" if part in _PLACES else None
    number, _, part = part.removeprefix("encoder.layer.").partition(".")
    if part not in _PLACES:
        return None
    kind = _IN_A_NORM[kind] if part.endswith("LayerNorm") else kind
    return f"blocks.blocks.{number}.{_PLACES[part]}.{kind}"


class PretrainedEncoder(BertEncoder):
    """The encoder of lesson 09 with the weights of a checkpoint (Devlin et al. 2019)."""

    def __init__(self, state: Mapping[str, Tensor], config: Mapping[str, Any]):
        super().__init__(
            config["vocab_size"],
            config["hidden_size"],
            config["num_attention_heads"],
            config["num_hidden_layers"],
            config["max_position_embeddings"],
            hidden_width=config["intermediate_size"],
        )
        self.load_pretrained(state, config["layer_norm_eps"])

    def load_pretrained(self, state: Mapping[str, Tensor], eps: float) -> None:
        names = {name: our_name(name) for name in state}
        self.load_state_dict({own: state[name] for name, own in names.items() if own is not None})
        for part in self.modules():
            if hasattr(part, "eps"):
                setattr(part, "eps", eps)  # noqa: B010 mypy takes what a module has for tensors


def hidden_states(
    state: Mapping[str, Tensor], config: Mapping[str, Any], ids: Tensor, segments: Tensor | None = None
) -> list[Tensor]:
    """Return the input of the first block and the output of each, computed in float64 from weights with Hugging Face's names."""
    W = {name: tensor.double() for name, tensor in state.items()}
    (B, N), D, heads = ids.shape, config["hidden_size"], config["num_attention_heads"]

    def linear(X: Tensor, name: str) -> Tensor:
        return torch.einsum("bni,oi->bno", X, W[f"{name}.weight"]) + W[f"{name}.bias"]

    def norm(X: Tensor, name: str) -> Tensor:
        centred = X - X.mean(-1, keepdim=True)
        scale = (centred.square().mean(-1, keepdim=True) + config["layer_norm_eps"]).rsqrt()
        return centred * scale * W[f"{name}.weight"] + W[f"{name}.bias"]

    table = W["embeddings.token_type_embeddings.weight"]
    X = W["embeddings.word_embeddings.weight"][ids] + table[torch.zeros_like(ids) if segments is None else segments]
    states = [norm(X + W["embeddings.position_embeddings.weight"][:N], "embeddings.LayerNorm")]
    shown = torch.zeros(B, 1, 1, N, dtype=torch.float64).masked_fill((ids == 0)[:, None, None], -torch.inf)
    for number in range(config["num_hidden_layers"]):
        at, X = f"encoder.layer.{number}", states[-1]
        Q, K, V = (
            linear(X, f"{at}.attention.self.{part}").view(B, N, heads, D // heads).transpose(1, 2)
            for part in ("query", "key", "value")
        )
        A = (Q @ K.mT / (D // heads) ** 0.5 + shown).softmax(-1)
        attended = linear((A @ V).transpose(1, 2).reshape(B, N, D), f"{at}.attention.output.dense")
        X = norm(X + attended, f"{at}.attention.output.LayerNorm")
        hidden = linear(X, f"{at}.intermediate.dense")
        hidden = hidden * (1 + torch.erf(hidden / 2**0.5)) / 2
        states.append(norm(X + linear(hidden, f"{at}.output.dense"), f"{at}.output.LayerNorm"))
    return states


def mean_pooling(Y: Tensor, mask: Tensor) -> Tensor:
    """Return the mean of each row's vectors, padding left out."""
    weights = mask.to(Y.dtype)[..., None]
    return (Y.masked_fill(~mask[..., None], 0.0)).sum(1) / weights.sum(1)
