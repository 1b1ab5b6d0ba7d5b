"""Multi-head attention."""

from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.layers.attention import attend_without_weights, attention_weights, check_values, weights_shape
from course_lib.layers.dropout import Dropout
from course_lib.layers.heads import check_heads, merge_heads, split_heads
from course_lib.layers.initialisation import glorot
from course_lib.layers.masks import join_causal


class MultiHeadAttention(nn.Module):
    """Attention with `num_heads` heads: Y = W_O(concatenated outputs of the heads). Vaswani et al. (2017), section 3.2.2.

    Each head attends with its own part of W_Q, W_K and W_V, which are maps from the model width D to D.
    Raises ValueError if `num_heads` does not divide `model_width` or `dropout` is no probability.
    """

    def __init__(self, model_width: int, num_heads: int, dropout: float = 0.0, bias: bool = True):
        super().__init__()
        check_heads(model_width, num_heads)
        self.num_heads = num_heads
        self.W_Q = nn.Linear(model_width, model_width, bias=bias)
        self.W_K = nn.Linear(model_width, model_width, bias=bias)
        self.W_V = nn.Linear(model_width, model_width, bias=bias)
        self.W_O = nn.Linear(model_width, model_width, bias=bias)
        self.dropout = Dropout(dropout)
        glorot(self)

    def forward(
        self,
        queries: Float[Tensor, "... N_Q D"],
        keys: Float[Tensor, "... N_K D"] | None = None,
        values: Float[Tensor, "... N_K D"] | None = None,
        allowed: Bool[Tensor, "..."] | None = None,
        need_weights: bool = True,
        causal: bool = False,
    ) -> tuple[Float[Tensor, "... N_Q D"], Float[Tensor, "... H N_Q N_K"] | None]:
        """Return (Y, A); without `keys` it is self-attention, and without `values` the keys are the values too.

        allowed: a mask that broadcasts to (B, H, N_Q, N_K), True where the query may attend. A query that may attend to
        nothing gets zeros in A, so W_O's bias in Y. `causal` hides later keys, too.
        A holds the weights before dropout; with need_weights=False it is None, and Y comes sooner and in less memory.
        Raises ValueError if shapes do not fit and TypeError if `allowed` is not bool.
        """
        keys = queries if keys is None else keys
        values = keys if values is None else values
        check_values(keys, values)
        projected = self.W_Q(queries), self.W_K(keys), self.W_V(values)
        Q, K, V = (split_heads(part, self.num_heads) for part in projected)  # (B, H, N, D_H)
        if not need_weights:
            rate = self.dropout.p if self.dropout.training else 0.0
            Y = attend_without_weights(Q, K, V, allowed, causal, rate)
            return self.W_O(merge_heads(Y)), None
        if causal:
            allowed = join_causal(allowed, weights_shape(Q, K), Q.device)
        A = attention_weights(Q, K, allowed)
        return self.W_O(merge_heads(self.dropout(A) @ V)), A
