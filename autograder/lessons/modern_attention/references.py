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
