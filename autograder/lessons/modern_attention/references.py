"""Right versions of the exercises of 15-modern-attention."""

import torch
import torch.nn.functional as F
from torch import Tensor, nn


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
