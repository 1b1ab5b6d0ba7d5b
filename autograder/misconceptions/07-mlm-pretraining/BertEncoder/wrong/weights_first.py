"""The weights come first. Return Y, weights."""


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
        Y, weights = self.blocks(X, allowed, need_weights)
        return weights, Y
