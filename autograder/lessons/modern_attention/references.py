"""Right versions of the exercises of 15-modern-attention."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from autograder.lessons.attention.references import causal_mask, scaled_dot_product_attention
from autograder.lessons.multi_head_attention.references import merge_heads, split_heads

Cache = tuple[Tensor, Tensor]


def rms_norm(X: Tensor, gamma: Tensor, eps: float = 1e-6) -> Tensor:
    """x / √(mean(x²) + ε) · γ over the last axis (Zhang and Sennrich 2019), in float32 or better."""
    exact = X.to(torch.promote_types(X.dtype, torch.float32))
    return (exact * torch.rsqrt((exact * exact).mean(-1, keepdim=True) + eps) * gamma).to(X.dtype)


class SwiGLU(nn.Module):
    """W_down(SiLU(W_gate x) · W_up x) (Shazeer 2020), of hidden width 8/3 · D, rounded up to a multiple of 8."""

    def __init__(self, width: int, hidden_width: int | None = None):
        super().__init__()
        hidden = -(-width // 3) * 8 if hidden_width is None else hidden_width
        self.W_gate, self.W_up = nn.Linear(width, hidden, bias=False), nn.Linear(width, hidden, bias=False)
        self.W_down = nn.Linear(hidden, width, bias=False)

    def forward(self, X: Tensor) -> Tensor:
        return self.W_down(F.silu(self.W_gate(X)) * self.W_up(X))


def rotary(
    X: Tensor, positions: Tensor, base: float = 10000.0, layout: str = "half", rotated: int | None = None
) -> Tensor:
    """Turn each pair of columns by position · base^(−2i/D) (Su et al. 2021): as complex numbers, in float64."""
    if layout not in ("half", "interleaved"):
        raise ValueError(f'layout should be "half" or "interleaved", but is {layout!r}.')
    D = X.shape[-1] if rotated is None else rotated
    frequencies = base ** (-torch.arange(0, D, 2, dtype=torch.float64, device=X.device) / D)
    angles = positions.double().unsqueeze(-1) * frequencies
    turns = torch.polar(torch.ones_like(angles), angles)
    columns = torch.arange(D).view(2, -1).mT if layout == "half" else torch.arange(D).view(-1, 2)
    pairs = torch.view_as_complex(X[..., columns].double().contiguous())
    turned = torch.view_as_real(pairs * turns).flatten(-2)
    order = columns.flatten().argsort()
    return torch.cat([turned[..., order].to(X.dtype), X[..., D:]], -1)


class GroupedQueryAttention(nn.Module):
    """Causal self-attention in which query head h reads key and value head h // (H / G) (Ainslie et al. 2023)."""

    def __init__(self, model_width: int, num_heads: int, num_groups: int):
        super().__init__()
        if model_width % num_heads or num_heads % num_groups:
            raise ValueError(f"divisors expected, but the sizes are {model_width}, {num_heads}, {num_groups}.")
        self.num_heads, self.num_groups = num_heads, num_groups
        narrow = model_width // num_heads * num_groups
        self.W_Q, self.W_O = (nn.Linear(model_width, model_width, bias=False) for _ in range(2))
        self.W_K, self.W_V = (nn.Linear(model_width, narrow, bias=False) for _ in range(2))

    def forward(self, X: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        K, V = split_heads(self.W_K(X), self.num_groups), split_heads(self.W_V(X), self.num_groups)
        if cache is not None:
            K, V = torch.cat((cache[0], K), -2), torch.cat((cache[1], V), -2)
        Q = split_heads(self.W_Q(X), self.num_heads)
        allowed = causal_mask(Q.shape[-2], K.shape[-2], X.device)
        of_head = [head * self.num_groups // self.num_heads for head in range(self.num_heads)]
        Y, _ = scaled_dot_product_attention(Q, K[:, of_head], V[:, of_head], allowed)
        return self.W_O(merge_heads(Y)), (K, V)


def cache_bytes(
    tokens: int,
    num_layers: int,
    num_groups: int,
    head_width: int,
    bytes_per_number: int = 2,
    window: int | None = None,
    window_layers: int = 0,
) -> int:
    """Return the bytes of keys and values, layer by layer."""
    rows = [tokens if layer >= window_layers or window is None else min(tokens, window) for layer in range(num_layers)]
    return sum(2 * each * num_groups * head_width * bytes_per_number for each in rows)


Kept = tuple[Tensor, Tensor, Tensor]


def quantise_cache(K: Tensor, V: Tensor, bits: int) -> tuple[Kept, Kept]:
    """Return codes, low and step of the keys per channel and of the values per token (KIVI; Liu et al. 2024)."""
    return _quantised(K, -2, bits), _quantised(V, -1, bits)


def _quantised(X: Tensor, dim: int, bits: int) -> Kept:
    low = X.min(dim, keepdim=True).values
    step = (X.max(dim, keepdim=True).values - low) / (2**bits - 1)
    codes = ((X - low) / step.masked_fill(step == 0, 1.0)).round()
    if bits == 4:
        codes = codes.unflatten(-1, (-1, 2)) @ codes.new_tensor([1.0, 16.0])
    return codes.to(torch.uint8), low, step


def restored(kept: Kept, bits: int) -> Tensor:
    """Return the numbers that codes, low and step stand for."""
    codes, low, step = kept
    if bits == 4:
        codes = torch.stack((codes % 16, codes // 16), -1).flatten(-2)
    return low + step * codes


def sliding_window(N_Q: int, N_K: int, window: int, sinks: int = 0, device: Any = None) -> Tensor:
    """Return allowed[i, j] = (0 ≤ p − j < window, or j < sinks, and j ≤ p) with p = i + N_K − N_Q."""
    causal = causal_mask(N_Q, N_K, device)
    far = torch.ones(N_Q, N_K, dtype=torch.bool, device=device).tril(N_K - N_Q - window)
    far[:, :sinks] = False
    return causal & ~far


def positions_held(seen: int, slots: int, sinks: int) -> list[int]:
    """Return the positions whose rows the slots of a ring hold, in the order of the slots, after so many rows."""
    window = slots - sinks
    recent = {sinks + (p - sinks) % window: p for p in range(max(sinks, seen - window), seen)}
    return [*range(min(sinks, seen)), *(recent[slot] for slot in sorted(recent))]


def window_step(Q: Tensor, K: Tensor, V: Tensor, ring: Cache, seen: int, sinks: int = 0) -> Tensor:
    """Attend to the ring and the new rows at once, under a mask of their positions, and then update the ring."""
    slots, N = ring[0].shape[-2], Q.shape[-2]
    held = positions_held(seen, slots, sinks)
    j = torch.tensor([*held, *range(seen, seen + N)], device=Q.device)
    p = torch.arange(seen, seen + N, device=Q.device)[:, None]
    allowed = (j <= p) & ((p - j < slots - sinks) | (j < sinks))
    joined = [torch.cat((old[..., : len(held), :], new), -2) for old, new in zip(ring, (K, V), strict=True)]
    Y, _ = scaled_dot_product_attention(Q, joined[0], joined[1], allowed)
    place = {int(position): row for row, position in enumerate(j.tolist())}
    after = positions_held(seen + N, slots, sinks)
    for part, rows in zip(ring, joined, strict=True):
        part[..., : len(after), :] = rows[..., [place[position] for position in after], :]
    return Y


def linear_attention(Q: Tensor, K: Tensor, V: Tensor, state: Cache | None = None) -> tuple[Tensor, Cache]:
    """Causal linear attention with φ = elu + 1 (Katharopoulos et al. 2020), token by token."""
    phi_Q, phi_K = F.elu(Q) + 1, F.elu(K) + 1
    if state is None:
        state = (phi_K[..., 0, :, None] * V[..., 0, None, :]) * 0, phi_K[..., 0, :] * 0
    S, z = state
    rows = []
    for q, k, v in zip(phi_Q.unbind(-2), phi_K.unbind(-2), V.unbind(-2), strict=True):
        S, z = S + k[..., :, None] * v[..., None, :], z + k
        rows.append((q[..., None, :] @ S)[..., 0, :] / (q * z).sum(-1, keepdim=True))
    return torch.stack(rows, -2), (S, z)


def delta_rule(Q: Tensor, K: Tensor, V: Tensor, beta: Tensor, S: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """S ← (1 − β k kᵀ) S + β k vᵀ, y = Sᵀ q (Schlag et al. 2021), token by token."""
    if S is None:
        S = torch.zeros(*K.shape[:-2], K.shape[-1], V.shape[-1], dtype=K.dtype, device=K.device)
    one, rows = torch.eye(K.shape[-1], dtype=K.dtype, device=K.device), []
    for q, k, v, b in zip(Q.unbind(-2), K.unbind(-2), V.unbind(-2), beta.unbind(-1), strict=True):
        scaled = b[..., None] * k
        S = (one - scaled[..., :, None] * k[..., None, :]) @ S + scaled[..., :, None] * v[..., None, :]
        rows.append((q[..., :, None] * S).sum(-2))
    return torch.stack(rows, -2), S


def delta_chunk(Q: Tensor, K: Tensor, V: Tensor, beta: Tensor, S: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Solve a unit triangular system for the values that the tokens of a chunk write (Yang et al. 2024)."""
    weighted = K * beta.unsqueeze(-1)
    wanted = V * beta.unsqueeze(-1) if S is None else V * beta.unsqueeze(-1) - weighted @ S
    system = (weighted @ K.mT).tril(-1)
    U = torch.linalg.solve_triangular(system, wanted, upper=False, unitriangular=True)
    Y, after = (Q @ K.mT).tril() @ U, K.mT @ U
    return (Y, after) if S is None else (Q @ S + Y, S + after)


def speculative_accept(p: Tensor, q: Tensor, drafted: int, u_accept: float, u_fix: float) -> tuple[int, bool]:
    """Accept with probability min(1, p_x / q_x), or draw from max(0, p − q) (Leviathan et al. 2023)."""
    if u_accept * float(q[drafted]) < float(p[drafted]):
        return int(drafted), True
    left = [max(0.0, a - b) for a, b in zip(p.tolist(), q.tolist(), strict=True)]
    total, so_far = sum(left), 0.0
    for token, part in enumerate(left):
        so_far += part
        if so_far > u_fix * total:
            return token, False
    return max(token for token, part in enumerate(left) if part), False


class LoRALinear(nn.Module):
    """W x + α / r · B A x with a frozen W (Hu et al. 2022)."""

    def __init__(self, D_in: int, D_out: int, rank: int, alpha: float):
        super().__init__()
        self.W = nn.Linear(D_in, D_out, bias=False).requires_grad_(False)
        self.A = nn.Parameter(torch.randn(rank, D_in) * D_in**-0.5)
        self.B, self.alpha = nn.Parameter(torch.zeros(D_out, rank)), alpha

    def forward(self, X: Tensor) -> Tensor:
        return F.linear(X, self.W.weight) + F.linear(F.linear(X, self.A), self.B) * (self.alpha / len(self.A))


def merge_lora(W: Tensor, A: Tensor, B: Tensor, alpha: float) -> Tensor:
    """Return W + α / r · Σ b_k a_kᵀ."""
    change = torch.stack([torch.outer(b, a) for a, b in zip(A, B.mT, strict=True)]).sum(0)
    return W + change * (alpha / len(A))


def mix_experts(X: Tensor, logits: Tensor, expert: Callable[[int, Tensor], Tensor], k: int) -> Tensor:
    """Return the sum of the k chosen experts, weighted with a softmax over their logits (Shazeer et al. 2017)."""
    kept = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, logits.argsort(-1, descending=True)[:, :k], True)
    weights = logits.masked_fill(~kept, -torch.inf).softmax(-1)
    parts = []
    for number, (own, share) in enumerate(zip(kept.unbind(-1), weights.unbind(-1), strict=True)):
        rows = own.nonzero()[:, 0]
        if len(rows):
            computed = share[rows, None] * expert(number, X[rows])
            parts.append(computed.new_zeros(X.shape).index_copy(0, rows, computed))
    return torch.stack(parts).sum(0)


class MixtureOfExperts(nn.Module):
    """Several SwiGLU layers of which each row passes through k, chosen by a linear router (Jiang et al. 2024)."""

    def __init__(self, width: int, num_experts: int, k: int, hidden_width: int | None = None):
        super().__init__()
        self.router, self.k = nn.Linear(width, num_experts, bias=False), k
        self.experts = nn.ModuleList(SwiGLU(width, hidden_width) for _ in range(num_experts))

    def forward(self, X: Tensor) -> tuple[Tensor, Tensor]:
        logits = self.router(X)
        Y = mix_experts(
            X.flatten(0, -2), logits.flatten(0, -2), lambda number, rows: self.experts[number](rows), self.k
        )
        return Y.view(X.shape), logits


def balance_loss(logits: Tensor, k: int = 1) -> Tensor:
    """E · Σ f_e P_e (Fedus et al. 2022): f the shares of the choices, P the mean probabilities."""
    rows = logits.reshape(-1, logits.shape[-1])
    chosen = torch.zeros_like(rows).scatter(-1, rows.argsort(-1, descending=True)[:, :k], 1.0)
    return len(rows.mT) * (chosen.mean(0) / k) @ rows.softmax(-1).mean(0)


def route_with_bias(logits: Tensor, bias: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Routing of DeepSeek-V3 (DeepSeek-AI 2024, equations 13 to 16): chosen by s + b, weighted by s / Σ s, s = σ(logits)."""
    s = logits.sigmoid()
    chosen = (s + bias).argsort(-1, descending=True)[..., :k]
    own = torch.take_along_dim(s, chosen, -1)
    return own / own.sum(-1, True), chosen


def within_capacity(chosen: Tensor, num_experts: int, capacity: int) -> Tensor:
    """Places by choice and row (Lepikhin et al. 2021), given one by one."""
    kept, taken = torch.zeros_like(chosen, dtype=torch.bool), [0] * num_experts
    for column in range(chosen.shape[1]):
        for row in range(len(chosen)):
            expert = int(chosen[row, column])
            kept[row, column] = taken[expert] < capacity
            taken[expert] += bool(kept[row, column])
    return kept


class LatentAttention(nn.Module):
    """Multi-head latent attention (DeepSeek-AI 2024), head by head: keys and values are maps of one narrow vector."""

    def __init__(
        self,
        model_width: int,
        num_heads: int,
        head_width: int,
        rotated_width: int,
        latent_width: int,
        base: float = 10000.0,
    ):
        super().__init__()
        self.num_heads, self.head_width, self.rotated_width, self.base = num_heads, head_width, rotated_width, base
        heads = num_heads * head_width
        self.W_Q = nn.Linear(model_width, heads + num_heads * rotated_width, bias=False)
        self.W_C, self.W_R = (nn.Linear(model_width, width, bias=False) for width in (latent_width, rotated_width))
        self.W_UK, self.W_UV = (nn.Linear(latent_width, heads, bias=False) for _ in range(2))
        self.W_O = nn.Linear(heads, model_width, bias=False)

    def forward(self, X: Tensor, cache: Cache | None = None) -> tuple[Tensor, Cache]:
        past = 0 if cache is None else cache[0].shape[-2]
        places = past + torch.arange(X.shape[-2], device=X.device)
        C, R = self.W_C(X), rotary(self.W_R(X), places, self.base)
        if cache is not None:
            C, R = torch.cat((cache[0], C), -2), torch.cat((cache[1], R), -2)
        allowed = causal_mask(X.shape[-2], C.shape[-2], X.device)
        K, V = self.W_UK(C).split(self.head_width, -1), self.W_UV(C).split(self.head_width, -1)
        outputs = []
        for number, Q in enumerate(self.W_Q(X).split(self.head_width + self.rotated_width, -1)):
            turned = rotary(Q[..., self.head_width :], places, self.base)
            query, key = torch.cat((Q[..., : self.head_width], turned), -1), torch.cat((K[number], R), -1)
            outputs.append(scaled_dot_product_attention(query, key, V[number], allowed)[0])
        return self.W_O(torch.cat(outputs, -1)), (C, R)


def absorbed_attention(Q: Tensor, Q_R: Tensor, C: Tensor, R: Tensor, W_UK: Tensor, W_UV: Tensor) -> Tensor:
    """Latent attention, head by head, with W_UK applied to the queries and W_UV to the mean of the latent vectors."""
    scale = (Q.shape[-1] + Q_R.shape[-1]) ** -0.5
    allowed = causal_mask(Q.shape[-2], C.shape[-2], Q.device)
    of_head = W_UK.split(Q.shape[-1]), W_UV.split(Q.shape[-1])
    outputs = []
    for q, turned, up_key, up_value in zip(Q.unbind(-3), Q_R.unbind(-3), *of_head, strict=True):
        scores = (q @ up_key @ C.mT + turned @ R.mT) * scale
        outputs.append(scores.masked_fill(~allowed, -torch.inf).softmax(-1) @ C @ up_value.mT)
    return torch.stack(outputs, -3)


class ModernBlock(nn.Module):
    """Pre-norm block of Llama (Touvron et al. 2023): RMSNorm, grouped queries with rotary positions, RMSNorm, SwiGLU."""

    def __init__(
        self, width: int, num_heads: int, num_groups: int, hidden_width: int, base: float = 10000.0, eps: float = 1e-6
    ):
        super().__init__()
        self.base, self.eps = base, eps
        self.attention = GroupedQueryAttention(width, num_heads, num_groups)
        self.feed_forward = SwiGLU(width, hidden_width)
        self.gamma_1, self.gamma_2 = (nn.Parameter(torch.ones(width)) for _ in range(2))

    def forward(self, X: Tensor, cache: Cache | None = None, allowed: Tensor | None = None) -> tuple[Tensor, Cache]:
        layer = self.attention
        past = 0 if cache is None else cache[0].shape[-2]
        places = past + torch.arange(X.shape[-2], device=X.device)
        Z = rms_norm(X, self.gamma_1, self.eps)
        Q = rotary(split_heads(layer.W_Q(Z), layer.num_heads), places, self.base)
        K = rotary(split_heads(layer.W_K(Z), layer.num_groups), places, self.base)
        V = split_heads(layer.W_V(Z), layer.num_groups)
        if cache is not None:
            K, V = torch.cat((cache[0], K), -2), torch.cat((cache[1], V), -2)
        of_head = [head * layer.num_groups // layer.num_heads for head in range(layer.num_heads)]
        if allowed is None:
            allowed = causal_mask(Q.shape[-2], K.shape[-2], X.device)
        Y, _ = scaled_dot_product_attention(Q, K[:, of_head], V[:, of_head], allowed)
        X = X + layer.W_O(merge_heads(Y))
        return X + self.feed_forward(rms_norm(X, self.gamma_2, self.eps)), (K, V)


#: Names in Hugging Face's Llama → names in the lesson's decoder.
_PLACES = {
    "input_layernorm.weight": "gamma_1",
    "post_attention_layernorm.weight": "gamma_2",
    **{
        f"self_attn.{letter.lower()}_proj.{kind}": f"attention.W_{letter}.{kind}"
        for letter in "QKVO"
        for kind in ("weight", "bias")
    },
    **{f"mlp.{part}_proj.weight": f"feed_forward.W_{part}.weight" for part in ("gate", "up", "down")},
}


def llama_name(name: str) -> str | None:
    """Return the name that a tensor of Hugging Face's Llama has in ModernDecoder, or None."""
    if name == "lm_head.weight" or name.endswith("rotary_emb.inv_freq"):
        return None
    if not name.startswith("model.layers."):
        return {"model.embed_tokens.weight": "embedding.weight", "model.norm.weight": "gamma"}[name]
    number, _, part = name.removeprefix("model.layers.").partition(".")
    return f"blocks.{number}.{_PLACES[part]}"


def in_half_layout(state: Mapping[str, Tensor], config: Mapping[str, Any], layout: str) -> dict[str, Tensor]:
    """Return the same weights with the rows of the maps to queries and keys in the order of layout "half"."""
    found = dict(state)
    if layout == "interleaved":
        for part, heads in (("q", config["num_attention_heads"]), ("k", config["num_key_value_heads"])):
            for name in [name for name in state if name.endswith(f".{part}_proj.weight")]:
                width = len(state[name]) // heads
                order = [
                    head * width + row for head in range(heads) for row in [*range(0, width, 2), *range(1, width, 2)]
                ]
                found[name] = state[name][order]
    return found


class ModernDecoder(nn.Module):
    """A language model of Llama's form with the weights of a checkpoint; the output reuses the embedding."""

    def __init__(self, state: Mapping[str, Tensor], config: Mapping[str, Any], layout: str = "half"):
        super().__init__()
        width, eps = config["hidden_size"], config["rms_norm_eps"]
        sizes = (width, config["num_attention_heads"], config["num_key_value_heads"], config["intermediate_size"])
        self.embedding = nn.Embedding(config["vocab_size"], width)
        self.blocks = nn.ModuleList(
            ModernBlock(*sizes, config["rope_theta"], eps) for _ in range(config["num_hidden_layers"])
        )
        self.gamma, self.eps = nn.Parameter(torch.ones(width)), eps
        self.load(state, config, layout)

    def load(self, state: Mapping[str, Tensor], config: Mapping[str, Any], layout: str) -> None:
        if layout not in ("half", "interleaved"):
            raise ValueError(f'layout should be "half" or "interleaved", but is {layout!r}.')
        ordered = in_half_layout(state, config, layout)
        self.load_state_dict({own: ordered[name] for name in state if (own := llama_name(name)) is not None})

    def forward(
        self, ids: Tensor, caches: Sequence[Cache] | None = None, allowed: Tensor | None = None
    ) -> tuple[Tensor, list[Cache]]:
        X, kept = self.embedding(ids), list[Cache]()
        for number, block in enumerate(self.blocks):
            X, cache = block(X, caches[number] if caches else None, allowed)
            kept.append(cache)
        return rms_norm(X, self.gamma, self.eps) @ self.embedding.weight.mT, kept


def logits_by_depth(state: Mapping[str, Tensor], config: Mapping[str, Any], ids: Tensor) -> list[Tensor]:
    """Return the logits of decoders with no, one, two, … blocks, written with Hugging Face's names and in float64."""
    W = {name: tensor.double() for name, tensor in state.items()}
    heads, groups, eps = (config[name] for name in ("num_attention_heads", "num_key_value_heads", "rms_norm_eps"))
    (B, N), table = ids.shape, W["model.embed_tokens.weight"]
    head = config["hidden_size"] // heads
    angles = torch.arange(N).double().outer(config["rope_theta"] ** (-torch.arange(0, head, 2).double() / head))
    cos, sin = (each.repeat(1, 2) for each in (angles.cos(), angles.sin()))

    def norm(X: Tensor, name: str) -> Tensor:
        return X * (X.square().mean(-1, keepdim=True) + eps).rsqrt() * W[name]

    def turn(X: Tensor) -> Tensor:
        half = torch.cat((-X[..., head // 2 :], X[..., : head // 2]), -1)
        return X * cos + half * sin

    X = table[ids]
    logits = [norm(X, "model.norm.weight") @ table.mT]
    hidden_keys = torch.ones(N, N, dtype=torch.bool).triu(1)
    for number in range(config["num_hidden_layers"]):
        at = f"model.layers.{number}"
        Z = norm(X, f"{at}.input_layernorm.weight")
        Q, K, V = (
            (Z @ W[f"{at}.self_attn.{part}_proj.weight"].mT).view(B, N, -1, head).transpose(1, 2) for part in "qkv"
        )
        Q, K = turn(Q), turn(K)
        per_group = Q.unflatten(1, (groups, heads // groups))
        A = (per_group @ K[:, :, None].mT / head**0.5).masked_fill(hidden_keys, -torch.inf).softmax(-1)
        Y = (A @ V[:, :, None]).flatten(1, 2).transpose(1, 2).flatten(2)
        X = X + Y @ W[f"{at}.self_attn.o_proj.weight"].mT
        Z = norm(X, f"{at}.post_attention_layernorm.weight")
        gate, up = (Z @ W[f"{at}.mlp.{part}_proj.weight"].mT for part in ("gate", "up"))
        X = X + (gate / (1 + torch.exp(-gate)) * up) @ W[f"{at}.mlp.down_proj.weight"].mT
        logits.append(norm(X, "model.norm.weight") @ table.mT)
    return logits
