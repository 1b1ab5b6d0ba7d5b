"""A stand-in for the experts of a mixture that notes the rows that each of them computes."""

import torch
from jaxtyping import Float
from torch import Tensor, nn


class SpyExperts(nn.Module):
    """Several experts without learning: expert e returns tanh(rows · weights[e]).

    Y = expert(2, rows)

    weights: (E, D, D). `seen` lists for each expert the rows of all its calls, (n, D). Its results record no gradients.
    """

    CALLS = ("forward",)

    def __init__(self, weights: Float[Tensor, "E D D"]):
        super().__init__()
        self.weights = weights
        self.seen = [weights.new_zeros(0, weights.shape[-1]) for _ in weights]

    def forward(self, number: int | Tensor, rows: Float[Tensor, "... D"]) -> Float[Tensor, "... D"]:
        """Return the result of expert `number` for the rows. Raises ValueError for an unknown expert or another width."""
        width = self.weights.shape[-1]
        if not 0 <= int(number) < len(self.seen):
            raise ValueError(f"Expected the number of an expert, from 0 to {len(self.seen) - 1}, got {int(number)}.")
        if rows.shape[-1:] != (width,):
            raise ValueError(f"Expected rows of width {width}, got the shape {tuple(rows.shape)}.")
        rows = rows.detach()
        self.seen[int(number)] = torch.cat([self.seen[int(number)], rows.reshape(-1, width).to(self.weights.dtype)])
        return torch.tanh(rows @ self.weights[int(number)].to(rows.dtype))
