"""The positions count on only where a token is no padding, and from 1: that is how RoBERTa does it.
Here every place has its number."""


class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, model_width, max_length, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, model_width)
        self.segments = nn.Embedding(2, model_width)
        self.positions = nn.Embedding(max_length, model_width)
        self.norm = nn.LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments=None):
        if segments is None:
            segments = torch.zeros_like(ids)
        places = torch.arange(ids.shape[1], device=ids.device)
        X = self.tokens(ids) + self.segments(segments) + self.positions((ids != PAD).long().cumsum(1).clamp(max=self.positions.num_embeddings - 1))
        return self.dropout(self.norm(X))
