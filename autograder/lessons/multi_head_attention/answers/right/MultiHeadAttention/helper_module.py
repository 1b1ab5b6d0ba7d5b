"""The attention itself is a module of its own without parameters; type hints."""
class DotProductAttention(nn.Module):
    def __init__(self, p):
        super().__init__()
        self.dropout = nn.Dropout(p)

    def forward(self, Q, K, V, allowed):
        A = attention_weights(Q, K, allowed)
        return torch.matmul(self.dropout(A), V), A


class MultiHeadAttention(nn.Module):
    """Several heads beside each other."""

    def __init__(self, model_width: int, num_heads: int, dropout: float = 0.0, bias: bool = True) -> None:
        if model_width % num_heads != 0:
            raise ValueError(f"model_width={model_width} num_heads={num_heads}")
        super(MultiHeadAttention, self).__init__()
        make = lambda: nn.Linear(model_width, model_width, bias=bias)  # noqa: E731
        self.W_Q, self.W_K, self.W_V, self.W_O = make(), make(), make(), make()
        self.num_heads = num_heads
        self.attention = DotProductAttention(dropout)

    def forward(
        self,
        queries: torch.Tensor,
        keys: torch.Tensor | None = None,
        values: torch.Tensor | None = None,
        allowed: torch.Tensor | None = None,
    ) -> tuple[torch.Tensor, torch.Tensor]:
        keys = keys if keys is not None else queries
        values = values if values is not None else keys
        heads = [
            split_heads(W(x), self.num_heads) for W, x in zip((self.W_Q, self.W_K, self.W_V), (queries, keys, values))
        ]
        Y, A = self.attention(*heads, allowed)
        return self.W_O(merge_heads(Y)), A
