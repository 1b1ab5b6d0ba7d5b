"""The blocks are gone through in a loop."""


class BertEncoder(nn.Module):
    def __init__(self, vocab_size, model_width, num_heads, num_blocks, max_length, dropout=0.1):
        super().__init__()
        self.embeddings = BertEmbeddings(vocab_size, model_width, max_length, dropout)
        self.blocks = layers.Encoder(
            num_blocks, model_width, num_heads, 4 * model_width, dropout, norm="post", activation="gelu"
        )

    def forward(self, ids, segments=None, need_weights=True):
        allowed = (ids != PAD)[:, None, None, :]
        X = self.embeddings(ids, segments)
        weights = []
        for block in self.blocks.blocks:
            X, A = block(X, allowed)
            weights.append(A)
        return X, weights if need_weights else []
