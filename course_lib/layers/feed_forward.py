"""The network that is applied to every position by itself."""

from collections.abc import Callable

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from course_lib.layers.dropout import Dropout
from course_lib.layers.initialisation import glorot

# gelu: the exact one, x · Φ(x), as in BERT.
ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu}


class FeedForward(nn.Module):
    """W_2(dropout(activation(W_1(X)))), from width to hidden width and back. Vaswani et al. (2017), section 3.3.

    Raises ValueError if `activation` is neither "relu" nor "gelu".
    """

    def __init__(self, width: int, hidden_width: int, dropout: float = 0.0, activation: str = "relu"):
        super().__init__()
        check_activation(activation)
        self.W_1 = nn.Linear(width, hidden_width)
        self.W_2 = nn.Linear(hidden_width, width)
        self.dropout = Dropout(dropout)
        self.activation = activation
        glorot(self)

    def forward(self, X: Float[Tensor, "*B width"]) -> Float[Tensor, "*B width"]:
        """Return the output for every position; no position sees another."""
        hidden = ACTIVATIONS[self.activation](self.W_1(X))  # (*B, hidden_width)
        return self.W_2(self.dropout(hidden))

    def extra_repr(self) -> str:
        return f"activation={self.activation!r}"


def check_activation(activation: str) -> None:
    """Raise ValueError for an unknown activation."""
    if activation not in ACTIVATIONS:
        raise ValueError(
            f'Expected activation "relu" (the first Transformer) or "gelu" (BERT, GPT-2, ViT), got {activation!r}.'
        )
