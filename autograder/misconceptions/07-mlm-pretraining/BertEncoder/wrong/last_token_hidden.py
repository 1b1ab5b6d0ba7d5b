"""The last token of each row is hidden as well."""


class BertEncoder(nn.Module):
    def __init__(self, vocab_size, model_width, num_heads, num_blocks, max_length, dropout=0.1):
        super().__init__()
        self.embeddings = BertEmbeddings(vocab_size, model_width, max_length, dropout)
        self.blocks = layers.Encoder(
            num_blocks, model_width, num_heads, 4 * model_width, dropout, norm="post", activation="gelu"
        )

    def forward(self, ids, segments=None, need_weights=True):
        allowed = ids != PAD
        allowed = (allowed & (allowed.roll(-1, 1) | (allowed.sum(1, keepdim=True) == 1)))[:, None, None, :]
        X = self.embeddings(ids, segments)
        return self.blocks(X, allowed, need_weights)
