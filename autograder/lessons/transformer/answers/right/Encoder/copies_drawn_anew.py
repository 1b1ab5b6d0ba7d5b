"""Copies of one block, drawn anew as in the Annotated Transformer."""
import copy


class Encoder(nn.Module):
    def __init__(self, num_blocks, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        block = EncoderBlock(model_width, num_heads, hidden_width, dropout, norm, activation)
        self.blocks = nn.ModuleList(copy.deepcopy(block) for _ in range(num_blocks))
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        self.pre = norm == "pre"
        if self.pre:
            self.norm = LayerNorm(model_width)

    def forward(self, X, allowed=None):
        weights = ()
        for block in self.blocks:
            X, A = block(X, allowed)
            weights += (A,)
        return (self.norm(X) if self.pre else X), list(weights)
