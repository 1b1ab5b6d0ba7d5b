"""Odd: a generator runs through the blocks and yields what each one gives."""
class Decoder(nn.Module):
    def __init__(self, num_blocks, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        self.norm = None
        self.blocks = nn.ModuleList()
        while len(self.blocks) < num_blocks:
            self.blocks.extend([DecoderBlock(model_width, num_heads, hidden_width, dropout, norm, activation)])
        if norm == "pre":
            self.norm = LayerNorm(model_width)

    def steps(self, X, *others):
        for block in self.blocks:
            X, (_, A) = block(X, *others)
            yield X, A

    def forward(self, X, memory, allowed=None, memory_allowed=None):
        steps = list(self.steps(X, memory, allowed, memory_allowed))
        Y = steps[-1][0] if steps else X
        if self.norm is not None:
            Y = self.norm(Y)
        return Y, [A for _, A in steps]
