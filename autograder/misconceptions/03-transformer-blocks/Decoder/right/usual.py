"""append in a loop, an identity for the last norm of a post-norm stack."""


class Decoder(nn.Module):
    def __init__(
        self, num_blocks, model_width, num_heads, hidden_width, dropout=0.0, norm="post",
        activation="relu",
    ):
        super().__init__()
        self.blocks = nn.ModuleList([])
        for _ in range(num_blocks):
            block = DecoderBlock(model_width, num_heads, hidden_width, dropout, norm, activation)
            self.blocks.append(block)
        self.norm = nn.Identity() if norm == "post" else LayerNorm(model_width)

    def forward(self, X, memory, allowed=None, memory_allowed=None):
        cross = []
        for block in self.blocks:
            X, weights = block(X, memory, allowed=allowed, memory_allowed=memory_allowed)
            cross.append(weights[1])
        return self.norm(X), cross
