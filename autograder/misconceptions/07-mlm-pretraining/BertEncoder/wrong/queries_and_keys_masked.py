"""Padding is hidden from the keys of real tokens, but the mask of one row is used for all."""


class BertEncoder(nn.Module):
    def __init__(self, vocab_size, model_width, num_heads, num_blocks, max_length, dropout=0.1):
        super().__init__()
        self.embeddings = BertEmbeddings(vocab_size, model_width, max_length, dropout)
        self.blocks = layers.Encoder(
            num_blocks, model_width, num_heads, 4 * model_width, dropout, norm="post", activation="gelu"
        )

    def forward(self, ids, segments=None, need_weights=True):
        allowed = (ids[:1] != PAD)[:, None, None, :]
        X = self.embeddings(ids, segments)
        return self.blocks(X, allowed, need_weights)
