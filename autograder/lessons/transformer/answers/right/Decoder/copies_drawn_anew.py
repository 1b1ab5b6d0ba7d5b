"""Copies of one block, drawn anew as in the Annotated Transformer."""
from copy import deepcopy


class Decoder(nn.Module):
    def __init__(self, num_blocks, model_width, num_heads, hidden_width, dropout=0.0, norm="post", activation="relu"):
        super().__init__()
        block = DecoderBlock(model_width, num_heads, hidden_width, dropout, norm, activation)
        self.blocks = nn.ModuleList([deepcopy(block) for _ in range(num_blocks)])
        for parameter in self.blocks.parameters():
            if parameter.dim() == 2:
                nn.init.xavier_uniform_(parameter)
        self.norm = LayerNorm(model_width) if norm == "pre" else None

    def forward(self, X, memory, allowed=None, memory_allowed=None):
        weights = []
        for block in self.blocks:
            X, (_, A) = block(X, memory, allowed, memory_allowed)
            weights = weights + [A]
        return (X, weights) if self.norm is None else (self.norm(X), weights)
