"""A typing.NamedTuple in the place of the tuple, with type hints and new names."""
from typing import NamedTuple


class Attended(NamedTuple):
    outputs: torch.Tensor
    weights: torch.Tensor


def scaled_dot_product_attention(
    Q: torch.Tensor, K: torch.Tensor, V: torch.Tensor, allowed: torch.Tensor | None = None
) -> Attended:
    """Return outputs and weights."""
    similarities = torch.matmul(Q, K.movedim(-1, -2)).div(math.sqrt(Q.shape[-1]))
    if allowed is not None:
        similarities = similarities.masked_fill(allowed.bitwise_not(), -torch.inf)
    weights = similarities.softmax(-1)
    weights = weights.masked_fill(weights.isnan(), 0)
    return Attended(outputs=weights @ V, weights=weights)
