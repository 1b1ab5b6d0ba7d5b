"""The rows of the tables are sliced and chosen by hand."""
class BertEmbeddings(nn.Module):
    def __init__(self, vocab_size, model_width, max_length, dropout=0.1):
        super().__init__()
        self.tokens = nn.Embedding(vocab_size, model_width)
        self.segments = nn.Embedding(2, model_width)
        self.positions = nn.Embedding(max_length, model_width)
        self.norm = nn.LayerNorm(model_width)
        self.dropout = nn.Dropout(dropout)

    def forward(self, ids, segments=None):
        N = ids.size(1)
        X = F.embedding(ids, self.tokens.weight) + self.positions.weight[:N]
        first, second = self.segments.weight
        X = X + (first if segments is None else torch.where(segments.bool()[..., None], second, first))
        return self.dropout(self.norm(X))
