"""append in a loop, an identity for the last norm of a post-norm stack."""


class Encoder(nn.Module):
    def __init__(
        self, num_blocks, model_width, num_heads, hidden_width, dropout=0.0, norm="post",
        activation="relu",
    ):
        super().__init__()
        self.blocks = nn.ModuleList()
        for _ in range(num_blocks):
            self.blocks.append(
                EncoderBlock(model_width, num_heads, hidden_width, dropout, norm, activation)
            )
        self.norm = LayerNorm(model_width) if norm == "pre" else nn.Identity()

    def forward(self, X, allowed=None):
        A = []
        for i in range(len(self.blocks)):
            X, weights = self.blocks[i](X, allowed=allowed)
            A.append(weights)
        return self.norm(X), A
