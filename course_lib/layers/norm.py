"""Layer normalisation."""

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Normalise every position by itself: (x − mean) / √(var + eps) · gamma + beta. Ba et al. (2016).

    Mean and variance (with 1/width, not 1/(width − 1)) are taken over the last axis, independently of the batch and of other
    positions, in training and in evaluation. gamma starts at 1 and beta at 0.
    """

    def __init__(self, width: int, eps: float = 1e-5):
        super().__init__()
        self.gamma = nn.Parameter(torch.ones(width))
        self.beta = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, X: Float[Tensor, "*B width"]) -> Float[Tensor, "*B width"]:
        """Return X normalised over its last axis."""
        return F.layer_norm(X, self.gamma.shape, self.gamma, self.beta, self.eps)

    def extra_repr(self) -> str:
        return f"{self.gamma.shape[0]}, eps={self.eps}"
