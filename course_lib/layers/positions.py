"""Encodings of positions in the sequence, which attention itself does not distinguish."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.layers.initialisation import normal


def sinusoidal_positions(N: int, D: int) -> Float[Tensor, "N D"]:
    """Return one row for each position: columns 2i and 2i + 1 are sine and cosine of position / 10000^(2i/D).

    For odd D the last column is a sine. Vaswani et al. (2017), section 3.5. Angles are computed in float64 (in float32 those of
    late positions lose their fractional digits); the result is float32.
    """
    position = torch.arange(N, dtype=torch.float64)[:, None]  # (N, 1)
    even = torch.arange(0, D, 2, dtype=torch.float64)  # (⌈D/2⌉,)
    angle = position / 10000.0 ** (even / D)  # (N, ⌈D/2⌉)
    both = torch.stack((angle.sin(), angle.cos()), dim=-1)  # (N, ⌈D/2⌉, 2)
    return both.flatten(1)[:, :D].float()  # sine and cosine alternate


class LearnedPositions(nn.Module):
    """Add a learned vector to every position, as BERT, GPT-2 and ViT do: X + the first N rows of `table`.

    The table starts from N(0, 0.02²), as in these models: small compared with the embeddings, which should dominate at first.
    """

    def __init__(self, max_length: int, width: int):
        super().__init__()
        self.table = nn.Parameter(normal(torch.empty(max_length, width)))

    def forward(self, X: Float[Tensor, "B N width"]) -> Float[Tensor, "B N width"]:
        """Return X + the vectors of positions 0 to N − 1. Raises ValueError if N > max_length."""
        max_length, N = len(self.table), X.shape[-2]
        if max_length < N:
            raise ValueError(
                f"Expected at most max_length = {max_length} positions, got {N}: later ones have no learned vector. "
                "Cut the sequence, or make the model with a larger max_length."
            )
        return X + self.table[:N]

    def extra_repr(self) -> str:
        return f"max_length={len(self.table)}, width={self.table.shape[1]}"
