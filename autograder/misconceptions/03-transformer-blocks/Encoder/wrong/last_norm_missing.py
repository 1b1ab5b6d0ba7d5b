"""The output of a pre-norm stack is not normalised. Look at what follows the last block, which ends
with a sum."""


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

    def forward(self, X, allowed=None):
        weights = []
        for block in self.blocks:
            X, A = block(X, allowed)
            weights.append(A)
        return X, weights
