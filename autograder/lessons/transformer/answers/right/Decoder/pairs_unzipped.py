"""All pairs are collected and the second of each taken at the end."""
class Decoder(nn.Module):
    def __init__(self, num_blocks, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        self.is_pre = norm == "pre"
        if self.is_pre:
            self.norm = LayerNorm(model_width)
        sizes = (model_width, num_heads, hidden_width)
        options = {"dropout": dropout, "norm": norm, "activation": activation}
        self.blocks = nn.ModuleList(DecoderBlock(*sizes, **options) for _ in range(num_blocks))

    def forward(self, X, memory, allowed=None, memory_allowed=None):
        pairs = []
        for block in self.blocks:
            X, pair = block(X, memory, allowed, memory_allowed)
            pairs.append(pair)
        X = self.norm(X) if self.is_pre else X
        return X, [A_cross for _, A_cross in pairs]
