"""As in Hugging Face's Llama: cosines for all columns, and a function that turns by a quarter."""


def quarter(X, layout):
    if layout == "half":
        a, b = X[..., : X.shape[-1] // 2], X[..., X.shape[-1] // 2 :]
        return torch.cat((-b, a), dim=-1)
    return torch.stack((-X[..., 1::2], X[..., 0::2]), dim=-1).flatten(-2)


def rotary(X, positions, base=10000.0, layout="half", rotated=None):
    if layout not in {"half", "interleaved"}:
        raise ValueError(f"unknown layout {layout}")
    D = rotated or X.shape[-1]
    inv_freq = 1.0 / base ** (torch.arange(0, D, 2, device=X.device).double() / D)
    freqs = torch.outer(positions.double(), inv_freq)
    emb = torch.cat((freqs, freqs), dim=-1) if layout == "half" else freqs.repeat_interleave(2, dim=-1)
    cos, sin = emb.cos().to(X.dtype), emb.sin().to(X.dtype)
    first = X[..., :D]
    return torch.cat((first * cos + quarter(first, layout) * sin, X[..., D:]), dim=-1)
