"""A causal mask is made, so a word never sees the words after it. Look at which of the two stacks
hides the future."""


class Encoder(nn.Module):
    def __init__(
        self,
        num_blocks,
        model_width,
        num_heads,
        hidden_width,
        dropout=0.0,
        norm="post",
        activation="relu",
    ):
        super().__init__()
        self.blocks = nn.ModuleList(
            EncoderBlock(model_width, num_heads, hidden_width, dropout, norm, activation)
            for _ in range(num_blocks)
        )
        self.norm = LayerNorm(model_width) if norm == "pre" else None

    def forward(self, X, allowed=None):
        weights = []
        causal = causal_mask(X.shape[1], device=X.device)
        allowed = causal if allowed is None else allowed & causal
        for block in self.blocks:
            X, A = block(X, allowed)
            weights.append(A)
        if self.norm is not None:
            X = self.norm(X)
        return X, weights
