"""Odd: a recursion over the blocks."""
def _through(blocks, X, allowed):
    if not blocks:
        return X, []
    first, *others = blocks
    X, A = first(X, allowed)
    Y, weights = _through(others, X, allowed)
    return Y, [A, *weights]


class Encoder(nn.Module):
    def __init__(self, num_blocks, *sizes, dropout=0.0, norm="post", activation="relu", **named):
        super().__init__()
        if len(sizes) > 3:
            given = dict(zip(("dropout", "norm", "activation"), sizes[3:]))
            dropout = given.get("dropout", dropout)
            norm = given.get("norm", norm)
            activation = given.get("activation", activation)
        named.update(zip(("model_width", "num_heads", "hidden_width"), sizes[:3]))
        self.blocks = nn.ModuleList(
            EncoderBlock(**named, dropout=dropout, norm=norm, activation=activation) for _ in range(num_blocks)
        )
        self.norm = LayerNorm(named["model_width"]) if norm == "pre" else None

    def forward(self, X, allowed=None):
        Y, weights = _through(list(self.blocks), X, allowed)
        return (Y if self.norm is None else self.norm(Y)), weights
